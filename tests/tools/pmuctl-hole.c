// SPDX-License-Identifier: GPL-2.0-only
/*
 * Forces what a reader must not fall for: it is moved to another CPU between loading the slot and reading the register, and
 * back before it looks whether the slot is still the same. `pmuctl-hole EVENT ROUNDS`: the same code once in a restartable
 * sequence and once with the kernel not knowing of it. A tracer stops the reader at its very instructions. CPU 1 has counted
 * the event for less long than CPU 0 by seconds. Prints TAP.
 */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "../../kmod/uapi/pmuctl_read.h"
#include "tap.h"

#ifdef __aarch64__

#define BREAKPOINT 0xd4200000u

/* What the reader has found, for the tracer. */
struct found {
	int error;
	long wrong;
	long reads;
};

static struct found *found;

static __attribute__((noinline)) int64_t read_once(const struct pmuctl_place *place)
{
	uint32_t cpu;

	return pmuctl_read_registers(place, &cpu);
}

/* The read of the cycle counter behind which the slot is looked at again: mrs, then ldr. */
static uint32_t *find_register_read(void)
{
	uint32_t *code = (uint32_t *)(uintptr_t)read_once;
	int i;

	for (i = 0; i < 1024; i++) {
		if ((code[i] & ~31u) == 0xd53b9d00 && (code[i + 1] & 0xffc00000) == 0xf9400000)
			return &code[i];
	}
	return NULL;
}

static void move(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(pid, sizeof(set), &set);
}

static void read_rounds(struct pmuctl *pmu, unsigned int event, const struct pmuctl_place *place,
			long rounds)
{
	int64_t low, value, high;

	for (; found->reads < rounds; found->reads++) {
		low = pmuctl_read_fresh(pmu, 0, event);
		raise(SIGSTOP);
		value = read_once(place);
		high = pmuctl_read_fresh(pmu, 0, event);
		found->wrong += value < low || value > high;
	}
}

static void be_reader(const char *name, bool restartable, long rounds)
{
	/* As an rseq area of a thread on CPU 0, but none that the kernel has been told of. */
	static uint32_t unknown[8];
	struct pmuctl_place place;
	struct pmuctl pmu;
	int event;

	move(0, 0);
	found->error = pmuctl_open(&pmu);
	if (!found->error)
		found->error = pmuctl_attach(&pmu);
	event = found->error ? 0 : pmuctl_find(&pmu, name);
	if (event < 0)
		found->error = event;
	if (!found->error) {
		place = pmuctl_thread.places[event];
		if (!restartable)
			place.rseq = unknown;
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		read_rounds(&pmu, (unsigned int)event, &place, rounds);
	}
	_exit(0);
}

static long replace(pid_t pid, uint32_t *at, uint32_t instruction)
{
	uintptr_t word = (uintptr_t)at & ~(uintptr_t)7;
	uint64_t old = (uint64_t)ptrace(PTRACE_PEEKTEXT, pid, word, NULL);
	unsigned int shift = ((uintptr_t)at & 4) * 8;

	return ptrace(PTRACE_POKETEXT, pid, word,
		      (old & ~(0xffffffffULL << shift)) | (uint64_t)instruction << shift);
}

/* Goes on until the instruction, once. */
static bool run_to(pid_t pid, uint32_t *at)
{
	uint32_t instruction = *at;
	int status;

	replace(pid, at, BREAKPOINT);
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	waitpid(pid, &status, 0);
	replace(pid, at, instruction);
	return WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
}

/* Each time the reader stops before a read. Returns how often it was moved away and back. */
static long trace(pid_t pid)
{
	uint32_t *reads = find_register_read();
	long moved = 0;
	int status;

	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (reads && run_to(pid, reads)) {
			move(pid, 1);
			if (run_to(pid, reads + 1))
				moved++;
			move(pid, 0);
		}
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	return moved;
}

static long force(const char *event, bool restartable, long rounds)
{
	long moved;
	pid_t pid;

	memset(found, 0, sizeof(*found));
	pid = fork();
	if (!pid)
		be_reader(event, restartable, rounds);
	moved = trace(pid);
	tap(!found->error && found->reads == rounds && moved == rounds,
	    "%s: moved away and back in each of %ld reads (%ld)",
	    restartable ? "in a restartable sequence" : "outside one", rounds, moved);
	if (found->error)
		printf("# %s\n", strerrorname_np(-found->error));
	return found->wrong;
}

int main(int argc, char **argv)
{
	long rounds = argc == 3 ? atol(argv[2]) : 0, wrong;

	if (rounds < 1) {
		fprintf(stderr, "Usage: pmuctl-hole EVENT ROUNDS\n");
		return 2;
	}
	found = mmap(NULL, sizeof(*found), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (found == MAP_FAILED)
		return 2;
	wrong = force(argv[1], false, rounds);
	tap(wrong == rounds, "without one every value is wrong (%ld)", wrong);
	wrong = force(argv[1], true, rounds);
	tap(wrong == 0, "with one none is (%ld)", wrong);
	return tap_done();
}

#else

int main(void)
{
	puts("1..0 # skip: made for arm64");
	return 0;
}

#endif
