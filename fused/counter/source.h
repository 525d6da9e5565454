/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where counts come from: perf_event_open (source_perf.c). The seam at which the kernel module will
 * join, and at which tests put made-up machines.
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
	int error; /* 0, or why there is no count: EBUSY pinned out, ENODEV, EIO, … negative */
};

struct counter_source_ops {
	const char *name; /* "perf_event_open", "pmuctl": shown in status */

	/*
	 * Makes a counter of attr on cpu in slot, at zero; it counts from the next start on. What
	 * already counts is not disturbed. Errors, each with the kernel's condition in why:
	 * -EOPNOTSUPP this PMU cannot count it, -EACCES, -EMFILE, -EBUSY somebody else holds the
	 * PMU, -ENODEV the CPU is not online, -ENOMEM. The slot is free then.
	 */
	int (*add)(struct counter_source *source, unsigned int cpu, unsigned int slot,
		   const struct event_attr *attr, struct refusal *why);
	/*
	 * Lets the counters that were added to cpu since the last start count. Those that were added
	 * together are on the PMU together, as far as it can, and are then read at one moment.
	 */
	void (*start)(struct counter_source *source, unsigned int cpu);
	/* The other counters lose nothing. An empty slot is left alone. */
	void (*remove)(struct counter_source *source, unsigned int cpu, unsigned int slot);

	/*
	 * One counter, by one system call. 0 or the reading's error; -ENOENT for an empty slot. As
	 * long as the counter is in its slot, its counts and times only grow.
	 */
	int (*read)(struct counter_source *source, unsigned int cpu, unsigned int slot,
		    struct source_reading *reading);
	/*
	 * Reads slots [0, count) of a CPU in as few calls to that CPU as there can be. Empty slots
	 * get -ENOENT.
	 */
	void (*read_cpu)(struct counter_source *source, unsigned int cpu,
			 struct source_reading *readings, size_t count);

	/*
	 * Lets the counters of a CPU, those to come included, count or stand still, their times with
	 * them. On from the beginning.
	 */
	int (*enable)(struct counter_source *source, unsigned int cpu, bool on);

	/* All counters of a CPU that has gone offline are released; what comes later is enabled. */
	void (*cpu_gone)(struct counter_source *source, unsigned int cpu);

	void (*free)(struct counter_source *source);
};

struct counter_source {
	const struct counter_source_ops *ops;
};

/*
 * source_perf.c: slots and CPUs grow as they are used. Raises the soft limit of open files to the
 * hard one. -ENOMEM.
 */
int source_perf_new(struct counter_source **ret);

#endif
