/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A made-up source of counts, for what the machine at hand cannot do: CPUs by the hundred, hotplug,
 * multiplexing, counters that are lost. Time passes and counts come as the test says.
 */
#ifndef PMUFS_TESTS_FAKE_SOURCE_H
#define PMUFS_TESTS_FAKE_SOURCE_H

#include "counter/source.h"

#define FAKE_CPUS  256
#define FAKE_SLOTS 64

struct fake_counter {
	bool taken;
	bool started;
	struct perf_event_attr attr;
	struct count count;
	int error; /* what a read gives; 0 */
};

struct fake_source {
	struct counter_source source; /* first */
	struct fake_counter counters[FAKE_CPUS][FAKE_SLOTS];
	bool disabled[FAKE_CPUS];
	unsigned int open; /* counters that are taken */
	unsigned int limit; /* add gives EMFILE when that many are taken; 0: none */
	int refuses; /* what add gives for type refused_type, negative; 0 */
	uint32_t refused_type;
	unsigned int adds, removes, starts, reads, cpu_reads; /* calls so far */
};

/* Free it through its ops, as any other. */
struct fake_source *fake_source_new(void);

/*
 * Lets enabled ns pass on a CPU for one slot, running ns of them on the PMU, at so many counts a
 * ns; nothing happens where it is not started, or the CPU is disabled.
 */
void fake_source_run(struct fake_source *fake, unsigned int cpu, unsigned int slot,
		     uint64_t enabled, uint64_t running, uint64_t rate);

#endif
