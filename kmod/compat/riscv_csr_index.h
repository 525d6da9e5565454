/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which CSR holds an event on RISC-V, for kernels whose driver keeps it to itself: none is known.
 */
#ifndef PMUCTL_COMPAT_RISCV_CSR_INDEX_H
#define PMUCTL_COMPAT_RISCV_CSR_INDEX_H

#include <linux/errno.h>
#include <linux/perf/riscv_pmu.h>

/* CSR number less that of CSR_CYCLE, or negative. */
static inline int riscv_csr_index(struct riscv_pmu *pmu, struct perf_event *event)
{
#ifdef HAVE_RISCV_CSR_INDEX
	if (pmu->csr_index)
		return pmu->csr_index(event);
#endif
	return -EOPNOTSUPP;
}

#endif /* PMUCTL_COMPAT_RISCV_CSR_INDEX_H */
