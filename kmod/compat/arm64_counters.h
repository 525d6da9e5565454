/* SPDX-License-Identifier: GPL-2.0-only */
/* How the arm64 PMU driver numbers its counters, and what it lets programs read. */
#ifndef PMUCTL_COMPAT_ARM64_COUNTERS_H
#define PMUCTL_COMPAT_ARM64_COUNTERS_H

#include <linux/types.h>

#ifdef HAVE_CYCLE_INDEX_LAST
#define ARM64_INDEX_CYCLES 31
#define ARM64_INDEX_EVENT0 0
#else
#define ARM64_INDEX_CYCLES 0
#define ARM64_INDEX_EVENT0 1
#endif

/* Where PMUv3.9 is used to the full, a program may read the registers of its own events alone. */
#ifdef HAVE_COUNTER_USER_MASK
#define ARM64_COUNTER_USER_MASK true
#else
#define ARM64_COUNTER_USER_MASK false
#endif

#endif /* PMUCTL_COMPAT_ARM64_COUNTERS_H */
