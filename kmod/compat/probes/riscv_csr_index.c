// SPDX-License-Identifier: GPL-2.0-only
/* The RISC-V driver says which CSR holds an event. */
#include <linux/perf/riscv_pmu.h>

u8 probe(struct riscv_pmu *pmu, struct perf_event *event);

u8 probe(struct riscv_pmu *pmu, struct perf_event *event)
{
	return pmu->csr_index(event);
}
