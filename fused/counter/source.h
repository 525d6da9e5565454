/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where counts come from: perf_event_open (source_perf.c) or the kernel module (source_pmuctl.c).
 * A source holds one counter for each CPU and slot; a slot is an event's place, the same on every
 * CPU, given by the counter set and used again after remove.
 *
 * All functions are called from one thread. Errors are negative errnos, never EAGAIN.
 */
#ifndef PMUFS_COUNTER_SOURCE_H
#define PMUFS_COUNTER_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"
#include "counter/scale.h"
#include "event/resolve.h"

struct counter_source;

/* A reading and how it went. */
struct source_reading {
	struct count count;
	int error; /* 0, or why there is no count: EBUSY pinned out, EOPNOTSUPP, EACCES, ENODEV … negative */
};

struct counter_source_ops {
	const char *name; /* "perf_event_open", "pmuctl": shown in status */

	/*
	 * Starts counting attr on cpu in slot; counts from zero. -EOPNOTSUPP: this PMU cannot count it;
	 * -EACCES, -EMFILE (why says how many descriptors are needed), -ENODEV: the CPU went away.
	 */
	int (*add)(struct counter_source *source, unsigned int cpu, unsigned int slot,
		   const struct event_attr *attr, struct refusal *why);
	void (*remove)(struct counter_source *source, unsigned int cpu, unsigned int slot);

	int (*read)(struct counter_source *source, unsigned int cpu, unsigned int slot,
		    struct source_reading *reading);
	/*
	 * Reads slots [0, count) of a CPU in as few calls to that CPU as there can be; events that were
	 * added together are read at one moment. Empty slots get -ENOENT.
	 */
	void (*read_cpu)(struct counter_source *source, unsigned int cpu,
			 struct source_reading *readings, size_t count);

	/* Lets the counters of a CPU count or stand still. */
	int (*enable)(struct counter_source *source, unsigned int cpu, bool on);

	/* All counters of a CPU that has gone offline are released. */
	void (*cpu_gone)(struct counter_source *source, unsigned int cpu);

	void (*free)(struct counter_source *source);
};

struct counter_source {
	const struct counter_source_ops *ops;
};

/* source_perf.c: slots and CPUs grow as they are used. */
int source_perf_new(struct counter_source **ret);

#endif
