/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * Reading the counters of /dev/pmuctl from a program: header-only, C11 (with GNU extensions) and
 * C++11, no library.
 *
 *	struct pmuctl pmu;
 *	int r = pmuctl_open(&pmu);
 *	if (!r)
 *		r = pmuctl_attach(&pmu);	(each thread; else its reads are system calls)
 *	int event = pmuctl_find(&pmu, "cycles");
 *	int64_t count = pmuctl_read(&pmu, event);
 *
 * A value is a count, not negative; an error is a negative errno. Nothing here raises a signal:
 * whatever stands in the way of a register read (not attached, no register, no rseq) leads to the
 * system call in the same call. Only who takes kernel.perf_user_access or rdpmc away while threads
 * are attached makes their reads fault: that is the kernel's rule.
 *
 * A child of fork() has no mapping: its reads are system calls until it opens the device by itself.
 *
 * Longer than 600 lines because it is for all architectures and shall be one file.
 */
#ifndef PMUCTL_READ_H
#define PMUCTL_READ_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmuctl.h"

/* The layout that the fast path knows; the area says whether it is the module's. */
#define PMUCTL_CPU_SHIFT  12
#define PMUCTL_SLOT_SHIFT 6

/* An open device. To be left alone. */
struct pmuctl {
	int fd;
	unsigned int forks; /* of pmuctl_forks when it was mapped */
	const struct pmuctl_area *area;
	size_t size;
};

/* Where a thread reads an event: its slot on CPU 0, and the thread's rseq area. */
struct pmuctl_place {
	const struct pmuctl_slot *slot;
	void *rseq;
};

/*
 * A place for each event and one for all numbers that are none. A thread that is not attached has
 * PMUCTL_NOWHERE in all of them, so that a read need not ask whether it is.
 */
#define PMUCTL_PLACES (PMUCTL_EVENTS_MAX + 1)

struct pmuctl_thread {
	struct pmuctl_place places[PMUCTL_PLACES];
	void *page; /* of the own event */
	int fd; /* of the own event */
	bool attached;
};

/* One for a program, however many files include this. */
#define PMUCTL_SHARED __attribute__((weak, visibility("hidden")))

/* A slot that asks for the system call, and an rseq area of CPU 0, which the kernel does not know. */
PMUCTL_SHARED struct pmuctl_slot pmuctl_refusal = {
	0, (uint64_t)-EAGAIN, 0, PMUCTL_UNUSED, 0, 0, 0, 0, 0, 0, 0
};
PMUCTL_SHARED uint64_t pmuctl_no_rseq[4];

/* clang-format off */
#define PMUCTL_NOWHERE	  { &pmuctl_refusal, pmuctl_no_rseq }
#define PMUCTL_NOWHERE_4  PMUCTL_NOWHERE, PMUCTL_NOWHERE, PMUCTL_NOWHERE, PMUCTL_NOWHERE
#define PMUCTL_NOWHERE_16 PMUCTL_NOWHERE_4, PMUCTL_NOWHERE_4, PMUCTL_NOWHERE_4, PMUCTL_NOWHERE_4
/* clang-format on */

PMUCTL_SHARED __thread struct pmuctl_thread pmuctl_thread
	__attribute__((tls_model("initial-exec"))) = { { PMUCTL_NOWHERE_16, PMUCTL_NOWHERE_16,
							 PMUCTL_NOWHERE_16, PMUCTL_NOWHERE_16 },
						       NULL,
						       -1,
						       false };
PMUCTL_SHARED unsigned int pmuctl_forks;
PMUCTL_SHARED int pmuctl_forks_watched;

/* The C library's registration of restartable sequences (glibc 2.35); absent otherwise. */
#ifdef __cplusplus
extern "C" {
#endif
extern const ptrdiff_t __rseq_offset __attribute__((weak));
extern const unsigned int __rseq_size __attribute__((weak));
#ifdef __cplusplus
}
#endif

/* ---- Reading a register inside a restartable sequence ---- */

/*
 * pmuctl_read_registers(place, cpu): the count of the event of that place on the CPU that this runs
 * on, which it stores in *cpu. A negative number is an error of the slot, or asks for the system
 * call.
 *
 * The kernel restarts the sequence when the thread was preempted, moved or given a signal in it: so
 * that slot and register are of one CPU, even if the thread went to another and came back. An
 * interrupt alone restarts nothing, but if the slot was written in it the tag is another
 * afterwards. Nothing needs a hardware barrier: the slot is written on this CPU, and an interrupt
 * comes between two instructions, of which the earlier is complete and the later not begun.
 */
#if defined(__aarch64__)
#define PMUCTL_HAVE_REGISTERS 1

/*
 * Where indirect branches are checked each entry of the table begins with a landing pad, and takes
 * 16 bytes.
 */
#ifdef __ARM_FEATURE_BTI_DEFAULT
#define PMUCTL_TABLE_SHIFT "4"
#define PMUCTL_PAD	   "hint #36\n\t"
#define PMUCTL_FILL	   "nop\n\t"
#else
#define PMUCTL_TABLE_SHIFT "3"
#define PMUCTL_PAD	   ""
#define PMUCTL_FILL	   ""
#endif

/*
 * A count needs no look at its sign where the assembly itself can branch to what deals with errors
 * and give values, too: GCC 11, clang 17.
 */
#if (defined(__clang__) && __clang_major__ >= 17) || (!defined(__clang__) && __GNUC__ >= 11)
#define PMUCTL_BRANCHES(...) __VA_ARGS__
#define PMUCTL_ASM	     __asm__ volatile goto
#else
#define PMUCTL_BRANCHES(...)
#define PMUCTL_ASM __asm__ volatile
#endif

#define PMUCTL_ENTRY(instruction, next) PMUCTL_PAD instruction "\n\tb " next "\n\t" PMUCTL_FILL
#define PMUCTL_NOTHING			PMUCTL_ENTRY("mov %[raw], xzr", "22f")
#define PMUCTL_EVENT(n, next)		PMUCTL_ENTRY("mrs %[raw], pmevcntr" #n "_el0", next)
/* clang-format off */
#define PMUCTL_EVENTS(next) \
	PMUCTL_EVENT(0, next) PMUCTL_EVENT(1, next) PMUCTL_EVENT(2, next) PMUCTL_EVENT(3, next) \
	PMUCTL_EVENT(4, next) PMUCTL_EVENT(5, next) PMUCTL_EVENT(6, next) PMUCTL_EVENT(7, next) \
	PMUCTL_EVENT(8, next) PMUCTL_EVENT(9, next) PMUCTL_EVENT(10, next) PMUCTL_EVENT(11, next) \
	PMUCTL_EVENT(12, next) PMUCTL_EVENT(13, next) PMUCTL_EVENT(14, next) \
	PMUCTL_EVENT(15, next) PMUCTL_EVENT(16, next) PMUCTL_EVENT(17, next) \
	PMUCTL_EVENT(18, next) PMUCTL_EVENT(19, next) PMUCTL_EVENT(20, next) \
	PMUCTL_EVENT(21, next) PMUCTL_EVENT(22, next) PMUCTL_EVENT(23, next) \
	PMUCTL_EVENT(24, next) PMUCTL_EVENT(25, next) PMUCTL_EVENT(26, next) \
	PMUCTL_EVENT(27, next) PMUCTL_EVENT(28, next) PMUCTL_EVENT(29, next) PMUCTL_EVENT(30, next)

static inline __attribute__((always_inline)) int64_t
pmuctl_read_registers(const struct pmuctl_place *place, uint32_t *cpu)
{
	uint64_t tag, offset, raw, again, here, count;
	const char *slot;

	PMUCTL_ASM(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"9:	.word 0, 0\n\t"
		".quad 1f, 2f - 1f, 4f\n\t"
		".popsection\n\t"
		".pushsection __rseq_failure, \"ax\"\n\t"
		".inst 0xd428bc00\n" /* the signature that glibc registers */
		"4:	b 5f\n\t"
		".popsection\n"
		"5:	adrp %[slot], 9b\n\t"
		"add %[slot], %[slot], :lo12:9b\n\t"
		"str %[slot], [%[rseq], #8]\n"
		"1:	ldr %w[here], [%[rseq], #4]\n\t"
		"add %[slot], %[slots], %[here], lsl #12\n\t"
		"ldp %[tag], %[offset], [%[slot]]\n\t"
		"tbnz %[tag], #7, 6f\n\t"
		"adr %[raw], 7f\n\t"
		"add %[raw], %[raw], %w[tag], uxtb #" PMUCTL_TABLE_SHIFT "\n\t"
		"br %[raw]\n"
		"7:\n\t"
		PMUCTL_NOTHING PMUCTL_EVENTS("20f")
		PMUCTL_NOTHING PMUCTL_EVENTS("21f")
		PMUCTL_ENTRY("mrs %[raw], pmccntr_el0", "21f")
		/* 32 bits: the count is as of prev. */
		"21:	ldr %w[again], [%[slot], #16]\n\t"
		"sub %w[raw], %w[raw], %w[again]\n\t"
		"b 20f\n"
		/* No register: the offset says it all, if it is still the one. */
		"22:	ldr %[again], [%[slot]]\n\t"
		"cmp %[again], %[tag]\n\t"
		"b.ne 5b\n\t"
		PMUCTL_BRANCHES("tbnz %[offset], #63, 23f\n\t")
		"b 2f\n"
		PMUCTL_BRANCHES("23:	b %l[negative]\n")
		"6:	mrs %[raw], pmccntr_el0\n"
		"20:	ldr %[again], [%[slot]]\n\t"
		"cmp %[again], %[tag]\n\t"
		"b.ne 5b\n"
		"2:	add %[count], %[offset], %[raw]\n\t"
		: [count] "=r"(count), [tag] "=&r"(tag), [offset] "=&r"(offset),
		  [raw] "=&r"(raw), [again] "=&r"(again), [here] "=&r"(here), [slot] "=&r"(slot)
		: [slots] "r"(place->slot), [rseq] "r"(place->rseq)
		: "cc" PMUCTL_BRANCHES(: negative));
	*cpu = (uint32_t)here;
	PMUCTL_BRANCHES(if ((int64_t)count < 0) __builtin_unreachable();)
	return (int64_t)count;
	PMUCTL_BRANCHES(negative: *cpu = (uint32_t)here; return (int64_t)offset;)
}
/* clang-format on */

/* The bare cycle counter. Only in a thread that is attached: anywhere else it raises SIGILL. */
static inline uint64_t pmuctl_cycles_raw(void)
{
	uint64_t cycles;

	__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(cycles));
	return cycles;
}

#elif defined(__x86_64__)
#define PMUCTL_HAVE_REGISTERS 1

/* clang-format off */
static inline __attribute__((always_inline)) int64_t
pmuctl_read_registers(const struct pmuctl_place *place, uint32_t *cpu)
{
	uint64_t tag, offset, raw, high, count;
	uint32_t here;
	const char *slot;

	__asm__ volatile(
		".pushsection __rseq_cs, \"aw\"\n\t"
		".balign 32\n"
		"9:	.long 0, 0\n\t"
		".quad 1f, 2f - 1f, 4f\n\t"
		".popsection\n\t"
		".pushsection __rseq_failure, \"ax\"\n\t"
		".byte 0x0f, 0xb9, 0x3d\n\t" /* an instruction around glibc's signature */
		".long 0x53053053\n"
		"4:	jmp 5f\n\t"
		".popsection\n"
		"5:	leaq 9b(%%rip), %[slot]\n\t"
		"movq %[slot], 8(%[rseq])\n"
		"1:	movl 4(%[rseq]), %[here]\n\t"
		"movl %[here], %k[slot]\n\t"
		"shlq $12, %[slot]\n\t"
		"addq %[slots], %[slot]\n\t"
		"movq (%[slot]), %[tag]\n\t"
		"movq 8(%[slot]), %[offset]\n\t"
		"xorl %%eax, %%eax\n\t"
		"movzbl %b[tag], %%ecx\n\t"
		"subl $1, %%ecx\n\t"
		"jb 7f\n\t"
		"cmpl $64, %%ecx\n\t"
		"jb 6f\n\t"
		"addl $0x3fffffc0, %%ecx\n" /* fixed counter n - 64: 0x40000000 + n - 64 */
		"6:	rdpmc\n\t"
		"shlq $32, %%rdx\n\t"
		"orq %%rdx, %%rax\n\t"
		/* Sign-extended from its width. */
		"movl $64, %%ecx\n\t"
		"movl %k[tag], %%edx\n\t"
		"shrl $8, %%edx\n\t"
		"subb %%dl, %%cl\n\t"
		"shlq %%cl, %%rax\n\t"
		"sarq %%cl, %%rax\n"
		"7:	cmpq %[tag], (%[slot])\n\t"
		"jne 5b\n"
		"2:	addq %%rax, %[offset]\n\t"
		: [tag] "=&q"(tag), [offset] "=&r"(offset), "=&a"(raw), "=&d"(high), "=&c"(count),
		  [here] "=&r"(here), [slot] "=&r"(slot)
		: [slots] "r"(place->slot), [rseq] "r"(place->rseq)
		: "cc");
	*cpu = here;
	return (int64_t)offset;
}
/* clang-format on */

#else
#define PMUCTL_HAVE_REGISTERS 0

static inline int64_t pmuctl_read_registers(const struct pmuctl_place *place, uint32_t *cpu)
{
	(void)place;
	*cpu = 0;
	return -EAGAIN;
}
#endif

/* ---- The own event, by which the kernel lets a thread read registers ---- */

static inline int pmuctl_open_event(void)
{
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_HARDWARE;
	attr.config = PERF_COUNT_HW_CPU_CYCLES;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
#ifdef __aarch64__
	attr.config1 = 2; /* wants to be read by the program */
#endif
	return (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/*
 * Whether the kernel lets programs read registers at all. On x86 the page of the own event tells.
 */
static inline bool pmuctl_access_is_on(void)
{
#ifdef __x86_64__
	return true;
#else
	char on = '0';
	int fd = open("/proc/sys/kernel/perf_user_access", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, &on, 1) != 1)
		on = '0';
	close(fd);
	return on != '0';
#endif
}

/*
 * On x86 the right goes with the mapping of the own event; on arm64 with the event itself, from the
 * next time on that the thread's events are scheduled.
 */
static inline int pmuctl_take_right(struct pmuctl_thread *thread)
{
	void *page =
		mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, thread->fd, 0);

	if (page == MAP_FAILED)
		return -errno;
	thread->page = page;
	if (!((const struct perf_event_mmap_page *)page)->cap_user_rdpmc || !pmuctl_access_is_on())
		return -EOPNOTSUPP;
	if (ioctl(thread->fd, PERF_EVENT_IOC_ENABLE, 0) ||
	    ioctl(thread->fd, PERF_EVENT_IOC_DISABLE, 0))
		return -errno;
	return 0;
}

static inline void pmuctl_give_up_right(struct pmuctl_thread *thread)
{
	if (thread->page)
		munmap(thread->page, (size_t)sysconf(_SC_PAGESIZE));
	thread->page = NULL;
	close(thread->fd);
	thread->fd = -1;
}

static inline void *pmuctl_find_rseq(void)
{
	if (!&__rseq_size || !__rseq_size)
		return NULL;
	return (char *)__builtin_thread_pointer() + __rseq_offset;
}

static inline void pmuctl_place_all(const struct pmuctl_slot *first, void *rseq)
{
	unsigned int i;

	for (i = 0; i < PMUCTL_EVENTS_MAX; i++) {
		pmuctl_thread.places[i].slot = rseq ? first + i : &pmuctl_refusal;
		pmuctl_thread.places[i].rseq = rseq ? rseq : pmuctl_no_rseq;
	}
	pmuctl_thread.attached = rseq != NULL;
}

/*
 * This thread reads by system calls again; to be called before it ends, or before pmuctl_close().
 */
static inline void pmuctl_detach(void)
{
	struct pmuctl_thread *thread = &pmuctl_thread;

	if (!thread->attached)
		return;
	/* The kernel looks at the last sequence even outside it, and its code may be unloaded. */
	((uint64_t *)thread->places[0].rseq)[1] = 0;
	pmuctl_place_all(NULL, NULL);
	pmuctl_give_up_right(thread);
}

/*
 * From now on this thread reads registers; no signal handler of it may read meanwhile. 0, or why it
 * cannot, and pmuctl_read() makes a system call each time: -EOPNOTSUPP: no register reads for this
 * architecture or C library (rseq), or kernel.perf_user_access or rdpmc is 0; -EACCES, -EPERM:
 * kernel.perf_event_paranoid forbids it; -ENOENT: this CPU has no PMU; others of
 * perf_event_open(2).
 */
static inline int pmuctl_attach(const struct pmuctl *pmu)
{
	struct pmuctl_thread *thread = &pmuctl_thread;
	const struct pmuctl_area *area = pmu->area;
	void *rseq = pmuctl_find_rseq();
	int r;

	if (thread->attached)
		return 0;
	if (!PMUCTL_HAVE_REGISTERS || !rseq || !area || pmu->forks != pmuctl_forks ||
	    area->cpu_shift != PMUCTL_CPU_SHIFT || area->slot_shift != PMUCTL_SLOT_SHIFT)
		return -EOPNOTSUPP;
	thread->fd = pmuctl_open_event();
	if (thread->fd < 0)
		return -errno;
	r = pmuctl_take_right(thread);
	if (r) {
		pmuctl_give_up_right(thread);
		return r;
	}
	pmuctl_place_all((const struct pmuctl_slot *)((const char *)area + area->cpus_offset +
						      area->slots_offset),
			 rseq);
	return 0;
}

/* ---- Opening ---- */

static inline void pmuctl_child_begins(void)
{
	pmuctl_forks++;
	pmuctl_place_all(NULL, NULL);
}

static inline int pmuctl_map(struct pmuctl *pmu)
{
	struct pmuctl_info info;
	void *area;

	memset(&info, 0, sizeof(info));
	info.size = sizeof(info);
	if (ioctl(pmu->fd, PMUCTL_IOC_INFO, &info))
		return -errno;
	if (info.abi_version != PMUCTL_ABI_VERSION)
		return -EPROTO;
	area = mmap(NULL, info.area_size, PROT_READ, MAP_SHARED, pmu->fd, PMUCTL_MAP_AREA);
	if (area == MAP_FAILED)
		return -errno;
	pmu->area = (const struct pmuctl_area *)area;
	pmu->size = info.area_size;
	return pmu->area->magic == PMUCTL_MAGIC ? 0 : -EPROTO;
}

/* Lets the device go. Threads that attached have detached. */
static inline void pmuctl_close(struct pmuctl *pmu)
{
	pmuctl_detach();
	if (pmu->area && pmu->forks == pmuctl_forks)
		munmap((void *)(uintptr_t)pmu->area, pmu->size);
	close(pmu->fd);
	pmu->area = NULL;
	pmu->fd = -1;
}

/*
 * Opens the device for reading. 0; -ENOENT: no such device, is the module loaded?; -EACCES: not a
 * member of its group; -EPROTO: the module is of another ABI version than this header.
 */
static inline int pmuctl_open(struct pmuctl *pmu)
{
	int r;

	memset(pmu, 0, sizeof(*pmu));
	if (!__atomic_exchange_n(&pmuctl_forks_watched, 1, __ATOMIC_RELAXED) &&
	    pthread_atfork(NULL, NULL, pmuctl_child_begins))
		return -ENOMEM;
	pmu->forks = pmuctl_forks;
	pmu->fd = open("/dev/pmuctl", O_RDONLY | O_CLOEXEC);
	if (pmu->fd < 0)
		return -errno;
	r = pmuctl_map(pmu);
	if (r)
		pmuctl_close(pmu);
	return r;
}

/* The number of the event of that name, or -ENOENT. */
static inline int pmuctl_find(const struct pmuctl *pmu, const char *name)
{
	const struct pmuctl_area *area = pmu->area;
	unsigned int i;

	for (i = 0; pmu->forks == pmuctl_forks && i < area->events_max; i++) {
		const struct pmuctl_event *event =
			(const struct pmuctl_event *)((const char *)area + area->events_offset +
						      (size_t)i * area->event_size);

		if (event->id && !strncmp(event->name, name, sizeof(event->name)))
			return (int)i;
	}
	return -ENOENT;
}

/* ---- Reading ---- */

/* Event @event of CPU @cpu, read there now by a system call. Errors: those of PMUCTL_IOC_READ. */
static inline int64_t pmuctl_read_fresh(const struct pmuctl *pmu, unsigned int cpu,
					unsigned int event)
{
	struct pmuctl_read_slot slot;

	memset(&slot, 0, sizeof(slot));
	slot.size = sizeof(slot);
	slot.cpu = cpu;
	slot.event = event;
	if (ioctl(pmu->fd, PMUCTL_IOC_READ, &slot))
		return -errno;
	return (int64_t)slot.value.value;
}

static __attribute__((noinline, cold, unused)) int64_t pmuctl_read_here(const struct pmuctl *pmu,
									unsigned int event)
{
	unsigned int cpu;

	if (syscall(__NR_getcpu, &cpu, NULL, NULL))
		return -errno;
	return pmuctl_read_fresh(pmu, cpu, event);
}

/*
 * Event @event of the CPU that this runs on: by a register if it can be, else by a system call,
 * which also tells that there is no such event. The compiler may move it among what does not depend
 * on it: who wants it in its place puts a barrier there.
 */
static inline __attribute__((always_inline)) int64_t pmuctl_read(const struct pmuctl *pmu,
								 unsigned int event)
{
	unsigned int place = event < PMUCTL_EVENTS_MAX ? event : PMUCTL_EVENTS_MAX;
	uint32_t cpu;
	int64_t count = pmuctl_read_registers(&pmuctl_thread.places[place], &cpu);

	if (__builtin_expect(count >= 0, 1))
		return count;
	return pmuctl_read_here(pmu, event);
}

/* Where the published value of an event on a CPU is. */
struct pmuctl_published {
	const struct pmuctl_slot *slot;
	unsigned int event;
	unsigned int forks; /* of pmuctl_forks when it was found */
};

/* Finds it, once for many reads. 0; -ENXIO: no such CPU; -ENOENT: no such event. */
static inline int pmuctl_find_published(const struct pmuctl *pmu, unsigned int cpu,
					unsigned int event, struct pmuctl_published *published)
{
	const struct pmuctl_area *area = pmu->area;

	published->slot = NULL;
	published->event = event;
	published->forks = pmuctl_forks - 1;
	if (pmu->forks != pmuctl_forks)
		return -EBADF;
	if (cpu >= area->cpus)
		return -ENXIO;
	if (event >= area->events_max)
		return -ENOENT;
	published->slot =
		(const struct pmuctl_slot *)((const char *)area + area->cpus_offset +
					     ((size_t)cpu << area->cpu_shift) + area->slots_offset +
					     ((size_t)event << area->slot_shift));
	published->forks = pmuctl_forks;
	return 0;
}

/*
 * A consistent copy. The members are copied by plain loads, of which a compiler leaves out what the
 * caller does not look at: what was changed meanwhile is thrown away.
 */
static inline __attribute__((always_inline)) void pmuctl_copy_slot(const struct pmuctl_slot *slot,
								   struct pmuctl_value *value)
{
	uint32_t before;

	do {
		/* Pairs with the barrier behind the module's writing of the members. */
		before = __atomic_load_n(&slot->sequence, __ATOMIC_ACQUIRE);
		value->value = slot->value;
		value->time = slot->time;
		value->enabled = slot->enabled;
		value->running = slot->running;
		value->reason = slot->reason;
		value->error = slot->error;
		/* Pairs with the barrier before that writing. */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	} while (__builtin_expect(
		before & 1 || before != __atomic_load_n(&slot->sequence, __ATOMIC_RELAXED), 0));
}

/* The rarer reasons. */
static __attribute__((noinline, cold, unused)) int
pmuctl_read_published_again(const struct pmuctl_slot *slot, struct pmuctl_value *value)
{
	pmuctl_copy_slot(slot, value);
	switch (value->reason) {
	case PMUCTL_UNUSED:
		return -ENOENT;
	case PMUCTL_UNSUPPORTED:
		return value->error;
	case PMUCTL_NOT_SCHEDULED:
		return -EBUSY;
	default:
		return 0;
	}
}

/*
 * The last published value; its age is CLOCK_MONOTONIC now less value->time. Errors: those of
 * pmuctl_read_cpu().
 */
static inline __attribute__((always_inline)) int
pmuctl_read_published(const struct pmuctl_published *published, struct pmuctl_value *value)
{
	struct pmuctl_value again;
	int r;

	if (__builtin_expect(published->forks != pmuctl_forks, 0))
		return -EBADF;
	pmuctl_copy_slot(published->slot, value);
	value->event = published->event;
	if (__builtin_expect(value->reason <= PMUCTL_UNPUBLISHED, 1)) {
		value->error = 0;
		return 0;
	}
	again.event = published->event;
	r = pmuctl_read_published_again(published->slot, &again);
	*value = again;
	return r;
}

/*
 * The last published value of an event on any CPU; its age is CLOCK_MONOTONIC now less value->time.
 * 0; -ENXIO: no such CPU; -ENOENT: no such event; -EBUSY: not scheduled, the value is the last;
 * -EBADF: in a child of the process that opened the device; or why that CPU cannot count it.
 */
static inline int pmuctl_read_cpu(const struct pmuctl *pmu, unsigned int cpu, unsigned int event,
				  struct pmuctl_value *value)
{
	struct pmuctl_published published;
	int r = pmuctl_find_published(pmu, cpu, event, &published);

	if (r)
		return r;
	return pmuctl_read_published(&published, value);
}

#endif /* PMUCTL_READ_H */
