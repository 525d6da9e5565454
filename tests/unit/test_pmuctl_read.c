// SPDX-License-Identifier: GPL-2.0-only
/*
 * The reader of /dev/pmuctl against made-up slots: no register is named, so that the count is what the slot of the CPU says.
 * Restartable sequences are the real ones: a wrong signature or a wrong address there kills the program.
 */
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "../../kmod/uapi/pmuctl_read.h"

#define CPUS	1024
#define MILLION 1000000L

/* Slots of one event, a CPU's block each. */
static char *blocks;

static struct pmuctl_slot *slot(unsigned int cpu)
{
	return (struct pmuctl_slot *)(blocks + ((size_t)cpu << PMUCTL_CPU_SHIFT));
}

static int make_blocks(void **state)
{
	unsigned int cpu;

	(void)state;
	blocks = aligned_alloc(4096, (size_t)CPUS << PMUCTL_CPU_SHIFT);
	if (!blocks)
		return -1;
	for (cpu = 0; cpu < CPUS; cpu++) {
		slot(cpu)->tag = 0;
		slot(cpu)->offset = MILLION + cpu;
	}
	return 0;
}

static int free_blocks(void **state)
{
	(void)state;
	free(blocks);
	return 0;
}

static struct pmuctl_place own_place(void)
{
	struct pmuctl_place place = { slot(0), pmuctl_find_rseq() };

	if (!place.rseq || !PMUCTL_HAVE_REGISTERS) {
		print_message("# skip: no restartable sequences here\n");
		skip();
	}
	return place;
}

static void the_slot_is_that_of_the_cpu(void **state)
{
	const struct pmuctl_place place = own_place();
	cpu_set_t all, one;
	unsigned int cpu;
	uint32_t said;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	for (cpu = 0; cpu < CPU_SETSIZE && cpu < CPUS; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
		assert_int_equal(pmuctl_read_registers(&place, &said), MILLION + cpu);
		assert_int_equal(said, cpu);
	}
	sched_setaffinity(0, sizeof(all), &all);
}

static void an_error_in_the_slot_is_negative(void **state)
{
	const struct pmuctl_place place = own_place();
	unsigned int cpu;
	uint32_t said;

	(void)state;
	for (cpu = 0; cpu < CPUS; cpu++)
		slot(cpu)->offset = (uint64_t)-EBUSY;
	assert_int_equal(pmuctl_read_registers(&place, &said), -EBUSY);
}

static volatile sig_atomic_t flips;

/* What an interrupt does: all slots say something else, and their tags with them. */
static void flip(int signal)
{
	unsigned int cpu;

	(void)signal;
	flips++;
	for (cpu = 0; cpu < 64; cpu++) {
		slot(cpu)->offset = MILLION * (uint64_t)(flips + 1) + cpu;
		slot(cpu)->tag = (uint64_t)flips << PMUCTL_TAG_CODE_BITS;
	}
}

static void a_read_that_is_interrupted_is_made_again(void **state)
{
	const struct itimerval often = { { 0, 50 }, { 0, 50 } };
	const struct itimerval never = { 0 };
	const struct pmuctl_place place = own_place();
	int64_t count, last = 0;
	long reads, wrong = 0;
	uint32_t cpu;

	(void)state;
	signal(SIGALRM, flip);
	flip(0);
	setitimer(ITIMER_REAL, &often, NULL);
	for (reads = 0; reads < 3 * MILLION || flips < 1000; reads++) {
		int before = flips;

		count = pmuctl_read_registers(&place, &cpu);
		/* Of this CPU, and of a time between before and now. */
		wrong += count % MILLION != cpu || count / MILLION < before + 1 ||
			 count / MILLION > flips + 1 || count / MILLION < last;
		last = count / MILLION;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	signal(SIGALRM, SIG_DFL);
	assert_int_equal(wrong, 0);
}

static void without_attaching_a_read_is_a_system_call(void **state)
{
	struct pmuctl pmu = { .fd = -1 };

	(void)state;
	pmuctl_detach();
	assert_int_equal(pmuctl_read(&pmu, 0), -EBADF);
	assert_int_equal(pmuctl_attach(&pmu), -EOPNOTSUPP);
}

static void a_number_that_is_no_event_is_not_looked_up(void **state)
{
	const struct pmuctl_place place = own_place();
	struct pmuctl pmu = { .fd = -1 };

	(void)state;
	pmuctl_place_all(place.slot, place.rseq);
	assert_int_equal(pmuctl_read(&pmu, 0) / MILLION, 1);
	assert_int_equal(pmuctl_read(&pmu, PMUCTL_EVENTS_MAX), -EBADF);
	assert_int_equal(pmuctl_read(&pmu, (unsigned int)-ENOENT), -EBADF);
	pmuctl_place_all(NULL, NULL);
	assert_int_equal(pmuctl_read(&pmu, 0), -EBADF);
}

static void *read_unattached(void *argument)
{
	static const struct pmuctl pmu = { .fd = -1 };

	*(int64_t *)argument = pmuctl_read(&pmu, 0);
	return NULL;
}

static void another_thread_and_a_child_do_not_read_registers(void **state)
{
	const struct pmuctl_place place = own_place();
	struct pmuctl pmu;
	int64_t count = 0;
	pthread_t thread;
	int status = -1;
	pid_t child;

	(void)state;
	/* Without a device this fails, but watches for children. */
	if (!pmuctl_open(&pmu))
		pmuctl_close(&pmu);
	pmuctl_place_all(place.slot, place.rseq);
	assert_int_equal(pthread_create(&thread, NULL, read_unattached, &count), 0);
	pthread_join(thread, NULL);
	assert_int_equal(count, -EBADF);
	child = fork();
	if (!child) {
		read_unattached(&count);
		_exit(count != -EBADF);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	pmuctl_place_all(NULL, NULL);
}

static void a_published_value_is_checked_for_its_reason(void **state)
{
	static struct {
		struct pmuctl_area area;
		struct pmuctl_cpu cpu;
		struct pmuctl_slot slots[2];
	} made = {
		.area = {
			.cpus = 1,
			.cpus_offset = sizeof(struct pmuctl_area),
			.cpu_shift = PMUCTL_CPU_SHIFT,
			.slots_offset = sizeof(struct pmuctl_cpu),
			.slot_shift = PMUCTL_SLOT_SHIFT,
			.events_max = 2,
		},
		.slots = {
			{ .value = 42, .time = 7, .reason = PMUCTL_SOFTWARE, .sequence = 2 },
			{ .reason = PMUCTL_UNSUPPORTED, .error = -ENOENT },
		},
	};
	struct pmuctl pmu = { .fd = -1, .area = &made.area };
	struct pmuctl_value value;

	(void)state;
	assert_int_equal(pmuctl_read_cpu(&pmu, 0, 0, &value), 0);
	assert_int_equal(value.value, 42);
	assert_int_equal(value.time, 7);
	assert_int_equal(value.event, 0);
	assert_int_equal(pmuctl_read_cpu(&pmu, 0, 1, &value), -ENOENT);
	assert_int_equal(pmuctl_read_cpu(&pmu, 1, 0, &value), -ENXIO);
	assert_int_equal(pmuctl_read_cpu(&pmu, 0, 2, &value), -ENOENT);
	made.slots[0].reason = PMUCTL_NOT_SCHEDULED;
	assert_int_equal(pmuctl_read_cpu(&pmu, 0, 0, &value), -EBUSY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_slot_is_that_of_the_cpu, make_blocks,
						free_blocks),
		cmocka_unit_test_setup_teardown(an_error_in_the_slot_is_negative, make_blocks,
						free_blocks),
		cmocka_unit_test_setup_teardown(a_read_that_is_interrupted_is_made_again,
						make_blocks, free_blocks),
		cmocka_unit_test(without_attaching_a_read_is_a_system_call),
		cmocka_unit_test_setup_teardown(a_number_that_is_no_event_is_not_looked_up,
						make_blocks, free_blocks),
		cmocka_unit_test_setup_teardown(another_thread_and_a_child_do_not_read_registers,
						make_blocks, free_blocks),
		cmocka_unit_test(a_published_value_is_checked_for_its_reason),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
