// SPDX-License-Identifier: GPL-2.0-only
/*
 * A C++ program that reads by the code page: `pmuctl-code EVENT READS`. Every value lies between two reads by ioctl, while
 * the thread is moved between CPUs. Prints TAP.
 */
#include <sched.h>
#include <stdlib.h>

#include "../../kmod/uapi/pmuctl_code.h"
#include "../tools/tap.h"

#define CPUS_MAX 64

static struct pmuctl pmu;
static struct pmuctl_code code;
static unsigned int event;

static void move(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* How many of the values are outside their bounds; *direct: how many there were. */
static long read_many(long reads, long *direct)
{
	const struct pmuctl_code_place place = pmuctl_code_place(&code, event);
	long wrong = 0;

	for (long i = 0; i < reads; i++) {
		unsigned int cpu = (unsigned int)i % 2;
		int64_t low, value, high;

		move(cpu);
		low = pmuctl_read_fresh(&pmu, cpu, event);
		value = code.read(&place);
		high = pmuctl_read_fresh(&pmu, cpu, event);
		*direct += value >= 0;
		wrong += value >= 0 && (value < low || value > high);
	}
	return wrong;
}

static void test_mapping()
{
	void *image = const_cast<char *>(code.image);

	tap(mprotect(image, code.size, PROT_READ | PROT_WRITE) != 0 && errno == EACCES,
	    "the page is never written");
	tap(mmap(nullptr, code.size, PROT_READ | PROT_WRITE, MAP_SHARED, pmu.fd, PMUCTL_MAP_CODE) ==
		    MAP_FAILED,
	    "nor mapped so");
	tap(pmuctl_code_symbol(code.image, "pmuctl_nothing") == nullptr,
	    "a symbol that there is not is not found");
}

int main(int argc, char **argv)
{
	struct pmuctl_code_place place;
	long direct = 0, wrong, reads = argc == 3 ? atol(argv[2]) : 0;
	int r;

	if (reads < 1) {
		fprintf(stderr, "Usage: pmuctl-code EVENT READS\n");
		return 2;
	}
	r = pmuctl_open(&pmu);
	if (!r)
		r = pmuctl_map_code(&pmu, &code);
	if (r) {
		printf("Bail out! %s\n", strerrorname_np(-r));
		return 1;
	}
	r = pmuctl_find(&pmu, argv[1]);
	tap(r >= 0, "%s is counted", argv[1]);
	event = static_cast<unsigned int>(r);
	place = pmuctl_code_place(&code, event);
	tap(code.read(&place) == -EAGAIN, "before it attaches a thread is told to ask");
	tap(pmuctl_attach(&pmu) == 0, "it attaches");
	place = pmuctl_code_place(&code, PMUCTL_EVENTS_MAX);
	tap(code.read(&place) == -EAGAIN, "an event that is none has no value");
	wrong = read_many(reads, &direct);
	tap(direct == reads, "it reads by register (%ld of %ld)", direct, reads);
	tap(wrong == 0, "none of its values is outside its bounds (%ld)", wrong);
	tap(code.cycles && code.cycles() != code.cycles(), "the bare cycle counter goes on");
	test_mapping();
	pmuctl_detach();
	pmuctl_unmap_code(&code);
	pmuctl_close(&pmu);
	return tap_done();
}
