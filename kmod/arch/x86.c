// SPDX-License-Identifier: GPL-2.0-only
/* x86: the number for RDPMC is in the event; widths are the kernel's own finding. */
#include <linux/cache.h>
#include <asm/perf_event.h>

#include "arch.h"

/*
 * Indices of the kernel's table of counters: general purpose, fixed, then some that are not
 * counters of their own.
 */
#define INDEX_FIXED INTEL_PMC_IDX_FIXED
#define INDEX_FIXED_SLOTS \
	(INTEL_PMC_IDX_FIXED + 3) /* reset by the kernel whenever metrics are read */
#define INDEX_OTHERS (INTEL_PMC_IDX_FIXED + 16)

void arch_event_attr(struct perf_event_attr *attr)
{
}

u16 arch_event_register(struct perf_event *event, enum pmuctl_reason *reason)
{
	struct x86_pmu_capability capability;
	int index = event->hw.idx;

	*reason = PMUCTL_NO_USER_READS;
	if (index < 0 || index >= INDEX_OTHERS || index == INDEX_FIXED_SLOTS)
		return 0;
	perf_get_x86_pmu_capability(&capability);
	if (index >= INDEX_FIXED)
		return arch_code(1 + PMUCTL_REGISTER_X86_FIXED + index - INDEX_FIXED,
				 capability.bit_width_fixed);
	if (event->hw.event_base_rdpmc < 0 || event->hw.event_base_rdpmc > 31)
		return 0;
	return arch_code(1 + event->hw.event_base_rdpmc, capability.bit_width_gp);
}
