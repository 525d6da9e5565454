/* SPDX-License-Identifier: GPL-2.0-only */
/* perf_event_open(2) for counting on one CPU, and what its errors mean to people. */
#ifndef PMUFS_COUNTER_SOURCE_PERF_OPEN_H
#define PMUFS_COUNTER_SOURCE_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/refusal.h"

/*
 * A close-on-exec descriptor that counts attr for everything on cpu, in the group led by leader
 * (-1: none), or an error as counter_source_ops.add lists them.
 */
int perf_open(const struct perf_event_attr *attr, unsigned int cpu, int leader,
	      struct refusal *why);

/* Sorts an errno (positive) of perf_event_open; cpu_online decides what ENODEV is about. */
int perf_open_error(int error, bool cpu_online, struct refusal *why);

#endif
