// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin CPU INSTRUCTIONS: executes a loop of a known number of instructions on one CPU, then prints how many
 * they were. spin CPU seconds SECONDS: keeps the CPU busy for that time.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A round is a decrement and a conditional branch, whatever the compiler would have made of it. */
#define INSTRUCTIONS_A_ROUND 2

static void rounds(uint64_t count)
{
#if defined(__aarch64__)
	__asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(count) : : "cc");
#elif defined(__x86_64__)
	__asm__ volatile("1: dec %0\n\tjnz 1b" : "+r"(count) : : "cc");
#else
#error "no loop for this architecture"
#endif
}

static int pin(unsigned int cpu)
{
	cpu_set_t *set = CPU_ALLOC(cpu + 1);
	size_t size = CPU_ALLOC_SIZE(cpu + 1);
	int r;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	r = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return r;
}

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void spin_seconds(double seconds)
{
	double end = now() + seconds;

	while (now() < end)
		rounds(100000);
}

int main(int argc, char **argv)
{
	bool timed = argc == 4 && strcmp(argv[2], "seconds") == 0;
	uint64_t instructions;
	int r;

	if (argc != 3 && !timed) {
		fprintf(stderr, "Usage: spin CPU INSTRUCTIONS | spin CPU seconds SECONDS\n");
		return 2;
	}
	r = pin((unsigned int)strtoul(argv[1], NULL, 10));
	if (r) {
		fprintf(stderr, "spin: cpu %s: %s\n", argv[1], strerror(-r));
		return 1;
	}
	if (timed) {
		spin_seconds(strtod(argv[3], NULL));
		return 0;
	}
	instructions = strtoull(argv[2], NULL, 10);
	if (instructions < INSTRUCTIONS_A_ROUND)
		instructions = INSTRUCTIONS_A_ROUND;
	rounds(instructions / INSTRUCTIONS_A_ROUND);
	printf("%llu\n",
	       (unsigned long long)(instructions / INSTRUCTIONS_A_ROUND * INSTRUCTIONS_A_ROUND));
	return 0;
}
