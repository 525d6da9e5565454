// SPDX-License-Identifier: GPL-2.0-only
/*
 * riscv64: programs may read the CSRs cycle and instret where kernel.perf_user_access is 2; of
 * other counters only those of their own mapped events, which is no use here.
 */
#include "arch.h"
#include "../compat/riscv_csr_index.h"

#define CSR_INDEX_CYCLE	  0
#define CSR_INDEX_INSTRET 2

void arch_init(void)
{
}

void arch_event_attr(struct perf_event_attr *attr)
{
}

u16 arch_event_register(struct perf_event *event, enum pmuctl_reason *reason)
{
	struct riscv_pmu *pmu = to_riscv_pmu(event->pmu);
	int index = riscv_csr_index(pmu, event);

	*reason = PMUCTL_NO_USER_READS;
	if (index != CSR_INDEX_CYCLE && index != CSR_INDEX_INSTRET)
		return 0;
	/* The driver gives the number of the highest bit. */
	return arch_code(1 + index, pmu->ctr_get_width(event->hw.idx) + 1);
}
