// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads counters without a system call and checks each value. `pmuctl-reads EVENT READS [THREADS]`: every read lies between
 * two reads by ioctl of the CPU that it was made on, and the values of a CPU never go back. Threads are moved between CPUs
 * all the while. Prints TAP.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

#include "../../kmod/uapi/pmuctl_read.h"
#include "tap.h"

#define CPUS_MAX 64
/* Reads between two by ioctl. */
#define BURST	 50

static struct pmuctl pmu;
static unsigned int event;
static unsigned int cpus;
static long reads_each;
static atomic_bool stop;

struct reader {
	pthread_t thread;
	int attached;
	long direct;
	long slow;
	long wrong;
	long backwards;
	long retried; /* bursts whose bounds could not be had */
	int64_t low, value, high; /* of the first wrong one */
};

static bool bounds(int64_t *of)
{
	unsigned int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		of[cpu] = pmuctl_read_fresh(&pmu, cpu, event);
		if (of[cpu] < 0)
			return false;
	}
	return true;
}

struct burst {
	int64_t value[BURST];
	uint32_t cpu[BURST];
};

static void check(struct reader *reader, const struct burst *burst, int count, const int64_t *low,
		  const int64_t *high)
{
	int64_t last[CPUS_MAX] = { 0 };
	int i;

	for (i = 0; i < count; i++) {
		uint32_t cpu = burst->cpu[i];
		int64_t value = burst->value[i];

		if (cpu >= cpus || value < low[cpu] || value > high[cpu]) {
			if (!reader->wrong++) {
				reader->low = low[cpu % cpus];
				reader->value = value;
				reader->high = high[cpu % cpus];
			}
		} else {
			reader->backwards += value < last[cpu];
			last[cpu] = value;
		}
	}
}

static int read_burst(struct reader *reader, struct burst *burst)
{
	int i, count = 0;

	for (i = 0; i < BURST; i++) {
		burst->value[count] =
			pmuctl_read_registers(&pmuctl_thread.places[event], &burst->cpu[count]);
		if (burst->value[count] >= 0) {
			reader->direct++;
			count++;
		} else {
			reader->slow++;
		}
	}
	return count;
}

static void *read_all(void *argument)
{
	struct reader *reader = argument;
	int64_t low[CPUS_MAX], high[CPUS_MAX];
	struct burst burst;
	int count;

	reader->attached = pmuctl_attach(&pmu);
	while (!reader->attached && reader->direct + reader->slow < reads_each) {
		if (!bounds(low)) {
			reader->retried++;
			reader->slow++;
			continue;
		}
		count = read_burst(reader, &burst);
		if (bounds(high))
			check(reader, &burst, count, low, high);
		else
			reader->retried++;
	}
	pmuctl_detach();
	return NULL;
}

static void move(pthread_t thread, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(thread, sizeof(set), &set);
}

struct mover {
	struct reader *readers;
	int count;
};

static void *move_all(void *argument)
{
	const struct mover *mover = argument;
	const struct timespec pause = { .tv_nsec = 300000 };
	unsigned int round = 0;
	int i;

	for (round = 0; !stop; round++) {
		for (i = 0; i < mover->count; i++)
			move(mover->readers[i].thread, (round + (unsigned int)i) % cpus);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void report(const struct reader *reader, int number)
{
	if (reader->attached) {
		tap(false, "thread %d attaches: %s", number, strerrorname_np(-reader->attached));
		return;
	}
	tap(reader->direct >= reads_each / 2, "thread %d reads by register (%ld, %ld not)", number,
	    reader->direct, reader->slow);
	tap(!reader->wrong, "none of its values is outside its bounds (%ld)", reader->wrong);
	if (reader->wrong)
		printf("# %lld not in %lld to %lld\n", (long long)reader->value,
		       (long long)reader->low, (long long)reader->high);
	tap(!reader->backwards, "none goes back (%ld)", reader->backwards);
}

static void run(int threads)
{
	struct reader readers[8] = { 0 };
	struct mover mover = { readers, threads };
	pthread_t moving;
	int i;

	for (i = 0; i < threads; i++)
		pthread_create(&readers[i].thread, NULL, read_all, &readers[i]);
	pthread_create(&moving, NULL, move_all, &mover);
	for (i = 0; i < threads; i++)
		pthread_join(readers[i].thread, NULL);
	stop = true;
	pthread_join(moving, NULL);
	for (i = 0; i < threads; i++)
		report(&readers[i], i);
}

int main(int argc, char **argv)
{
	int threads = argc > 3 ? atoi(argv[3]) : 2;
	int r;

	if (argc < 3 || threads < 1 || threads > 8) {
		fprintf(stderr, "Usage: pmuctl-reads EVENT READS [THREADS]\n");
		return 2;
	}
	r = pmuctl_open(&pmu);
	if (r) {
		printf("Bail out! /dev/pmuctl: %s\n", strerrorname_np(-r));
		return 1;
	}
	cpus = pmu.area->cpus < CPUS_MAX ? pmu.area->cpus : CPUS_MAX;
	r = pmuctl_find(&pmu, argv[1]);
	tap(r >= 0, "%s is counted", argv[1]);
	event = (unsigned int)r;
	tap(r >= 0 && pmuctl_read(&pmu, event) > 0,
	    "before it attaches, a thread has a value, too");
	reads_each = atol(argv[2]) / threads;
	if (r >= 0)
		run(threads);
	pmuctl_close(&pmu);
	return tap_done();
}
