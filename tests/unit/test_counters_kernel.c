// SPDX-License-Identifier: GPL-2.0-only
/* The counter set on software events of the real kernel, and its values against those of perf. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter_set.h"

static void software_events_count_on_every_cpu(void **state)
{
	uint64_t sum = 0;

	(void)state;
	boot_with_kernel(NULL);
	assert_changed("+cpu-clock +clock=cpu-clock,+page-faults\n+context-switches");
	assert_names("cpu-clock clock page-faults context-switches ");
	cpu_mask_for_each(cpu, &machine.cpus.online)
	{
		uint64_t before = read_value(cpu, "cpu-clock"), after;

		usleep(20000);
		after = read_value(cpu, "cpu-clock");
		assert_in_range(after - before, 20 * MS, 2000 * MS);
		sum += after;
		assert_int_equal(counters_check(on.counters, cpu, id_of("clock")), 0);
		assert_string_equal(counters_reason(on.counters, cpu, id_of("clock")), "");
	}
	assert_true(read_all("cpu-clock") >= sum);
}

/* perf stat's two counts of CPU 0 in one second; false when perf is not there or may not count. */
static bool run_perf(double *clock, double *switches)
{
	char *arguments[] = { (char[]){ "perf" },
			      (char[]){ "stat" },
			      (char[]){ "-x " },
			      (char[]){ "-C0" },
			      (char[]){ "-ecpu-clock,context-switches" },
			      (char[]){ "--log-fd=1" },
			      (char[]){ "sleep" },
			      (char[]){ "1" },
			      NULL };
	posix_spawn_file_actions_t actions;
	char output[1024], *line = output;
	int out[2], status = -1;
	pid_t perf;
	ssize_t n;
	bool spawned;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
	spawned = posix_spawnp(&perf, "perf", &actions, NULL, arguments, environ) == 0;
	posix_spawn_file_actions_destroy(&actions);
	close(out[1]);
	if (spawned)
		waitpid(perf, &status, 0);
	n = read(out[0], output, sizeof(output) - 1);
	close(out[0]);
	if (status || n <= 0)
		return false;
	output[n] = '\0';
	*clock = strtod(line, NULL);
	line = strchr(line, '\n');
	if (!line)
		return false;
	*switches = strtod(line + 1, NULL);
	return true;
}

static void values_agree_with_perf_stat(void **state)
{
	uint64_t before[2], after[2];
	double clock = 0, switches = 0;

	(void)state;
	boot_with_kernel(NULL);
	assert_changed("+cpu-clock +context-switches");
	before[0] = read_value(0, "cpu-clock");
	before[1] = read_value(0, "context-switches");
	if (!run_perf(&clock, &switches)) {
		print_message("# skip: perf is not there or may not count\n");
		skip();
	}
	after[0] = read_value(0, "cpu-clock") - before[0];
	after[1] = read_value(0, "context-switches") - before[1];
	/* ours ran from before perf's start until after its end */
	assert_true(clock >= 900);
	assert_true((double)after[0] >= clock * 1e6);
	assert_true((double)after[0] <= clock * 1e6 + 2e9);
	assert_true((double)after[1] >= switches);
	assert_true((double)after[1] <= switches * 3 + 2000);
}

static void one_event_goes_and_the_others_keep_their_values(void **state)
{
	uint64_t before[2], id, value;

	(void)state;
	boot_with_kernel(NULL);
	/* cpu-clock leads the kernel's group */
	assert_changed("+cpu-clock +task=task-clock +cs=context-switches");
	usleep(50000);
	before[0] = read_value(0, "task");
	before[1] = read_value(0, "cs");
	id = id_of("cpu-clock");
	assert_changed("-cpu-clock");
	assert_true(read_value(0, "task") >= before[0]);
	assert_true(read_value(0, "cs") >= before[1]);
	usleep(20000);
	assert_true(read_value(0, "task") >= before[0] + 20 * MS);
	assert_int_equal(counters_check(on.counters, 0, id), -ESTALE);
	assert_int_equal(counters_check_all(on.counters, id), -ESTALE);
	assert_int_equal(counters_read(on.counters, 0, id, &value), -ENODEV);
	assert_int_equal(counters_read_all(on.counters, id, &value), -ENODEV);
}

static void stat_reads_all_events_at_one_moment(void **state)
{
	struct counter_stat rows[3];

	(void)state;
	boot_with_kernel(NULL);
	assert_changed("+cpu-clock +page-faults +context-switches");
	for (int round = 0; round < 100; round++) {
		assert_int_equal(counters_stat(on.counters, 0, rows), 3);
		for (int i = 0; i < 3; i++) {
			assert_int_equal(rows[i].state, COUNTER_EXACT);
			assert_int_equal(rows[i].raw, rows[i].scaled);
			assert_int_equal(rows[i].enabled, rows[0].enabled);
			assert_int_equal(rows[i].running, rows[0].enabled);
			assert_true(*rows[i].backing);
		}
		assert_string_equal(rows[2].event->name, "context-switches");
	}
	assert_int_equal(counters_stat_all(on.counters, rows), 3);
	assert_true(rows[0].enabled > 0);
}

static void without_descriptors_for_all_nothing_is_changed(void **state)
{
	struct rlimit limit, low;
	uint64_t before;

	(void)state;
	boot_with_kernel(NULL);
	assert_changed("+cpu-clock");
	before = read_value(0, "cpu-clock");
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	low = limit;
	low.rlim_cur = dup(STDERR_FILENO) + 1; /* one more */
	close(low.rlim_cur - 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	assert_refused("+page-faults,+context-switches -cpu-clock", -EMFILE, "3 events on ");
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_names("cpu-clock ");
	assert_true(read_value(0, "cpu-clock") > before);
	assert_changed("+page-faults,+context-switches -cpu-clock");
	assert_names("page-faults context-switches ");
}

/* A small guest: no hardware PMU, yet cycles is a good name. */
static void one_event_that_nothing_counts_costs_one_file(void **state)
{
	struct counter_stat rows[3];

	(void)state;
	boot_with_kernel(fake_guest);
	assert_changed("+cpu-clock +cycles +context-switches");
	assert_true(has(0, "cycles"));
	assert_int_equal(counters_check(on.counters, 0, id_of("cycles")), -EOPNOTSUPP);
	assert_int_equal(counters_check_all(on.counters, id_of("cycles")), -EOPNOTSUPP);
	assert_int_equal(read_error(0, "cycles"), -EOPNOTSUPP);
	assert_int_equal(read_all_error("cycles"), -EOPNOTSUPP);
	assert_true(*counters_reason(on.counters, 0, id_of("cycles")));
	assert_int_equal(counters_check(on.counters, 0, id_of("cpu-clock")), 0);
	assert_true(read_value(0, "cpu-clock") > 0);
	assert_int_equal(counters_stat(on.counters, 0, rows), 3);
	assert_int_equal(rows[0].state, COUNTER_EXACT);
	assert_int_equal(rows[1].state, COUNTER_UNAVAILABLE);
	assert_int_equal(rows[1].error, -EOPNOTSUPP);
	assert_int_equal(rows[2].state, COUNTER_EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		promise(software_events_count_on_every_cpu),
		promise(values_agree_with_perf_stat),
		promise(one_event_goes_and_the_others_keep_their_values),
		promise(stat_reads_all_events_at_one_moment),
		promise(without_descriptors_for_all_nothing_is_changed),
		promise(one_event_that_nothing_counts_costs_one_file),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counters_kernel", tests, NULL, NULL);
}
