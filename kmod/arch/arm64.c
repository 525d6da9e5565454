// SPDX-License-Identifier: GPL-2.0-only
/*
 * arm64: PMUv3. Registers are only ever read here (the ID register that tells the version of the
 * PMU); access from user space is the PMU driver's affair.
 */
#include <linux/cpu.h>
#include <linux/perf/arm_pmu.h>
#include <asm/perf_event.h>
#include <asm/sysreg.h>

#include "arch.h"
#include "../compat/arm64_counters.h"

/*
 * attr.config1, as /sys/bus/event_source/devices/armv8_pmuv3_0/format says: a 64-bit counter; read
 * by programs.
 */
#define CONFIG1_LONG	    BIT(0)
#define CONFIG1_USER_ACCESS BIT(1)

/* The common event number of CPU_CYCLES in the architecture. */
#define EVENT_CPU_CYCLES 0x11

/* ID_AA64DFR0_EL1.PMUVer, bits 11 to 8. */
#define PMUVER_V3P5  6 /* event counters have 64 bits */
#define PMUVER_V3P9  9 /* and a mask of those that programs may read */
#define PMUVER_OTHER 15

static unsigned int pmu_version(void)
{
	unsigned int version = (read_sysreg(id_aa64dfr0_el1) >> 8) & 15;

	return version == PMUVER_OTHER ? 0 : version;
}

static bool is_cycles(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE)
		return (u32)attr->config == PERF_COUNT_HW_CPU_CYCLES;
	return attr->type != PERF_TYPE_HW_CACHE && attr->config == EVENT_CPU_CYCLES;
}

void arch_init(void)
{
}

void arch_event_attr(struct perf_event_attr *attr)
{
	/*
	 * A kernel counter is not for the driver's user access, which would refuse chained counters
	 * and want a mapping.
	 */
	attr->config1 &= ~(CONFIG1_LONG | CONFIG1_USER_ACCESS);
	/*
	 * Without long event counters a 64-bit event takes two, which no program can read at once;
	 * the cycle counter is long.
	 */
	if (is_cycles(attr) || pmu_version() >= PMUVER_V3P5)
		attr->config1 |= CONFIG1_LONG;
}

u16 arch_event_register(struct perf_event *event, enum pmuctl_reason *reason)
{
	bool is_long = event->hw.flags & ARMPMU_EVT_64BIT;
	int index = event->hw.idx;

	*reason = PMUCTL_NO_USER_READS;
	if (ARM64_COUNTER_USER_MASK && pmu_version() >= PMUVER_V3P9)
		return 0;
	if (index == ARM64_INDEX_CYCLES)
		return is_long ? arch_code(PMUCTL_REGISTER_CYCLES, 64)
			       : arch_code(2 * PMUCTL_REGISTER_ARM64_NARROW, 32);
	index -= ARM64_INDEX_EVENT0;
	if (index < 0 || index > 30)
		return 0;
	if (!is_long)
		return arch_code(1 + index + PMUCTL_REGISTER_ARM64_NARROW, 32);
	if (pmu_version() >= PMUVER_V3P5)
		return arch_code(1 + index, 64);
	*reason = PMUCTL_CHAINED;
	return 0;
}
