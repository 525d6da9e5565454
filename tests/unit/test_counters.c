// SPDX-License-Identifier: GPL-2.0-only
/*
 * The counter set: on the real kernel's software events, and on made-up machines (fake_tree.h)
 * with a made-up source (fake_source.h) for hotplug, hybrid CPUs, multiplexing and the rest.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/text.h"
#include "counter/counters.h"
#include "fake_source.h"
#include "fake_tree.h"

#define MS	1000000ULL
#define CPU	"/sys/devices/system/cpu/"
#define DEVICES "/sys/bus/event_source/devices/"

static struct {
	char *root;
	struct cpus cpus;
	struct pmus pmus;
	struct event_resolver *resolver;
	struct counter_source *source;
	struct fake_source *fake; /* the same as source, or NULL: the real one */
	struct counters *counters;
	struct refusal why;
} on;

/* files NULL: the machine that the tests run on. */
static void boot(const struct fake_file *files, bool real_source)
{
	const char *root = "";

	if (files)
		root = on.root = fake_tree_new(files);
	assert_int_equal(cpus_read(root, &on.cpus, NULL), 0);
	assert_int_equal(pmus_read(root, &on.cpus, &on.pmus, NULL), 0);
	assert_int_equal(event_resolver_new(root, &on.pmus, &on.resolver), 0);
	if (real_source) {
		assert_int_equal(source_perf_new(&on.source), 0);
	} else {
		on.fake = fake_source_new();
		on.source = &on.fake->source;
	}
	assert_int_equal(counters_new(&on.cpus, on.resolver, on.source, &on.counters), 0);
}

static int shut_down(void **state)
{
	(void)state;
	counters_free(on.counters);
	if (on.fake && on.fake->open)
		fail_msg("%u counters were left open", on.fake->open);
	if (on.source)
		on.source->ops->free(on.source);
	event_resolver_free(on.resolver);
	pmus_free(&on.pmus);
	fake_tree_remove(on.root);
	memset(&on, 0, sizeof(on));
	return 0;
}

static int change(const char *text)
{
	on.why.message[0] = '\0';
	return counters_change(on.counters, text, strlen(text), NULL, NULL, &on.why);
}

static void assert_changed(const char *text)
{
	int r = change(text);

	if (r)
		fail_msg("%s: %s (%s)", text, strerror(-r), on.why.message);
}

static void assert_refused(const char *text, int error, const char *word)
{
	assert_int_equal(change(text), error);
	if (!strstr(on.why.message, word))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, on.why.message, word);
}

static uint32_t id_of(const char *name)
{
	const struct counter_event *event = counters_find(on.counters, name);

	assert_non_null(event);
	return event->id;
}

static uint64_t read_value(unsigned int cpu, const char *name)
{
	uint64_t value;
	int r = counters_read(on.counters, cpu, id_of(name), &value);

	if (r)
		fail_msg("cpu%u/%s: %s", cpu, name, strerror(-r));
	return value;
}

static uint64_t read_all(const char *name)
{
	uint64_t value;

	assert_int_equal(counters_read_all(on.counters, id_of(name), &value), 0);
	return value;
}

static int read_error(unsigned int cpu, const char *name)
{
	uint64_t value;

	return counters_read(on.counters, cpu, id_of(name), &value);
}

static int read_all_error(const char *name)
{
	uint64_t value;

	return counters_read_all(on.counters, id_of(name), &value);
}

static bool has(unsigned int cpu, const char *name)
{
	return counters_has(on.counters, cpu, id_of(name));
}

static void assert_names(const char *expected)
{
	struct text names = { 0 };

	for (const struct counter_event *event = counters_next(on.counters, 0); event;
	     event = counters_next(on.counters, event->id)) {
		text_add_string(&names, event->name);
		text_add_char(&names, ' ');
	}
	text_add_char(&names, '\0');
	assert_int_equal(text_error(&names), 0);
	assert_string_equal(names.data, expected);
	text_free(&names);
}

/* Ten ms, all of them on the PMU, 1 count a ns. */
static void run(unsigned int cpu, unsigned int slot)
{
	fake_source_run(on.fake, cpu, slot, 10 * MS, 10 * MS, 1);
}

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* The real kernel. */

static void software_events_count_on_every_cpu(void **state)
{
	uint64_t sum = 0;

	(void)state;
	boot(NULL, true);
	assert_changed("+cpu-clock +clock=cpu-clock,+page-faults\n+context-switches");
	assert_names("cpu-clock clock page-faults context-switches ");
	cpu_mask_for_each(cpu, &on.cpus.online)
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
	boot(NULL, true);
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
	boot(NULL, true);
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
	boot(NULL, true);
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
	boot(NULL, true);
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
	boot(fake_guest, true);
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

/* Values. */

static void multiplexed_counts_come_within_two_percent_of_the_truth(void **state)
{
	uint64_t truth = 0, before = 0, value;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	/* 4 ms on the PMU, 8 ms off it, in turn; 3 counts a ns; somebody reads now and then */
	for (int turn = 0; turn < 1000; turn++) {
		fake_source_run(on.fake, 0, 0, 4 * MS, 4 * MS, 3);
		fake_source_run(on.fake, 0, 0, 8 * MS, 0, 3);
		truth += 12 * MS * 3;
		if (random64() % 4)
			continue;
		value = read_value(0, "cycles");
		assert_true(value >= before);
		before = value;
	}
	assert_in_range(read_value(0, "cycles"), truth - truth / 50, truth + truth / 50);
}

static void a_value_never_falls_whatever_share_of_time_the_event_gets(void **state)
{
	uint64_t before = 0, before_all = 0;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	run(0, 0);
	for (int turn = 0; turn < 5000; turn++) {
		uint64_t enabled = random64() % (20 * MS) + 1, value;

		for (unsigned int cpu = 0; cpu < 4; cpu++)
			fake_source_run(on.fake, cpu, 0, enabled,
					random64() % 4 ? random64() % enabled + 1 : enabled,
					random64() % 5);
		value = read_value(0, "cycles");
		assert_true(value >= before);
		before = value;
		value = read_all("cycles");
		assert_true(value >= before_all);
		before_all = value;
	}
}

static void each_event_is_scaled_by_its_own_times(void **state)
{
	struct counter_stat rows[2];

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +instructions");
	fake_source_run(on.fake, 0, 0, 100 * MS, 50 * MS, 1);
	fake_source_run(on.fake, 0, 1, 100 * MS, 100 * MS, 1);
	assert_int_equal(counters_stat(on.counters, 0, rows), 2);
	assert_int_equal(rows[0].raw, 50 * MS);
	assert_int_equal(rows[0].scaled, 100 * MS);
	assert_int_equal(rows[0].running, 50 * MS);
	assert_int_equal(rows[0].state, COUNTER_SCALED);
	assert_int_equal(rows[1].raw, 100 * MS);
	assert_int_equal(rows[1].scaled, 100 * MS);
	assert_int_equal(rows[1].state, COUNTER_EXACT);
}

static void a_file_gives_the_scaled_count_alone(void **state)
{
	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	fake_source_run(on.fake, 0, 0, 100 * MS, 25 * MS, 1);
	fake_source_run(on.fake, 1, 0, 100 * MS, 100 * MS, 1);
	fake_source_run(on.fake, 2, 0, 100 * MS, 100 * MS, 1);
	fake_source_run(on.fake, 3, 0, 100 * MS, 50 * MS, 1);
	assert_int_equal(read_value(0, "cycles"), 100 * MS);
	assert_int_equal(read_all("cycles"), 400 * MS);
}

static void a_pinned_event_without_its_counter_is_an_error(void **state)
{
	struct counter_stat rows[2];

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles:D +instructions");
	assert_true(on.fake->counters[0][0].attr.pinned);
	run(0, 0);
	assert_int_equal(read_value(0, "cycles:D"), 10 * MS);
	on.fake->counters[0][0].error = -EBUSY;
	assert_int_equal(read_error(0, "cycles:D"), -EBUSY);
	assert_int_equal(read_all_error("cycles:D"), -EBUSY);
	assert_int_equal(counters_stat(on.counters, 0, rows), 2);
	assert_int_equal(rows[0].state, COUNTER_UNAVAILABLE);
	assert_int_equal(rows[0].error, -EBUSY);
	assert_int_equal(rows[1].state, COUNTER_EXACT);
	assert_int_equal(counters_stat_all(on.counters, rows), 2);
	assert_int_equal(rows[0].error, -EBUSY);
	/* what it counted is not lost */
	on.fake->counters[0][0].error = 0;
	run(0, 0);
	assert_int_equal(read_value(0, "cycles:D"), 20 * MS);
}

static void an_event_that_waits_for_a_counter_has_no_value_after_a_second(void **state)
{
	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	assert_int_equal(read_value(0, "cycles"), 0); /* not enabled for a ns yet: this is true */
	fake_source_run(on.fake, 0, 0, 1 * MS, 0, 0);
	assert_int_equal(read_error(0, "cycles"), -EBUSY); /* never had a counter: not known */
	assert_int_equal(read_all_error("cycles"), -EBUSY);
	run(0, 0);
	assert_true(read_value(0, "cycles") >= 10 * MS);
	fake_source_run(on.fake, 0, 0, 900 * MS, 0, 0);
	assert_true(read_value(0, "cycles") >= 10 * MS);
	fake_source_run(on.fake, 0, 0, 200 * MS, 0, 0);
	assert_int_equal(read_error(0, "cycles"), -EBUSY);
	run(0, 0);
	assert_true(read_value(0, "cycles") >= 1100 * MS);
}

static void readings_that_contradict_cost_one_read(void **state)
{
	struct counter_stat row;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	run(0, 0);
	assert_int_equal(read_value(0, "cycles"), 10 * MS);
	on.fake->counters[0][0].count.raw ^= 1ULL << 63;
	assert_int_equal(read_error(0, "cycles"), -EIO);
	run(0, 0);
	assert_int_equal(read_value(0, "cycles"), 20 * MS);
	on.fake->counters[0][0].count.raw ^= 1ULL << 63;
	assert_int_equal(counters_stat(on.counters, 0, &row), 1);
	assert_int_equal(row.state, COUNTER_UNAVAILABLE);
	assert_int_equal(row.error, -EIO);
	run(0, 0);
	assert_int_equal(read_value(0, "cycles"), 30 * MS);
	/* some counts may be missing, so it does not call itself exact any more */
	assert_int_equal(counters_stat(on.counters, 0, &row), 1);
	assert_int_equal(row.state, COUNTER_SCALED);
}

static void a_read_asks_for_one_counter_and_stat_for_one_cpu(void **state)
{
	struct counter_stat rows[4];

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +instructions +branch-misses +cache-misses");
	read_value(2, "instructions");
	assert_int_equal(on.fake->reads, 1);
	assert_int_equal(on.fake->cpu_reads, 0);
	assert_int_equal(counters_stat(on.counters, 2, rows), 4);
	assert_int_equal(on.fake->reads, 1);
	assert_int_equal(on.fake->cpu_reads, 1);
}

static void a_cpu_that_is_switched_off_keeps_its_value(void **state)
{
	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	run(1, 0);
	assert_int_equal(counters_cpu_enabled(on.counters, 1), 1);
	assert_int_equal(counters_cpu_enable(on.counters, 1, false), 0);
	assert_int_equal(counters_cpu_enabled(on.counters, 1), 0);
	assert_int_equal(counters_cpu_enabled(on.counters, 0), 1);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 10 * MS);
	assert_int_equal(counters_cpu_enable(on.counters, 1, true), 0);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 20 * MS);
	assert_int_equal(counters_cpu_enable(on.counters, 9, true), -ENODEV);
	assert_int_equal(counters_cpu_enabled(on.counters, 9), -ENODEV);
}

/* Machines. */

static void on_a_hybrid_machine_each_cpu_opens_its_own_pmu(void **state)
{
	struct counter_stat rows[3];

	(void)state;
	boot(fake_hybrid, false);
	assert_changed("+cycles +cpu_core/topdown-retiring/ +cpu-clock");
	for (unsigned int cpu = 0; cpu < 8; cpu++) {
		const struct fake_counter *cycles = &on.fake->counters[cpu][0];
		bool core = cpu < 4;

		assert_true(cycles->taken);
		assert_int_equal(cycles->attr.type, PERF_TYPE_HARDWARE);
		assert_int_equal(cycles->attr.config >> PERF_PMU_TYPE_SHIFT, core ? 4 : 10);
		assert_true(has(cpu, "cycles"));
		assert_true(has(cpu, "cpu-clock"));
		assert_int_equal(has(cpu, "cpu_core:topdown-retiring"), core);
		assert_int_equal(counters_check(on.counters, cpu,
						id_of("cpu_core:topdown-retiring")),
				 core ? 0 : -ESTALE);
		assert_int_equal(counters_stat(on.counters, cpu, rows), core ? 3 : 2);
		run(cpu, 0);
		run(cpu, 1);
	}
	assert_int_equal(read_all("cycles"), 80 * MS);
	assert_int_equal(read_all("cpu_core:topdown-retiring"), 40 * MS);
	assert_int_equal(counters_check_all(on.counters, id_of("cpu_core:topdown-retiring")), 0);
	assert_int_equal(counters_stat_all(on.counters, rows), 3);
	assert_int_equal(rows[1].error, 0);
	assert_int_equal(rows[1].raw, 40 * MS);
	/* why cpu7 has no such file is still to be told */
	assert_true(*counters_reason(on.counters, 7, id_of("cpu_core:topdown-retiring")));
}

static void possible_cpus_that_are_not_online_are_no_trouble(void **state)
{
	static const struct fake_file many[] = {
		{ CPU "possible", "0-127\n" },
		{ CPU "online", "0-3\n" },
		{ DEVICES "software/type", "1\n" },
		{ DEVICES "cpu/type", "4\n" },
		{ NULL, NULL },
	};

	(void)state;
	boot(many, false);
	assert_changed("+cycles +cpu-clock");
	assert_int_equal(on.fake->open, 8);
	assert_true(has(3, "cycles"));
	assert_false(has(4, "cycles"));
	assert_false(has(127, "cycles"));
	assert_false(has(4711, "cycles"));
	assert_int_equal(read_error(4, "cycles"), -ENODEV);
	assert_int_equal(counters_check(on.counters, 4, id_of("cycles")), -ESTALE);
	assert_int_equal(read_all("cycles"), 0);
	assert_int_equal(counters_cpu_online(on.counters, 127), 0);
	assert_true(has(127, "cycles"));
	assert_int_equal(counters_cpu_online(on.counters, 128), -EINVAL);
}

static void a_cpu_that_comes_back_counts_on_and_its_past_stays_in_all(void **state)
{
	uint64_t value;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		run(cpu, 0);
	assert_int_equal(read_all("cycles"), 40 * MS);
	run(1, 0); /* not read by anybody before the CPU goes */
	counters_cpu_offline(on.counters, 1);
	assert_int_equal(on.fake->open, 3);
	assert_false(has(1, "cycles"));
	assert_int_equal(counters_read(on.counters, 1, id_of("cycles"), &value), -ENODEV);
	assert_int_equal(counters_check(on.counters, 1, id_of("cycles")), -ESTALE);
	assert_false(cpu_mask_has(&counters_cpus(on.counters)->online, 1));
	assert_int_equal(read_all("cycles"), 50 * MS);
	assert_int_equal(counters_cpu_online(on.counters, 1), 0);
	assert_int_equal(read_value(1, "cycles"), 20 * MS);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 30 * MS);
	assert_int_equal(read_all("cycles"), 60 * MS);
}

static void switched_off_does_not_outlive_the_cpu(void **state)
{
	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	assert_int_equal(counters_cpu_enable(on.counters, 1, false), 0);
	counters_cpu_offline(on.counters, 1);
	counters_cpu_offline(on.counters, 1);
	assert_int_equal(counters_cpu_enabled(on.counters, 1), -ENODEV);
	assert_int_equal(counters_cpu_online(on.counters, 1), 0);
	assert_int_equal(counters_cpu_enabled(on.counters, 1), 1);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 10 * MS);
}

static void a_cpu_that_went_and_came_unnoticed_is_opened_anew(void **state)
{
	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +instructions");
	run(1, 0);
	assert_int_equal(counters_cpu_online(on.counters, 1), 0);
	assert_int_equal(on.fake->adds, 8 + 2);
	assert_int_equal(on.fake->open, 8);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 20 * MS);
}

static void a_cpu_goes_a_thousand_times_and_nothing_falls(void **state)
{
	uint64_t before = 0;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +instructions");
	for (int round = 0; round < 1000; round++) {
		for (unsigned int cpu = 0; cpu < 4; cpu++)
			fake_source_run(on.fake, cpu, 0, 10 * MS, random64() % (10 * MS) + 1, 2);
		if (round % 2)
			counters_cpu_offline(on.counters, 1 + random64() % 3);
		for (unsigned int cpu = 1; cpu < 4; cpu++) {
			if (!cpu_mask_has(&counters_cpus(on.counters)->online, cpu))
				assert_int_equal(counters_cpu_online(on.counters, cpu), 0);
		}
		assert_true(read_all("cycles") >= before);
		before = read_all("cycles");
	}
	assert_int_equal(on.fake->open, 8);
}

static void an_uncore_event_has_a_file_where_it_is_read_and_moves_with_the_kernel(void **state)
{
	static const struct fake_file moved[] = {
		{ CPU "online", "1-7\n" },
		{ DEVICES "uncore_imc_0/cpumask", "1,4\n" },
		{ NULL, NULL },
	};
	const char *name = "uncore_imc_0:cas_count_read";
	struct cpus now;

	(void)state;
	boot(fake_uncore, false);
	assert_changed("+cpu-clock +uncore_imc_0/cas_count_read/");
	assert_string_equal(counters_find(on.counters, name)->unit, "MiB");
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		assert_int_equal(has(cpu, name), cpu == 0 || cpu == 4);
	run(0, 1);
	run(4, 1);
	assert_int_equal(read_all(name), 20 * MS);
	fake_tree_add(on.root, moved);
	assert_int_equal(cpus_read(on.root, &now, NULL), 0);
	pmus_refresh(&on.pmus, &now);
	counters_cpu_offline(on.counters, 0);
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		assert_int_equal(has(cpu, name), cpu == 1 || cpu == 4);
	run(1, 1);
	run(4, 1);
	assert_int_equal(read_value(1, name), 10 * MS);
	assert_int_equal(read_all(name), 40 * MS);
}

static void a_big_machine_needs_more_descriptors_than_there_are_and_is_told_how_many(void **state)
{
	static const struct fake_file big[] = {
		{ CPU "possible", "0-255\n" },
		{ CPU "online", "0-255\n" },
		{ DEVICES "software/type", "1\n" },
		{ NULL, NULL },
	};
	char text[1024] = "";

	(void)state;
	boot(big, false);
	assert_changed("+cpu-clock");
	assert_int_equal(on.fake->open, 256);
	for (int i = 0; i < 21; i++)
		sprintf(text + strlen(text), "+e%d=context-switches\n", i);
	on.fake->limit = 1024;
	assert_refused(text, -EMFILE, "22 events on 256 CPUs need more than 5632 open files");
	assert_int_equal(on.fake->open, 256);
	assert_names("cpu-clock ");
	run(255, 0);
	assert_int_equal(read_all("cpu-clock"), 10 * MS);
	on.fake->limit = 0;
	assert_changed(text);
	assert_int_equal(on.fake->open, 22 * 256);
	assert_int_equal(on.fake->starts, 2 * 256);
}

static void what_a_cpu_is_refused_stands_in_its_own_file(void **state)
{
	struct counter_stat rows[2];

	(void)state;
	boot(fake_x86, false);
	on.fake->refuses = -EACCES;
	on.fake->refused_type = PERF_TYPE_HARDWARE;
	assert_changed("+cycles +cpu-clock");
	assert_true(has(0, "cycles"));
	assert_int_equal(counters_check(on.counters, 0, id_of("cycles")), -EACCES);
	assert_int_equal(read_error(0, "cycles"), -EACCES);
	assert_int_equal(read_all_error("cycles"), -EACCES);
	assert_string_equal(counters_reason(on.counters, 0, id_of("cycles")), "made-up refusal");
	run(0, 1);
	assert_int_equal(read_value(0, "cpu-clock"), 10 * MS);
	assert_int_equal(counters_stat(on.counters, 0, rows), 2);
	assert_int_equal(rows[0].error, -EACCES);
	/* the next time the CPU comes it is tried again */
	on.fake->refuses = 0;
	counters_cpu_offline(on.counters, 0);
	assert_int_equal(counters_cpu_online(on.counters, 0), 0);
	assert_int_equal(counters_check(on.counters, 0, id_of("cycles")), 0);
	assert_string_equal(counters_reason(on.counters, 0, id_of("cycles")), "");
}

/* Changes. */

static void a_bad_word_changes_nothing(void **state)
{
	static const struct {
		const char *text;
		int error;
		const char *word;
	} cases[] = {
		{ "cpu-clock", -EINVAL, "cpu-clock: write +EVENT" },
		{ "+", -EINVAL, "empty" },
		{ "-", -ENOENT, "-" },
		{ "=", -EINVAL, "=" },
		{ "+instructions -cycles +cylces", -ENOENT, "cylces" },
		{ "+instructions +page-faults:q", -EINVAL, "q" },
		{ "-cycles -instructions", -ENOENT, "instructions" },
		{ "-cycles -cycles", -ENOENT, "cycles" },
		{ "+cycles", -EEXIST, "cycles" },
		{ "+cycles=instructions", -EEXIST, "cycles" },
		{ "+instructions +x=instructions +x=cpu-clock", -EEXIST, "x" },
		{ "+instructions -instructions", -EINVAL, "instructions" },
		{ "+cpu/nonsense/", -ENOENT, "nonsense" },
		{ "+a/b=cycles", -EINVAL, "/" },
		{ "+stat=cycles", -EINVAL, "stat" },
		{ "+instructions;-cycles", -EINVAL, ";" },
	};
	unsigned int adds, removes;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +cpu-clock");
	run(0, 0);
	adds = on.fake->adds;
	removes = on.fake->removes;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		int r = change(cases[i].text);

		if (r != cases[i].error || !strstr(on.why.message, cases[i].word))
			fail_msg("%s: %d, \"%s\"", cases[i].text, r, on.why.message);
		assert_names("cycles cpu-clock ");
	}
	assert_int_equal(counters_change(on.counters, "+inst\0ructions", 14, NULL, NULL, &on.why),
			 -EINVAL);
	assert_int_equal(counters_change(on.counters, "-cycles\0", 8, NULL, NULL, &on.why),
			 -ENOENT);
	assert_int_equal(on.fake->adds, adds);
	assert_int_equal(on.fake->removes, removes);
	assert_int_equal(read_value(0, "cycles"), 10 * MS);
}

static void an_empty_text_changes_nothing(void **state)
{
	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles");
	assert_changed("");
	assert_changed(" \n,, \t");
	assert_names("cycles ");
	assert_int_equal(counters_count(on.counters), 1);
}

static void an_event_is_put_in_the_place_of_another_of_its_name(void **state)
{
	uint32_t old;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+e=cycles +cpu-clock");
	run(0, 0);
	old = id_of("e");
	assert_changed("-e +e=instructions");
	assert_names("cpu-clock e ");
	assert_true(id_of("e") > old);
	assert_string_equal(counters_find(on.counters, "e")->spec, "instructions");
	assert_int_equal(counters_check(on.counters, 0, old), -ESTALE);
	assert_null(counters_event(on.counters, old));
	assert_int_equal(read_value(0, "e"), 0);
}

static void ids_are_never_used_again_and_slots_are(void **state)
{
	uint32_t last = 0;

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +instructions");
	for (int round = 0; round < 200; round++) {
		assert_changed(round % 2 ? "-b +a=cache-misses"
			       : round	 ? "-a +b=cache-misses"
					 : "+b=cache-misses");
		assert_true(id_of(round % 2 ? "a" : "b") > last);
		last = id_of(round % 2 ? "a" : "b");
		assert_int_equal(on.fake->open, 12);
	}
	assert_int_equal(last, 202);
}

static void an_event_goes_by_the_spec_that_gave_its_name(void **state)
{
	(void)state;
	boot(fake_arm64, false);
	assert_changed("+armv8_pmuv3/event=0x11/ +x=cycles");
	assert_changed("-armv8_pmuv3/event=0x11/");
	assert_names("x ");
	assert_changed("-x");
	assert_names("");
	assert_null(counters_next(on.counters, 0));
}

struct told {
	char text[256];
};

static void tell(void *context, uint32_t event, bool removed)
{
	struct told *told = context;
	const struct counter_event *found = counters_event(on.counters, event);

	sprintf(told->text + strlen(told->text), "%c%u:%s ", removed ? '-' : '+', event,
		found ? found->name : "");
}

static void who_asks_is_told_what_went_and_came(void **state)
{
	struct told told = { "" };
	const char *text = "-cycles +instructions -cpu-clock +cycles";

	(void)state;
	boot(fake_x86, false);
	assert_changed("+cycles +cpu-clock +page-faults");
	assert_int_equal(counters_change(on.counters, text, strlen(text), tell, &told, &on.why), 0);
	assert_string_equal(told.text, "-1: -2: +4:instructions +5:cycles ");
	told.text[0] = '\0';
	assert_int_equal(counters_change(on.counters, "+x=cycles +nix", 14, tell, &told, &on.why),
			 -ENOENT);
	assert_string_equal(told.text, "");
}

static void there_is_an_end_to_the_number_of_events(void **state)
{
	static const struct fake_file one[] = {
		{ CPU "possible", "0\n" },
		{ CPU "online", "0\n" },
		{ DEVICES "software/type", "1\n" },
		{ NULL, NULL },
	};
	static char text[1 << 16];

	(void)state;
	boot(one, true);
	text[0] = '\0';
	for (int i = 0; i < COUNTER_EVENTS_MAX; i++)
		sprintf(text + strlen(text), "+e%d=context-switches ", i);
	assert_changed(text);
	assert_int_equal(counters_count(on.counters), COUNTER_EVENTS_MAX);
	assert_refused("+more=cpu-clock", -E2BIG, "more: at most 1024 events");
	/* all of them for others in one step */
	text[0] = '\0';
	for (int i = 0; i < COUNTER_EVENTS_MAX; i++)
		sprintf(text + strlen(text), "-e%d +f%d=context-switches ", i, i);
	assert_changed(text);
	assert_int_equal(counters_count(on.counters), COUNTER_EVENTS_MAX);
	assert_non_null(counters_find(on.counters, "f1023"));
	assert_null(counters_find(on.counters, "e0"));
	read_value(0, "f1023");
}

static void hear(void *context, int error, const char *message)
{
	struct told *told = context;

	sprintf(told->text + strlen(told->text), "%d %.20s;", error, message);
}

static void a_list_loses_only_what_cannot_be_taken(void **state)
{
	const char *list = "cycles,nonsense\ninstructions cycles cpu-clock";
	struct told told = { "" };
	char expected[64];

	(void)state;
	boot(fake_x86, false);
	assert_int_equal(counters_add(on.counters, list, strlen(list), NULL, NULL, &on.why),
			 -ENOENT);
	assert_non_null(strstr(on.why.message, "nonsense"));
	assert_names("");
	assert_int_equal(on.fake->adds, 0);
	assert_int_equal(counters_add(on.counters, list, strlen(list), hear, &told, &on.why), 0);
	assert_names("cycles instructions cpu-clock ");
	sprintf(expected, "%d ", -ENOENT);
	assert_int_equal(strncmp(told.text, expected, strlen(expected)), 0);
	assert_non_null(strstr(told.text, "-17 cycles"));
	/* together: one start a CPU */
	assert_int_equal(on.fake->starts, 4);
}

#define promise(test) cmocka_unit_test_teardown(test, shut_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		promise(software_events_count_on_every_cpu),
		promise(values_agree_with_perf_stat),
		promise(one_event_goes_and_the_others_keep_their_values),
		promise(stat_reads_all_events_at_one_moment),
		promise(without_descriptors_for_all_nothing_is_changed),
		promise(one_event_that_nothing_counts_costs_one_file),
		promise(multiplexed_counts_come_within_two_percent_of_the_truth),
		promise(a_value_never_falls_whatever_share_of_time_the_event_gets),
		promise(each_event_is_scaled_by_its_own_times),
		promise(a_file_gives_the_scaled_count_alone),
		promise(a_pinned_event_without_its_counter_is_an_error),
		promise(an_event_that_waits_for_a_counter_has_no_value_after_a_second),
		promise(readings_that_contradict_cost_one_read),
		promise(a_read_asks_for_one_counter_and_stat_for_one_cpu),
		promise(a_cpu_that_is_switched_off_keeps_its_value),
		promise(on_a_hybrid_machine_each_cpu_opens_its_own_pmu),
		promise(possible_cpus_that_are_not_online_are_no_trouble),
		promise(a_cpu_that_comes_back_counts_on_and_its_past_stays_in_all),
		promise(switched_off_does_not_outlive_the_cpu),
		promise(a_cpu_that_went_and_came_unnoticed_is_opened_anew),
		promise(a_cpu_goes_a_thousand_times_and_nothing_falls),
		promise(an_uncore_event_has_a_file_where_it_is_read_and_moves_with_the_kernel),
		promise(a_big_machine_needs_more_descriptors_than_there_are_and_is_told_how_many),
		promise(what_a_cpu_is_refused_stands_in_its_own_file),
		promise(a_bad_word_changes_nothing),
		promise(an_empty_text_changes_nothing),
		promise(an_event_is_put_in_the_place_of_another_of_its_name),
		promise(ids_are_never_used_again_and_slots_are),
		promise(an_event_goes_by_the_spec_that_gave_its_name),
		promise(who_asks_is_told_what_went_and_came),
		promise(there_is_an_end_to_the_number_of_events),
		promise(a_list_loses_only_what_cannot_be_taken),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counters", tests, NULL, NULL);
}
