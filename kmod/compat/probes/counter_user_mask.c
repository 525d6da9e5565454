// SPDX-License-Identifier: GPL-2.0-only
/*
 * The arm64 driver uses the user access mask of PMUv3.9: a program reads the registers of its own
 * events and no other.
 */
#include <linux/build_bug.h>
#include <linux/perf/arm_pmuv3.h>

static_assert(ARMV8_PMU_USERENR_UEN);
