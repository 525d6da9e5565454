// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many instructions a read takes, in a machine that can count them. `pmuctl-cost EVENT...`: a line for each way of
 * reading, `INSTRUCTIONS WAY EVENT`, net of the loop around it; the least of several rounds, since whatever else runs
 * makes some reads longer.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../kmod/uapi/pmuctl_code.h"

#define READS  10000L
#define ROUNDS 10

static struct pmuctl pmu;
static struct pmuctl_code code;
static int own; /* perf descriptor that is read by read(2) */

/* One loop for each way, all alike but for what is added up. */
#define LOOP(name, ...)                                                                \
	static __attribute__((noinline)) uint64_t name(long reads, unsigned int event) \
	{                                                                              \
		uint64_t sum = 0;                                                      \
		(void)event;                                                           \
		for (; reads; reads--) {                                               \
			sum += (uint64_t)(__VA_ARGS__);                                \
			__asm__ volatile("" : "+r"(sum));                              \
		}                                                                      \
		return sum;                                                            \
	}

static __attribute__((noinline)) int64_t call_read(unsigned int event)
{
	return pmuctl_read(&pmu, event);
}

static uint64_t read_descriptor(void)
{
	uint64_t value;

	return read(own, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

LOOP(empty, 0)
#if PMUCTL_HAVE_REGISTERS && defined(__aarch64__)
LOOP(raw, pmuctl_cycles_raw())
#endif
LOOP(direct, pmuctl_read(&pmu, event))
LOOP(called, call_read(event))
LOOP(fresh, pmuctl_read_fresh(&pmu, 0, event))
LOOP(descriptor, read_descriptor())

/* Of a CPU that this does not run on, found once. */
static __attribute__((noinline)) uint64_t published(long reads, unsigned int event)
{
	struct pmuctl_published place;
	struct pmuctl_value value;
	uint64_t sum = 0;

	if (pmuctl_find_published(&pmu, 1, event, &place))
		return 0;
	for (; reads; reads--) {
		if (pmuctl_read_published(&place, &value))
			return 0;
		sum += value.value;
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

/* By the code page; the address of the function is known beforehand, as for a linked one. */
static __attribute__((noinline)) uint64_t by_code(long reads, unsigned int event)
{
	const struct pmuctl_code_place place = pmuctl_code_place(&code, event);
	int64_t (*read_code)(const struct pmuctl_code_place *place) = code.read;
	uint64_t sum = 0;

	for (; reads; reads--) {
		sum += (uint64_t)read_code(&place);
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}

static const struct way {
	const char *name;
	uint64_t (*loop)(long reads, unsigned int event);
} ways[] = {
#if PMUCTL_HAVE_REGISTERS && defined(__aarch64__)
	{ "register", raw },
#endif
	{ "read", direct },	    { "read-called", called }, { "code", by_code },
	{ "published", published }, { "fresh", fresh },	       { "descriptor", descriptor },
};

static int count_instructions(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_INSTRUCTIONS };

	return (int)syscall(__NR_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* The least that the loop took, or 0 if it gave no value. */
static uint64_t least(uint64_t (*loop)(long reads, unsigned int event), long reads,
		      unsigned int event)
{
	uint64_t before, after, found = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		before = read_descriptor();
		if (!loop(reads, event) && loop != empty)
			return 0;
		after = read_descriptor();
		if (!found || after - before < found)
			found = after - before;
	}
	return found;
}

/* What is the same for every length of a loop, the reading of the count itself above all, is taken off by two lengths. */
static uint64_t per_thousand(uint64_t (*loop)(long reads, unsigned int event), unsigned int event)
{
	uint64_t more = least(loop, READS, event), less = least(loop, READS / 10, event);

	return more && less ? (more - less) * 1000 / (READS - READS / 10) : 0;
}

static void measure(const char *name, unsigned int event)
{
	uint64_t loop = per_thousand(empty, event);
	unsigned int i;

	for (i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		uint64_t took = per_thousand(ways[i].loop, event);

		if (took)
			printf("%" PRIu64 " %s %s\n", (took - loop + 500) / 1000, ways[i].name,
			       name);
		else
			printf("none %s %s\n", ways[i].name, name);
	}
}

int main(int argc, char **argv)
{
	int r = pmuctl_open(&pmu), i;

	if (!r)
		r = pmuctl_attach(&pmu);
	if (!r)
		r = pmuctl_map_code(&pmu, &code);
	own = count_instructions();
	if (r || own < 0) {
		printf("cannot measure: %s\n", strerrorname_np(r ? -r : errno));
		return 1;
	}
	for (i = 1; i < argc; i++) {
		int event = pmuctl_find(&pmu, argv[i]);

		if (event >= 0)
			measure(argv[i], (unsigned int)event);
		else
			printf("none any %s\n", argv[i]);
	}
	pmuctl_close(&pmu);
	return 0;
}
