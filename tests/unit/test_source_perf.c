// SPDX-License-Identifier: GPL-2.0-only
/* perf_event_open as a source of counts, on the real kernel's software events. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cleanup.h"
#include "counter/source.h"
#include "counter/source_perf_open.h"

#define PAGES 500

static const struct event_attr cpu_clock = { .attr = { .type = PERF_TYPE_SOFTWARE,
						       .config = PERF_COUNT_SW_CPU_CLOCK } };
static const struct event_attr page_faults = { .attr = { .type = PERF_TYPE_SOFTWARE,
							 .config = PERF_COUNT_SW_PAGE_FAULTS } };
static const struct event_attr minor_faults = {
	.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS_MIN }
};
static const struct event_attr context_switches = {
	.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES }
};
static const struct event_attr pinned_clock = {
	.attr = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK, .pinned = 1 }
};

static int new_source(void **state)
{
	return source_perf_new((struct counter_source **)state);
}

static int free_source(void **state)
{
	struct counter_source *source = *state;

	source->ops->free(source);
	return 0;
}

static void add(struct counter_source *source, unsigned int slot, const struct event_attr *attr)
{
	struct refusal why = { 0 };

	assert_int_equal(source->ops->add(source, 0, slot, attr, &why), 0);
	assert_string_equal(why.message, "");
}

static struct count read_slot(struct counter_source *source, unsigned int slot)
{
	struct source_reading reading = { 0 };

	assert_int_equal(source->ops->read(source, 0, slot, &reading), 0);
	return reading.count;
}

/* The four that most tests use, in slots 0 to 3: one group. */
static void add_group(struct counter_source *source)
{
	add(source, 0, &cpu_clock);
	add(source, 1, &page_faults);
	add(source, 2, &minor_faults);
	add(source, 3, &context_switches);
	source->ops->start(source, 0);
}

static void fault_pages(void)
{
	size_t size = PAGES * sysconf(_SC_PAGESIZE);
	char *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(pages != MAP_FAILED);
	assert_int_equal(madvise(pages, size, MADV_NOHUGEPAGE), 0);
	for (size_t i = 0; i < size; i += sysconf(_SC_PAGESIZE))
		pages[i] = 1;
	munmap(pages, size);
}

static unsigned int open_descriptors(void)
{
	_cleanup_(closedir_p) DIR *dir = opendir("/proc/self/fd");
	unsigned int count = 0;

	assert_non_null(dir);
	while (readdir(dir))
		count++;
	return count;
}

static void counts_nothing_before_start_and_all_after_it(void **state)
{
	struct counter_source *source = *state;
	struct count before, after;

	add(source, 0, &page_faults);
	fault_pages();
	before = read_slot(source, 0);
	assert_int_equal(before.raw, 0);
	assert_int_equal(before.enabled, 0);
	source->ops->start(source, 0);
	fault_pages();
	after = read_slot(source, 0);
	assert_true(after.raw >= PAGES);
	assert_true(after.enabled > 0);
	assert_int_equal(after.enabled, after.running);
}

static void events_added_together_are_read_at_one_moment(void **state)
{
	struct counter_source *source = *state;
	struct source_reading readings[6];

	add_group(source);
	for (int round = 0; round < 1000; round++) {
		source->ops->read_cpu(source, 0, readings, 6);
		for (int i = 0; i < 4; i++) {
			assert_int_equal(readings[i].error, 0);
			assert_int_equal(readings[i].count.enabled, readings[0].count.enabled);
			assert_int_equal(readings[i].count.running, readings[0].count.running);
		}
		assert_int_equal(readings[4].error, -ENOENT);
		assert_int_equal(readings[5].error, -ENOENT);
	}
}

static void a_group_read_and_single_reads_are_one_series(void **state)
{
	struct counter_source *source = *state;
	struct source_reading readings[4];

	add_group(source);
	for (int round = 0; round < 1000; round++) {
		struct count before[4], after[4];

		for (unsigned int i = 0; i < 4; i++)
			before[i] = read_slot(source, i);
		source->ops->read_cpu(source, 0, readings, 4);
		for (unsigned int i = 0; i < 4; i++)
			after[i] = read_slot(source, i);
		for (int i = 0; i < 4; i++) {
			struct count *middle = &readings[i].count;

			assert_in_range(middle->raw, before[i].raw, after[i].raw);
			assert_in_range(middle->enabled, before[i].enabled, after[i].enabled);
			assert_in_range(middle->running, before[i].running, after[i].running);
			assert_int_equal(after[i].enabled, after[i].running);
		}
	}
}

static void later_additions_leave_what_counts_alone(void **state)
{
	struct counter_source *source = *state;
	struct source_reading readings[6];
	struct count before, after;

	add_group(source);
	fault_pages();
	before = read_slot(source, 1);
	add(source, 4, &page_faults);
	add(source, 5, &context_switches);
	source->ops->start(source, 0);
	fault_pages();
	after = read_slot(source, 1);
	assert_true(after.raw >= before.raw + PAGES);
	assert_int_equal(after.enabled, after.running);
	source->ops->read_cpu(source, 0, readings, 6);
	for (int i = 0; i < 6; i++)
		assert_int_equal(readings[i].error, 0);
	assert_in_range(readings[4].count.raw, PAGES, after.raw);
	assert_true(readings[4].count.enabled < readings[0].count.enabled);
	assert_int_equal(readings[4].count.enabled, readings[5].count.enabled);
}

/* Removing a slot (0: the leader) leaves the counts and times of the others growing. */
static void remove_one(struct counter_source *source, unsigned int gone)
{
	struct source_reading readings[4];
	struct count before[4];

	add_group(source);
	fault_pages();
	for (unsigned int i = 0; i < 4; i++)
		before[i] = read_slot(source, i);
	source->ops->remove(source, 0, gone);
	fault_pages();
	source->ops->read_cpu(source, 0, readings, 4);
	for (unsigned int i = 0; i < 4; i++) {
		if (i == gone) {
			assert_int_equal(readings[i].error, -ENOENT);
			continue;
		}
		assert_int_equal(readings[i].error, 0);
		assert_true(readings[i].count.raw >= before[i].raw);
		assert_true(readings[i].count.enabled > before[i].enabled);
		assert_int_equal(readings[i].count.enabled, readings[i].count.running);
	}
	if (gone != 1)
		assert_true(readings[1].count.raw >= before[1].raw + PAGES);
	if (gone != 2)
		assert_true(readings[2].count.raw >= before[2].raw + PAGES);
}

static void removing_the_leader_costs_the_others_nothing(void **state)
{
	remove_one(*state, 0);
}

static void removing_a_member_costs_the_others_nothing(void **state)
{
	remove_one(*state, 1);
	/* and what is left is still one group: one moment */
	struct counter_source *source = *state;
	struct source_reading readings[4];

	source->ops->read_cpu(source, 0, readings, 4);
	assert_int_equal(readings[0].count.enabled, readings[3].count.enabled);
}

static void all_descriptors_go_with_their_events(void **state)
{
	struct counter_source *source = *state;
	unsigned int before = open_descriptors();

	for (int round = 0; round < 3; round++) {
		add_group(source);
		assert_true(open_descriptors() > before);
		for (unsigned int i = 0; i < 4; i++)
			source->ops->remove(source, 0, (i + round) % 4);
		assert_int_equal(open_descriptors(), before);
	}
	add_group(source);
	add(source, 9, &pinned_clock);
	source->ops->cpu_gone(source, 0);
	assert_int_equal(open_descriptors(), before);
}

static void additions_are_taken_back_before_they_start(void **state)
{
	struct counter_source *source = *state;
	unsigned int before = open_descriptors();

	add(source, 0, &cpu_clock);
	add(source, 1, &page_faults);
	add(source, 2, &minor_faults);
	source->ops->remove(source, 0, 0); /* the leader: the rest must not begin to count */
	usleep(2000);
	assert_int_equal(read_slot(source, 1).enabled, 0);
	source->ops->start(source, 0);
	usleep(2000);
	assert_true(read_slot(source, 1).enabled > 0);
	source->ops->remove(source, 0, 1);
	source->ops->remove(source, 0, 2);
	assert_int_equal(open_descriptors(), before);
}

static void a_slot_is_used_again_from_zero(void **state)
{
	struct counter_source *source = *state;
	struct count count;

	add_group(source);
	usleep(300000);
	source->ops->remove(source, 0, 0);
	add(source, 0, &pinned_clock);
	source->ops->start(source, 0);
	count = read_slot(source, 0);
	assert_true(count.raw < 300000000);
	assert_true(count.enabled < 300000000);
}

static void a_cpu_that_is_switched_off_stands_still_with_its_times(void **state)
{
	struct counter_source *source = *state;
	struct count before[5];

	add_group(source);
	add(source, 4, &pinned_clock);
	source->ops->start(source, 0);
	assert_int_equal(source->ops->enable(source, 0, false), 0);
	for (unsigned int i = 0; i < 5; i++)
		before[i] = read_slot(source, i);
	fault_pages();
	for (unsigned int i = 0; i < 5; i++) {
		struct count after = read_slot(source, i);

		assert_memory_equal(&before[i], &after, sizeof(after));
	}
	assert_int_equal(source->ops->enable(source, 0, true), 0);
	fault_pages();
	for (unsigned int i = 0; i < 5; i++) {
		struct count after = read_slot(source, i);

		assert_true(after.enabled > before[i].enabled);
		assert_int_equal(after.enabled, after.running);
	}
	assert_true(read_slot(source, 1).raw >= before[1].raw + PAGES);
}

static void additions_to_a_cpu_that_is_off_wait_for_it(void **state)
{
	struct counter_source *source = *state;

	assert_int_equal(source->ops->enable(source, 0, false), 0);
	add_group(source);
	add(source, 4, &pinned_clock);
	source->ops->start(source, 0);
	usleep(2000);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(read_slot(source, i).enabled, 0);
	/* the leader goes: its siblings stay off */
	source->ops->remove(source, 0, 0);
	usleep(2000);
	for (unsigned int i = 1; i < 5; i++)
		assert_int_equal(read_slot(source, i).enabled, 0);
	assert_int_equal(source->ops->enable(source, 0, true), 0);
	usleep(2000);
	for (unsigned int i = 1; i < 5; i++)
		assert_true(read_slot(source, i).enabled >= 1000000);
}

static void more_events_than_a_group_holds_all_count(void **state)
{
	struct counter_source *source = *state;
	struct source_reading readings[100];

	for (unsigned int i = 0; i < 100; i++)
		add(source, i, &page_faults);
	source->ops->start(source, 0);
	fault_pages();
	source->ops->read_cpu(source, 0, readings, 100);
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(readings[i].error, 0);
		assert_true(readings[i].count.raw >= PAGES);
	}
}

/* Counts this thread's system calls by the kernel's own tracepoint. */
static int count_own_system_calls(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr) };
	int fd = open("/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", O_RDONLY | O_CLOEXEC);
	char number[16] = "";

	if (fd < 0)
		return -1;
	if (read(fd, number, sizeof(number) - 1) > 0)
		attr.config = strtoul(number, NULL, 10);
	close(fd);
	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void a_single_read_costs_one_system_call(void **state)
{
	struct counter_source *source = *state;
	struct source_reading readings[4];
	const char *under = getenv("TEST_UNDER"); /* tests/run: "valgrind" makes calls of its own */
	int fd = count_own_system_calls();
	uint64_t before, after;

	if (fd < 0 || (under && strcmp(under, "valgrind") == 0)) {
		print_message(
			"# skip: no raw_syscalls tracepoint here, or valgrind's calls in it\n");
		skip();
	}
	add_group(source);
	assert_int_equal(read(fd, &before, 8), 8);
	for (unsigned int i = 0; i < 100; i++)
		read_slot(source, i % 4);
	assert_int_equal(read(fd, &after, 8), 8);
	assert_int_equal(after - before, 100 + 1);

	assert_int_equal(read(fd, &before, 8), 8);
	source->ops->read_cpu(source, 0, readings, 4);
	assert_int_equal(read(fd, &after, 8), 8);
	assert_int_equal(after - before, 1 + 1);
	close(fd);
}

static void what_no_pmu_counts_is_refused_with_the_kernels_condition(void **state)
{
	static const struct event_attr nonsense = { .attr = { .type = PERF_TYPE_SOFTWARE,
							      .config = 4711 } };
	struct counter_source *source = *state;
	struct source_reading reading;
	struct refusal why = { 0 };

	add_group(source);
	assert_int_equal(source->ops->add(source, 0, 5, &nonsense, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.message, "no PMU here counts it (ENOENT)"));
	assert_int_equal(source->ops->read(source, 0, 5, &reading), -ENOENT);
	/* the others count on */
	source->ops->start(source, 0);
	fault_pages();
	assert_true(read_slot(source, 1).raw >= PAGES);
}

static void the_kernels_errors_are_sorted(void **state)
{
	static const struct {
		int error;
		bool online;
		int expected;
		const char *text;
	} cases[] = {
		{ ENOENT, true, -EOPNOTSUPP, "ENOENT" },
		{ EINVAL, true, -EOPNOTSUPP, "EINVAL" },
		{ EOPNOTSUPP, true, -EOPNOTSUPP, "EOPNOTSUPP" },
		{ ENODEV, true, -EOPNOTSUPP, "ENODEV" },
		{ ENODEV, false, -ENODEV, "not online" },
		{ EACCES, true, -EACCES, "kernel.perf_event_paranoid is" },
		{ EPERM, true, -EACCES, "CAP_PERFMON" },
		{ EMFILE, true, -EMFILE, "limit of" },
		{ ENFILE, true, -EMFILE, "the system's limit" },
		{ EBUSY, true, -EBUSY, "holds the PMU" },
		{ ENOSPC, true, -EBUSY, "taken" },
		{ ENOMEM, true, -ENOMEM, "memory" },
		{ EAGAIN, true, -EIO, "temporarily" },
		{ EFAULT, true, -EIO, "Bad address" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct refusal why = { 0 };

		assert_int_equal(perf_open_error(cases[i].error, cases[i].online, &why),
				 cases[i].expected);
		if (!strstr(why.message, cases[i].text))
			fail_msg("\"%s\" does not say \"%s\"", why.message, cases[i].text);
	}
}

static void the_soft_limit_of_open_files_is_raised_and_its_end_is_told(void **state)
{
	struct counter_source *source;
	struct rlimit limit, low;
	struct refusal why = { 0 };

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = (struct rlimit){ 64, limit.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(source_perf_new(&source), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(low.rlim_cur, limit.rlim_max);

	low.rlim_cur = dup(STDERR_FILENO); /* the next free one */
	close(low.rlim_cur);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_int_equal(source->ops->add(source, 0, 0, &cpu_clock, &why), -EMFILE);
	assert_non_null(strstr(why.message, "open files"));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	source->ops->free(source);
}

/*
 * A real PMU: leaves it one counter less than a group needs, by pinned events, after the group was
 * opened. It is taken apart at a reading and its events count.
 */
static int open_cycles(bool pinned)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.pinned = pinned };

	return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

/* How many of these cycles can be on the PMU of CPU 0 at once. */
static unsigned int fill_pmu(int *fds, unsigned int most)
{
	unsigned int count = 0;
	uint64_t value;

	while (count < most) {
		fds[count] = open_cycles(true);
		if (fds[count] < 0)
			break;
		if (read(fds[count], &value, 8) != 8) {
			close(fds[count]);
			break;
		}
		count++;
	}
	return count;
}

static void a_group_that_never_gets_on_the_pmu_is_taken_apart(void **state)
{
	static const struct event_attr cycles = { .attr = { .type = PERF_TYPE_HARDWARE,
							    .config = PERF_COUNT_HW_CPU_CYCLES } };
	struct counter_source *source = *state;
	struct source_reading readings[64];
	int pinned[64];
	unsigned int counters = fill_pmu(pinned, 60);

	if (counters < 2) {
		print_message("# skip: no PMU with two counters here\n");
		skip();
	}
	/* all but one counter stay taken; a group of two can be opened and cannot run */
	close(pinned[--counters]);
	add(source, 0, &cycles);
	add(source, 1, &cycles);
	source->ops->start(source, 0);
	usleep(400000);
	source->ops->read_cpu(source, 0, readings, 2);
	assert_int_equal(readings[0].count.running, 0);
	usleep(400000);
	source->ops->read_cpu(source, 0, readings, 2);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(readings[i].error, 0);
		assert_true(readings[i].count.raw > 0);
		assert_true(readings[i].count.running > 0);
		assert_true(readings[i].count.enabled >= 700000000);
	}
	while (counters)
		close(pinned[--counters]);
}

static void a_pinned_event_without_its_counter_is_busy(void **state)
{
	static const struct event_attr pinned_cycles = { .attr = { .type = PERF_TYPE_HARDWARE,
								   .config =
									   PERF_COUNT_HW_CPU_CYCLES,
								   .pinned = 1 } };
	struct counter_source *source = *state;
	struct source_reading reading;
	int pinned[64];
	unsigned int counters = fill_pmu(pinned, 60);

	if (!counters) {
		print_message("# skip: no PMU here\n");
		skip();
	}
	add(source, 0, &pinned_cycles);
	source->ops->start(source, 0);
	assert_int_equal(source->ops->read(source, 0, 0, &reading), -EBUSY);
	while (counters)
		close(pinned[--counters]);
}

#define promise(test) cmocka_unit_test_setup_teardown(test, new_source, free_source)

int main(void)
{
	const struct CMUnitTest tests[] = {
		promise(counts_nothing_before_start_and_all_after_it),
		promise(events_added_together_are_read_at_one_moment),
		promise(a_group_read_and_single_reads_are_one_series),
		promise(later_additions_leave_what_counts_alone),
		promise(removing_the_leader_costs_the_others_nothing),
		promise(removing_a_member_costs_the_others_nothing),
		promise(all_descriptors_go_with_their_events),
		promise(additions_are_taken_back_before_they_start),
		promise(a_slot_is_used_again_from_zero),
		promise(a_cpu_that_is_switched_off_stands_still_with_its_times),
		promise(additions_to_a_cpu_that_is_off_wait_for_it),
		promise(more_events_than_a_group_holds_all_count),
		promise(a_single_read_costs_one_system_call),
		promise(what_no_pmu_counts_is_refused_with_the_kernels_condition),
		cmocka_unit_test(the_kernels_errors_are_sorted),
		cmocka_unit_test(the_soft_limit_of_open_files_is_raised_and_its_end_is_told),
		promise(a_group_that_never_gets_on_the_pmu_is_taken_apart),
		promise(a_pinned_event_without_its_counter_is_busy),
	};
	cpu_set_t first;

	/* counts are of CPU 0: cause them there */
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	if (sched_setaffinity(0, sizeof(first), &first)) {
		perror("cannot stay on CPU 0");
		return 1;
	}
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("source_perf", tests, NULL, NULL);
}
