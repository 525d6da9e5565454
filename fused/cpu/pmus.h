/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMUs that the kernel offers in ROOT/sys/bus/event_source/devices, and which CPUs each serves.
 * A core PMU counts what a CPU executes; on a hybrid machine there is one for each core type. An
 * uncore PMU counts what a package or a chip does, on the CPUs that its `cpumask` names.
 */
#ifndef PMUFS_CPU_PMUS_H
#define PMUFS_CPU_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"
#include "cpu/cpus.h"

enum pmu_class {
	PMU_CORE, /* serves PERF_TYPE_HARDWARE and HW_CACHE on its CPUs */
	PMU_UNCORE, /* has a cpumask */
	PMU_SOFTWARE, /* software, tracepoint, breakpoint, msr, … : every CPU */
};

struct pmu {
	char *name;
	uint32_t type; /* perf_event_attr.type */
	enum pmu_class class;
	struct cpu_mask cpus; /* where an event of it can be opened */
	char *directory; /* its sysfs directory, root included */
};

struct pmus {
	struct pmu *list;
	size_t count;
};

/*
 * A PMU whose files are broken is left out with a log line and the others are kept; -ENOENT when
 * there is no event_source bus at all (no perf in this kernel). Core PMUs stand first, then all in
 * the order of their names.
 *
 * A core PMU is one with a `cpus` file (hybrid x86, arm64, arm), else one that owns
 * PERF_TYPE_RAW (x86 `cpu`, riscv `cpu`, powerpc, loongarch, …), else one of the table in pmus.c
 * (s390, whose type is a dynamic one).
 */
int pmus_read(const char *root, const struct cpus *cpus, struct pmus *pmus, struct refusal *why);
void pmus_free(struct pmus *pmus);

/*
 * Reads again which CPUs each PMU serves, after a CPU has come or gone: an uncore PMU moves to
 * another CPU of its package, and x86's hybrid PMUs list only CPUs that are online. The list itself
 * stays, so that pointers into it stay valid. A mask that cannot be read keeps its old value, with
 * a log line.
 */
void pmus_refresh(struct pmus *pmus, const struct cpus *cpus);

const struct pmu *pmus_find(const struct pmus *pmus, const char *name);
const struct pmu *pmus_find_type(const struct pmus *pmus, uint32_t type);
/* The core PMU that serves this CPU, or NULL: the machine (or guest) has no hardware PMU. */
const struct pmu *pmus_core(const struct pmus *pmus, unsigned int cpu);
/* More than one core PMU: a CPU may have events that another has not. */
bool pmus_hybrid(const struct pmus *pmus);

#endif
