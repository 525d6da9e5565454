// SPDX-License-Identifier: GPL-2.0-only
/* See generic.h. Numbers are those of linux/perf_event.h, which are part of the kernel's ABI. */
#include "event/generic.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX      6
#define CACHE_NAME_MAX 64
#define COUNT(array)   (sizeof(array) / sizeof((array)[0]))

static const struct {
	uint32_t type;
	uint64_t config;
	const char *names[NAMES_MAX];
} events[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, { "cpu-cycles", "cycles" } },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, { "instructions" } },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, { "cache-references" } },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, { "cache-misses" } },
	{ PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
	  { "branch-instructions", "branches" } },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, { "branch-misses" } },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, { "bus-cycles" } },
	{ PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_FRONTEND,
	  { "stalled-cycles-frontend", "idle-cycles-frontend" } },
	{ PERF_TYPE_HARDWARE,
	  PERF_COUNT_HW_STALLED_CYCLES_BACKEND,
	  { "stalled-cycles-backend", "idle-cycles-backend" } },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, { "ref-cycles" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, { "cpu-clock" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, { "task-clock" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, { "page-faults", "faults" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, { "context-switches", "cs" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, { "cpu-migrations", "migrations" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, { "minor-faults" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, { "major-faults" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, { "alignment-faults" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, { "emulation-faults" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, { "dummy" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, { "bpf-output" } },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, { "cgroup-switches" } },
};

/* A part of a cache event's name: its number in config and its spellings, perf list's first. */
struct part {
	unsigned int number;
	const char *names[NAMES_MAX];
	unsigned int operations; /* caches only: those that make sense, bits by number */
};

#define OP(name) (1U << PERF_COUNT_HW_CACHE_OP_##name)

static const struct part caches[] = {
	{ PERF_COUNT_HW_CACHE_L1D,
	  { "L1-dcache", "l1-d", "l1d", "L1-data" },
	  OP(READ) | OP(WRITE) | OP(PREFETCH) },
	{ PERF_COUNT_HW_CACHE_L1I,
	  { "L1-icache", "l1-i", "l1i", "L1-instruction" },
	  OP(READ) | OP(PREFETCH) },
	{ PERF_COUNT_HW_CACHE_LL, { "LLC", "L2" }, OP(READ) | OP(WRITE) | OP(PREFETCH) },
	{ PERF_COUNT_HW_CACHE_DTLB,
	  { "dTLB", "d-tlb", "Data-TLB" },
	  OP(READ) | OP(WRITE) | OP(PREFETCH) },
	{ PERF_COUNT_HW_CACHE_ITLB, { "iTLB", "i-tlb", "Instruction-TLB" }, OP(READ) },
	{ PERF_COUNT_HW_CACHE_BPU, { "branch", "bpu", "btb", "bpc" }, OP(READ) },
	{ PERF_COUNT_HW_CACHE_NODE, { "node" }, OP(READ) | OP(WRITE) | OP(PREFETCH) },
};

/* perf list spells an access by the plural of the operation, a miss by its singular. */
static const struct part operations[] = {
	{ PERF_COUNT_HW_CACHE_OP_READ, { "loads", "load", "read" }, 0 },
	{ PERF_COUNT_HW_CACHE_OP_WRITE, { "stores", "store", "write" }, 0 },
	{ PERF_COUNT_HW_CACHE_OP_PREFETCH,
	  { "prefetches", "prefetch", "speculative-read", "speculative-load" },
	  0 },
};

static const struct part results[] = {
	{ PERF_COUNT_HW_CACHE_RESULT_ACCESS, { "refs", "Reference", "ops", "access" }, 0 },
	{ PERF_COUNT_HW_CACHE_RESULT_MISS, { "misses", "miss" }, 0 },
};

static const struct {
	const char *name, *why;
} uncountable[] = {
	{ "duration_time", "is the time perf itself ran: read a clock instead" },
	{ "user_time", "is the time of perf's own command: see cpu-clock:u" },
	{ "system_time", "is the time of perf's own command: see cpu-clock:k" },
	{ "mem", "sets a breakpoint, which counts nothing of a CPU's" },
};

/* The part of which name is a spelling, whole or up to a '-'; moves *name behind both. */
static const struct part *take_part(const struct part *parts, size_t count, const char **name)
{
	const struct part *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < count; i++) {
		for (size_t n = 0; n < NAMES_MAX && parts[i].names[n]; n++) {
			size_t length = strlen(parts[i].names[n]);

			if (length <= longest || strncmp(*name, parts[i].names[n], length) ||
			    ((*name)[length] && (*name)[length] != '-'))
				continue;
			longest = length;
			found = &parts[i];
		}
	}
	if (found) {
		*name += longest;
		/* "LLC-" is half a name: leave the '-' to be stumbled over */
		if ((*name)[0] == '-' && (*name)[1])
			++*name;
	}
	return found;
}

static int find_cache(const char *name, struct generic_event *event)
{
	const struct part *cache = take_part(caches, COUNT(caches), &name);
	const struct part *operation = NULL, *result = NULL;
	unsigned int op;

	if (!cache)
		return -ENOENT;
	/* either may be left out, and they may come in either order */
	while (*name) {
		const struct part *part = NULL;

		if (!operation)
			operation = part = take_part(operations, COUNT(operations), &name);
		if (!part && !result)
			result = part = take_part(results, COUNT(results), &name);
		if (!part)
			return -ENOENT;
	}
	op = operation ? operation->number : PERF_COUNT_HW_CACHE_OP_READ;
	if (!(cache->operations & 1U << op))
		return -EINVAL;
	*event = (struct generic_event){
		.type = PERF_TYPE_HW_CACHE,
		.config = cache->number | op << 8 |
			  (result ? result->number : PERF_COUNT_HW_CACHE_RESULT_ACCESS) << 16,
	};
	return 0;
}

int generic_find(const char *name, struct generic_event *event)
{
	for (size_t i = 0; i < COUNT(events); i++) {
		for (size_t n = 0; n < NAMES_MAX && events[i].names[n]; n++) {
			if (strcmp(name, events[i].names[n]))
				continue;
			*event = (struct generic_event){ .type = events[i].type,
							 .config = events[i].config,
							 .symbol = events[i].names[0] };
			return 0;
		}
	}
	return find_cache(name, event);
}

static int each_cache(generic_name *each, void *context)
{
	for (size_t c = 0; c < COUNT(caches); c++) {
		for (size_t o = 0; o < COUNT(operations); o++) {
			char name[CACHE_NAME_MAX];
			int answer;

			if (!(caches[c].operations & 1U << operations[o].number))
				continue;
			snprintf(name, sizeof(name), "%s-%s", caches[c].names[0],
				 operations[o].names[0]);
			answer = each(context, name);
			if (answer)
				return answer;
			snprintf(name, sizeof(name), "%s-%s-misses", caches[c].names[0],
				 operations[o].names[1]);
			answer = each(context, name);
			if (answer)
				return answer;
		}
	}
	return 0;
}

int generic_each(generic_name *each, void *context)
{
	for (size_t i = 0; i < COUNT(events); i++) {
		for (size_t n = 0; n < NAMES_MAX && events[i].names[n]; n++) {
			int answer = each(context, events[i].names[n]);

			if (answer)
				return answer;
		}
	}
	return each_cache(each, context);
}

const char *generic_uncountable(const char *name)
{
	for (size_t i = 0; i < COUNT(uncountable); i++) {
		if (!strcmp(name, uncountable[i].name))
			return uncountable[i].why;
	}
	return NULL;
}
