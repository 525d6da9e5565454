// SPDX-License-Identifier: GPL-2.0-only
/*
 * spin CPU INSTRUCTIONS [FILE]: executes a loop of a known number of instructions on one CPU, then
 * prints how many they were. With FILE, its content before and after the loop is printed first; the CPU has
 * then been busy for a while before the first read. spin CPU seconds SECONDS: keeps the CPU busy for that time.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* To memory: what happens to the output must not be between the loop and the second read. */
static size_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size);

	if (n < 0) {
		fprintf(stderr, "spin: %s: %s\n", path, strerror(errno));
		exit(1);
	}
	close(fd);
	return (size_t)n;
}

static void spin_instructions(uint64_t count, const char *file)
{
	static char before[65536], after[65536];
	size_t before_size, after_size;

	if (!file) {
		rounds(count);
		return;
	}
	rounds(count / 10 + 1);
	before_size = read_file(file, before, sizeof(before));
	rounds(count);
	after_size = read_file(file, after, sizeof(after));
	fwrite(before, 1, before_size, stdout);
	fwrite(after, 1, after_size, stdout);
}

int main(int argc, char **argv)
{
	bool timed = argc == 4 && strcmp(argv[2], "seconds") == 0;
	uint64_t count;
	int r;

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "Usage: spin CPU INSTRUCTIONS [FILE] | spin CPU seconds SECONDS\n");
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
	count = strtoull(argv[2], NULL, 10) / INSTRUCTIONS_A_ROUND;
	if (count < 1)
		count = 1;
	spin_instructions(count, argv[3]);
	printf("%llu\n", (unsigned long long)(count * INSTRUCTIONS_A_ROUND));
	return 0;
}
