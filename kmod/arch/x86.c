// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86: the number for RDPMC is in the event. How wide counters are is found out as the kernel does
 * it, which keeps its finding to itself and KVM.
 */
#include <asm/perf_event.h>
#include <asm/processor.h>

#include "arch.h"
#include "../compat/x86_cpuid.h"

/* Indices of the kernel's table of counters: general purpose, fixed, then some that are none. */
#define INDEX_FIXED	  INTEL_PMC_IDX_FIXED
#define INDEX_OTHERS	  (INTEL_PMC_IDX_FIXED + 16)
/* Reset by the kernel whenever metrics are read. */
#define INDEX_FIXED_SLOTS (INTEL_PMC_IDX_FIXED + 3)

#define CPUID_PMU 0xa
#define AMD_WIDTH 48

static unsigned int width_general;
static unsigned int width_fixed;

void arch_init(void)
{
	union cpuid10_eax eax;
	union cpuid10_edx edx;
	unsigned int ebx, ecx;

	if (boot_cpu_data.x86_vendor == X86_VENDOR_AMD ||
	    boot_cpu_data.x86_vendor == X86_VENDOR_HYGON) {
		width_general = AMD_WIDTH;
	} else if (boot_cpu_data.cpuid_level >= CPUID_PMU) {
		cpuid(CPUID_PMU, &eax.full, &ebx, &ecx, &edx.full);
		width_general = eax.split.bit_width;
		width_fixed = edx.split.bit_width_fixed;
	}
}

void arch_event_attr(struct perf_event_attr *attr)
{
}

static u16 code(unsigned int number, unsigned int width)
{
	return width ? arch_code(number, width) : 0;
}

u16 arch_event_register(struct perf_event *event, enum pmuctl_reason *reason)
{
	int index = event->hw.idx;
	int number = event->hw.event_base_rdpmc;

	*reason = PMUCTL_NO_USER_READS;
	if (index < 0 || index >= INDEX_OTHERS || index == INDEX_FIXED_SLOTS)
		return 0;
	if (index >= INDEX_FIXED)
		return code(1 + PMUCTL_REGISTER_X86_FIXED + index - INDEX_FIXED, width_fixed);
	if (number < 0 || number > 31)
		return 0;
	return code(1 + number, width_general);
}
