/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * The interface of /dev/pmuctl, ABI version 1: what stands in the shared area, and the ioctls.
 *
 * The module keeps one kernel performance counter for each CPU and event. Programs map the shared
 * area (read-only) and find there, for each CPU and event, a slot: which counter register holds the
 * count at this moment, what to add to it, and the last value that the module itself has read.
 * pmuctl_read.h does all of this for a program.
 *
 * All numbers are in the byte order of the CPU; nothing has hidden padding; offsets are asserted
 * below. The header says where the parts of the area are: go by those words, not by the sizes of
 * the structures here, since a later version may append to each of them. What is reserved is zero.
 */
#ifndef PMUCTL_H
#define PMUCTL_H

#include <linux/types.h>
#include <linux/ioctl.h>
#ifdef __KERNEL__
#include <linux/build_bug.h>
#else
#include <assert.h> /* static_assert */
#endif

/* Goes up only when a program made for the old version would read wrong values. */
#define PMUCTL_ABI_VERSION 1

/* "PMUCTL\0\1" in memory on a little-endian CPU. */
#define PMUCTL_MAGIC 0x01004c5443554d50ULL

/*
 * Offsets for mmap(2). Each mapping has exactly the length that PMUCTL_IOC_INFO names, starts at
 * the offset, and is shared.
 */
#define PMUCTL_MAP_AREA	   0x00000000ULL /* the shared area, PROT_READ */
#define PMUCTL_MAP_CODE	   0x10000000ULL /* the read functions, PROT_READ | PROT_EXEC */
#define PMUCTL_MAP_TRIGGER 0x20000000ULL /* trigger words, PROT_READ | PROT_WRITE */

/* Events at a time, and the length of a name with its final zero. */
#define PMUCTL_EVENTS_MAX 63
#define PMUCTL_NAME_MAX	  64

/*
 * ---- The shared area
 * -------------------------------------------------------------------------------------------
 */

/*
 * Why a slot cannot be read by a register at this moment (struct pmuctl_slot.reason).
 * PMUCTL_DIRECT: it can. The value of a slot with a reason up to PMUCTL_UNPUBLISHED counts on and
 * is had by PMUCTL_IOC_READ; with the others it stands still.
 */
enum pmuctl_reason {
	PMUCTL_DIRECT = 0,
	PMUCTL_SOFTWARE = 1, /* the event has no register: software, or of a PMU outside the CPU */
	PMUCTL_CHAINED = 2, /* two registers hold the count */
	PMUCTL_NO_USER_READS = 3, /* programs may not read this register on this CPU */
	PMUCTL_UNPUBLISHED = 4, /* the kernel has no probes: the register cannot be followed */
	PMUCTL_NOT_SCHEDULED = 5, /* it lost its register to others; the module tries again */
	PMUCTL_DISABLED = 6, /* counting on this CPU was switched off: the value is exact */
	PMUCTL_OFFLINE = 7, /* the CPU is offline: the value is exact */
	PMUCTL_UNSUPPORTED = 8, /* this CPU cannot count it; error says why; there is no value */
	PMUCTL_UNUSED = 9, /* no event has this number */
};

/*
 * The low 16 bits of struct pmuctl_slot.tag say which register to read: the low byte names it, the
 * next byte is the number of its bits that count. 0: none.
 *
 * arm64     1 to 31: PMEVCNTR0_EL0 to PMEVCNTR30_EL0, all 64 bits; 33 to 63: the same registers,
 * the low 32 bits;
 *           64: PMCCNTR_EL0, the low 32 bits; PMUCTL_REGISTER_CYCLES: PMCCNTR_EL0, all 64 bits
 * x86       1 + n: RDPMC with ECX = n; 65 + n: RDPMC with ECX = 0x40000000 + n (fixed counters)
 * riscv64   1 + n: CSR 0xc00 + n
 */
#define PMUCTL_TAG_REGISTER(tag)     (0xff & (tag))
#define PMUCTL_TAG_WIDTH(tag)	     (((tag) >> 8) & 0xff)
#define PMUCTL_TAG_CODE_BITS	     16
#define PMUCTL_REGISTER_NONE	     0
#define PMUCTL_REGISTER_ARM64_NARROW 32 /* add to the number of a 64-bit register */
#define PMUCTL_REGISTER_CYCLES	     0x80
#define PMUCTL_REGISTER_X86_FIXED    64

/*
 * One event on one CPU, on a cache line of its own (64 bytes). Written only on its own CPU and with
 * interrupts off, as far as tag, offset and prev go: a program on that CPU never sees a half-
 * written state of these, needs only compiler barriers, and has read well when it was on that CPU,
 * and the tag was the same, before and after.
 *
 * The count is, with RAW what the register named by the tag holds:
 *	64 bits wide		offset + RAW
 *	arm64, 32 bits wide	offset + (__u32)(RAW - prev)
 *	others, W bits wide	offset + RAW sign-extended from W bits
 *	no register		offset, if reason is PMUCTL_DISABLED or PMUCTL_OFFLINE; else
 *				that is a negative errno: -EAGAIN (ask by PMUCTL_IOC_READ), -EBUSY
 *				(not scheduled), -ENOENT (unused), or why it cannot be counted here
 *
 * The members from sequence on are the last value that the module has read, for readers on any CPU:
 * odd sequence means being written. A reader loads sequence (acquire), the members, and sequence
 * again (behind an acquire fence), and has them right when both are the same and even.
 */
struct pmuctl_slot {
	__u64 tag; /* upper 48 bits: changes whenever offset, prev or the register do */
	__u64 offset;
	__u32 prev;
	__u16 reason; /* enum pmuctl_reason */
	__s16 error; /* negative errno if reason is PMUCTL_UNSUPPORTED, else 0 */
	__u32 sequence;
	__u32 reserved;
	__u64 value; /* counts */
	__u64 time; /* when it was read: CLOCK_MONOTONIC, ns; 0: never */
	__u64 enabled; /* ns for which the event was to count on this CPU */
	__u64 running; /* ns for which it did count */
};

/* The state of a CPU (struct pmuctl_cpu.flags). */
#define PMUCTL_CPU_ONLINE  0x1
#define PMUCTL_CPU_ENABLED 0x2 /* counting is switched on: it counts when online */
#define PMUCTL_CPU_DIRECT  0x4 /* at least one event can be read by a register now */

/* The block of a CPU: this line, then a slot for each of PMUCTL_EVENTS_MAX events. */
struct pmuctl_cpu {
	__u32 cpu;
	__u32 flags; /* PMUCTL_CPU_... */
	__u64 ticks; /* of the publishing timer */
	__u64 mismatches; /* slots that the timer found wrong, and mended */
	__u64 probes; /* changes of registers that were published */
	__u64 reserved[4];
};

/* What an event counts, as in struct perf_event_attr (struct pmuctl_event.exclude). */
#define PMUCTL_EXCLUDE_USER   0x1
#define PMUCTL_EXCLUDE_KERNEL 0x2
#define PMUCTL_EXCLUDE_HV     0x4
#define PMUCTL_EXCLUDE_IDLE   0x8
#define PMUCTL_EXCLUDE_HOST   0x10
#define PMUCTL_EXCLUDE_GUEST  0x20
#define PMUCTL_EXCLUDE_ALL    0x3f

/*
 * The event table has PMUCTL_EVENTS_MAX of these; id 0: unused. Changes of the table are rare, and
 * guarded by struct pmuctl_area.events_sequence as the published value is by its own.
 */
struct pmuctl_event {
	__u32 id; /* never given twice while the module is loaded */
	__u32 type; /* this to config2: as in struct perf_event_attr, and as asked for */
	__u64 config;
	__u64 config1;
	__u64 config2;
	__u32 exclude; /* PMUCTL_EXCLUDE_... */
	__u32 reserved[7];
	char name[PMUCTL_NAME_MAX]; /* with a final zero */
};

/* States of the flight recorder (struct pmuctl_ring.state). */
enum pmuctl_ring_state {
	PMUCTL_RING_ABSENT = 0, /* nobody records */
	PMUCTL_RING_OFF = 1,
	PMUCTL_RING_RECORDING = 2,
	PMUCTL_RING_PAUSED = 3,
};

/*
 * The flight recorder, as its owner published it; guarded by sequence as the published value of a
 * slot is.
 */
struct pmuctl_ring {
	__u32 sequence;
	__u32 state; /* enum pmuctl_ring_state */
	__u64 bytes; /* of a ring, per CPU */
	__u64 records; /* recorded since the recorder started */
	__u64 lost; /* not recorded though they should have been */
	__u64 snapshots; /* taken since the recorder started */
	__u64 snapshot_time; /* of the last one: CLOCK_MONOTONIC, ns; 0: none */
	__u64 requested; /* number of the last request for a snapshot; not under sequence */
	__u64 handled; /* number of the last one the owner has dealt with; not under sequence */
	__u64 time; /* when the owner published this: CLOCK_MONOTONIC, ns; 0: never */
	__s32 owner; /* process id of the owner in the initial namespace; 0: none */
	__u32 reserved;
	__u64 reserved2[6];
};

/* What direct reads rest on (struct pmuctl_area.features, struct pmuctl_info.features). */
#define PMUCTL_FEATURE_PROBE 0x1 /* registers are followed: without it no slot is direct */
#define PMUCTL_FEATURE_CODE  0x2 /* there are read functions for this architecture */

/* The header of the shared area. */
struct pmuctl_area {
	__u64 magic; /* PMUCTL_MAGIC */
	__u32 abi_version;
	__u32 header_size; /* of this structure in the module's version */
	__u64 area_size; /* of the whole area, in bytes: a multiple of the page size */
	__u32 events_offset; /* from the start of the area, of the event table */
	__u32 event_size;
	__u32 cpus_offset; /* of the block of CPU 0 */
	__u32 cpu_shift; /* the block of CPU n is n << cpu_shift bytes further on */
	__u32 cpus; /* blocks: possible CPU numbers */
	__u32 slots_offset; /* in a CPU's block, of the slot of event 0 */
	__u32 slot_shift; /* the slot of event n is n << slot_shift bytes further on */
	__u32 events_max;
	__u32 events_sequence; /* odd while the event table is being changed */
	__u32 events; /* in the table */
	__u32 features; /* PMUCTL_FEATURE_... */
	__u32 reserved;
	__u64 period; /* of the publishing timer, which runs while somebody maps this; ns; 0: off */
	__u64 probes_missed; /* hits that the kernel had to skip; the timer mends the slots */
	__u64 reserved2[4];
	struct pmuctl_ring ring;
};

/*
 * The trigger page: storing a number other than 0 into any of its words asks for a snapshot. The
 * module notices within a period of its timer, sets the word back to 0 and counts one request,
 * however many stores there were. With the timer off it does not notice: mmap fails with
 * EOPNOTSUPP.
 */
#define PMUCTL_TRIGGER_WORDS 64

struct pmuctl_trigger {
	__u64 words[PMUCTL_TRIGGER_WORDS];
};

/*
 * ---- ioctls -------------------------------------------------------------------------------------
 * ---------------
 */

/*
 * Each takes a structure that begins with its size, as the caller knows it, and flags. A shorter
 * structure than the module's stands for one with zeros appended; of a longer one the rest must be
 * zero, else E2BIG. Below the size of version 1: EINVAL. Unknown flags, and reserved members that
 * are not zero: EINVAL. An unknown ioctl: ENOTTY. What an ioctl gives back is written as far as the
 * caller's size goes.
 *
 * Those marked (writes) want a descriptor opened for writing, else EBADF.
 */
#define PMUCTL_IOC 0xbc

/* What there is. No flags. */
struct pmuctl_info {
	__u32 size;
	__u32 flags;
	__u32 abi_version; /* out, as all that follow */
	__u32 features; /* PMUCTL_FEATURE_... */
	__u64 area_size; /* lengths of the mappings, in bytes */
	__u64 code_size; /* 0: there is no code page for this architecture */
	__u64 trigger_size; /* 0: the timer is off */
	__u32 cpus;
	__u32 events_max;
	__u32 events;
	__u32 reserved;
	__u64 period; /* of the publishing timer, ns */
};

#define PMUCTL_IOC_INFO _IOWR(PMUCTL_IOC, 0, struct pmuctl_info)

/*
 * Counts one more event on every CPU (writes, CAP_PERFMON). event: its number in the table, out. A
 * CPU that cannot count it has its slot marked; when none can, nothing is added and the error is
 * the kernel's (ENOENT, EOPNOTSUPP, EINVAL, …). EACCES: without CAP_PERFMON; EEXIST: the name is
 * taken; ENOSPC: the table is full; EINVAL: no name, a name with a character that is not printable
 * ASCII or is a space, or a type that is not for counting (tracepoints, breakpoints).
 */
struct pmuctl_event_add {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 type; /* as in struct perf_event_attr */
	__u32 exclude; /* PMUCTL_EXCLUDE_... */
	__u64 config;
	__u64 config1; /* arm64: bit 0, which asks for a 64-bit counter, is the module's affair */
	__u64 config2;
	__u32 event; /* out */
	__u32 id; /* out */
	char name[PMUCTL_NAME_MAX];
};

#define PMUCTL_IOC_EVENT_ADD _IOWR(PMUCTL_IOC, 1, struct pmuctl_event_add)

/*
 * Stops counting an event (writes, CAP_PERFMON). ENOENT: there is no such event, or it has another
 * id.
 */
struct pmuctl_event_remove {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 event;
	__u32 id; /* of the event; 0: whichever it is */
};

#define PMUCTL_IOC_EVENT_REMOVE _IOWR(PMUCTL_IOC, 2, struct pmuctl_event_remove)

/*
 * Switches counting on a CPU on or off (writes). ENXIO: there is no such CPU. An offline CPU keeps
 * it for when it is back.
 */
struct pmuctl_cpu_enable {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 cpu;
	__u32 enable; /* 1 or 0 */
};

#define PMUCTL_IOC_CPU_ENABLE _IOWR(PMUCTL_IOC, 3, struct pmuctl_cpu_enable)

/* A value and what stands beside it in the slot. */
struct pmuctl_value {
	__u64 value;
	__u64 time;
	__u64 enabled;
	__u64 running;
	__u16 reason; /* enum pmuctl_reason */
	__s16 error;
	__u32 event; /* its number */
};

/*
 * The value of one event on one CPU, read now on that CPU; of an offline or disabled one, the last.
 * ENXIO: there is no such CPU; ENOENT: no such event. An event that the CPU cannot count: that
 * error. EBUSY: the event has no counter at the moment; the value is filled in as it was when it
 * last had one.
 */
struct pmuctl_read_slot {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 cpu;
	__u32 event;
	struct pmuctl_value value; /* out */
};

#define PMUCTL_IOC_READ _IOWR(PMUCTL_IOC, 4, struct pmuctl_read_slot)

/*
 * All events of one CPU, read at one moment: those that the CPU cannot count or that are not
 * scheduled say so themselves.
 */
struct pmuctl_read_cpu {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 cpu;
	__u32 count; /* in: room for so many values; out: how many there are */
	__u64 values; /* address of an array of struct pmuctl_value */
};

#define PMUCTL_IOC_READ_CPU _IOWR(PMUCTL_IOC, 5, struct pmuctl_read_cpu)

/*
 * The owner of the flight recorder publishes its state (writes, CAP_PERFMON). The descriptor
 * becomes the owner's until it is closed; poll(2) on it then says POLLIN while there are requests
 * that are not handled. EBUSY: another descriptor is the owner's.
 */
struct pmuctl_ring_publish {
	__u32 size;
	__u32 flags; /* 0 */
	__u32 state; /* enum pmuctl_ring_state; PMUCTL_RING_ABSENT gives ownership up */
	__u32 reserved;
	__u64 bytes;
	__u64 records;
	__u64 lost;
	__u64 snapshots;
	__u64 snapshot_time;
	__u64 handled; /* from the last time to the last request, else EINVAL; not of a new owner */
	__u64 requested; /* out: number of the last request */
};

#define PMUCTL_IOC_RING_PUBLISH _IOWR(PMUCTL_IOC, 6, struct pmuctl_ring_publish)

#define PMUCTL_SNAPSHOT_WAIT 0x1 /* return when the owner has handled the request */

/*
 * Asks the owner of the flight recorder for a snapshot (writes). ENXIO: there is no owner, or it
 * went away. With PMUCTL_SNAPSHOT_WAIT: ETIMEDOUT, EINTR; the request stands all the same.
 */
struct pmuctl_snapshot {
	__u32 size;
	__u32 flags; /* PMUCTL_SNAPSHOT_WAIT */
	__u32 timeout; /* ms; 0 waits without end */
	__u32 reserved;
	__u64 request; /* out: its number */
};

#define PMUCTL_IOC_SNAPSHOT _IOWR(PMUCTL_IOC, 7, struct pmuctl_snapshot)

/*
 * ---- Offsets, for good
 * ------------------------------------------------------------------------------------------
 */

#define PMUCTL_ASSERT(condition) static_assert(condition, #condition)
#define PMUCTL_AT(type, member, offset) \
	PMUCTL_ASSERT(__builtin_offsetof(struct type, member) == (offset))

PMUCTL_AT(pmuctl_slot, tag, 0);
PMUCTL_AT(pmuctl_slot, offset, 8);
PMUCTL_AT(pmuctl_slot, prev, 16);
PMUCTL_AT(pmuctl_slot, reason, 20);
PMUCTL_AT(pmuctl_slot, error, 22);
PMUCTL_AT(pmuctl_slot, sequence, 24);
PMUCTL_AT(pmuctl_slot, value, 32);
PMUCTL_AT(pmuctl_slot, time, 40);
PMUCTL_AT(pmuctl_slot, enabled, 48);
PMUCTL_AT(pmuctl_slot, running, 56);
PMUCTL_ASSERT(sizeof(struct pmuctl_slot) == 64);
PMUCTL_AT(pmuctl_cpu, flags, 4);
PMUCTL_AT(pmuctl_cpu, mismatches, 16);
PMUCTL_ASSERT(sizeof(struct pmuctl_cpu) == 64);
PMUCTL_AT(pmuctl_event, config, 8);
PMUCTL_AT(pmuctl_event, exclude, 32);
PMUCTL_AT(pmuctl_event, name, 64);
PMUCTL_ASSERT(sizeof(struct pmuctl_event) == 128);
PMUCTL_AT(pmuctl_ring, bytes, 8);
PMUCTL_AT(pmuctl_ring, requested, 48);
PMUCTL_AT(pmuctl_ring, owner, 72);
PMUCTL_ASSERT(sizeof(struct pmuctl_ring) == 128);
PMUCTL_AT(pmuctl_area, header_size, 12);
PMUCTL_AT(pmuctl_area, area_size, 16);
PMUCTL_AT(pmuctl_area, cpus_offset, 32);
PMUCTL_AT(pmuctl_area, cpus, 40);
PMUCTL_AT(pmuctl_area, events_sequence, 56);
PMUCTL_AT(pmuctl_area, features, 64);
PMUCTL_AT(pmuctl_area, period, 72);
PMUCTL_AT(pmuctl_area, ring, 120);
PMUCTL_ASSERT(sizeof(struct pmuctl_area) == 248);
PMUCTL_ASSERT(sizeof(struct pmuctl_trigger) == 512);
PMUCTL_ASSERT(sizeof(struct pmuctl_info) == 64);
PMUCTL_ASSERT(sizeof(struct pmuctl_event_add) == 112);
PMUCTL_ASSERT(sizeof(struct pmuctl_event_remove) == 16);
PMUCTL_ASSERT(sizeof(struct pmuctl_cpu_enable) == 16);
PMUCTL_ASSERT(sizeof(struct pmuctl_value) == 40);
PMUCTL_ASSERT(sizeof(struct pmuctl_read_slot) == 56);
PMUCTL_ASSERT(sizeof(struct pmuctl_read_cpu) == 24);
PMUCTL_ASSERT(sizeof(struct pmuctl_ring_publish) == 72);
PMUCTL_ASSERT(sizeof(struct pmuctl_snapshot) == 24);

#undef PMUCTL_AT
#undef PMUCTL_ASSERT

#endif /* PMUCTL_H */
