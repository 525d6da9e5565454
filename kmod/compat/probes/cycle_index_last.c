// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arm64 driver numbers counters as the registers are: the cycle counter is the last, not the
 * first.
 */
#include <linux/build_bug.h>
#include <linux/perf/arm_pmuv3.h>

static_assert(ARMV8_PMU_CYCLE_IDX == 31);
