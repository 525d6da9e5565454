/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The machine's CPUs, as sysfs lists them. Every path is below a root directory, "" on a real
 * machine and a made-up tree in tests.
 */
#ifndef PMUFS_CPU_CPUS_H
#define PMUFS_CPU_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"

/* As many as the kernel can be built for (CONFIG_NR_CPUS, at most 8192 on x86 with MAXSMP). */
#define CPUS_MAX 8192

struct cpu_mask {
	uint64_t bits[CPUS_MAX / 64];
};

static inline bool cpu_mask_has(const struct cpu_mask *mask, unsigned int cpu)
{
	return cpu < CPUS_MAX && (mask->bits[cpu / 64] >> (cpu % 64) & 1);
}

void cpu_mask_set(struct cpu_mask *mask, unsigned int cpu, bool on);
unsigned int cpu_mask_count(const struct cpu_mask *mask);
/* The first CPU at or above from, or CPUS_MAX when there is none. */
unsigned int cpu_mask_next(const struct cpu_mask *mask, unsigned int from);
/* Every CPU of mask is one of limit's too. */
bool cpu_mask_within(const struct cpu_mask *mask, const struct cpu_mask *limit);

#define cpu_mask_for_each(cpu, mask)                                    \
	for (unsigned int cpu = cpu_mask_next(mask, 0); cpu < CPUS_MAX; \
	     cpu = cpu_mask_next(mask, cpu + 1))

/*
 * The kernel's list format, "0-3,8,10-11" with an optional final newline; empty means no CPU.
 * -EINVAL for anything else (reversed or overlong ranges, junk), mask untouched.
 */
int cpu_list_parse(const char *text, struct cpu_mask *mask);

/* The same format, "0-3,8", without a newline; always terminated. Returns -ENOSPC if cut. */
int cpu_list_format(const struct cpu_mask *mask, char *out, size_t size);

/* The longest such list: every second CPU, four digits and a comma each; with newline and terminator. */
#define CPU_LIST_MAX (CPUS_MAX / 2 * 5 + 2)

/*
 * A file of sysfs that holds such a list. Unlike cpu_list_parse it insists on the final newline,
 * which the kernel always writes: without it the file is taken for truncated. Errors as cpus_read.
 */
int cpu_list_read(const char *path, struct cpu_mask *mask, struct refusal *why);

struct cpus {
	struct cpu_mask possible;
	struct cpu_mask online;
};

/*
 * Reads ROOT/sys/devices/system/cpu/{possible,online}. -EINVAL with the file named when one is
 * broken, truncated (no final newline) or longer than a mask can hold, when a CPU is online that
 * is not possible, or none is; the errno of open or read when there is no such file. On an error
 * *cpus is untouched.
 */
int cpus_read(const char *root, struct cpus *cpus, struct refusal *why);

#endif
