// SPDX-License-Identifier: GPL-2.0-only
/* The counter set on CPUs that come and go, that differ, and of which there are many. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counter_set.h"
#include "random.h"

static void a_cpu_that_is_switched_off_keeps_its_value(void **state)
{
	(void)state;
	boot_with_fake_source(fake_x86);
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

static void on_a_hybrid_machine_each_cpu_opens_its_own_pmu(void **state)
{
	struct counter_stat rows[3];

	(void)state;
	boot_with_fake_source(fake_hybrid);
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
		{ PMU "software/type", "1\n" },
		{ PMU "cpu/type", "4\n" },
		{ NULL, NULL },
	};

	(void)state;
	boot_with_fake_source(many);
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
	boot_with_fake_source(fake_x86);
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

static void switched_off_stays_so_over_the_cpu_s_going_and_coming(void **state)
{
	(void)state;
	boot_with_fake_source(fake_x86);
	assert_changed("+cycles");
	assert_int_equal(counters_cpu_enable(on.counters, 1, false), 0);
	counters_cpu_offline(on.counters, 1);
	counters_cpu_offline(on.counters, 1);
	assert_int_equal(counters_cpu_enabled(on.counters, 1), -ENODEV);
	assert_int_equal(counters_cpu_online(on.counters, 1), 0);
	assert_int_equal(counters_cpu_enabled(on.counters, 1), 0);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 0);
	assert_int_equal(counters_cpu_enable(on.counters, 1, true), 0);
	run(1, 0);
	assert_int_equal(read_value(1, "cycles"), 10 * MS);
}

static void a_cpu_that_went_and_came_unnoticed_is_opened_anew(void **state)
{
	(void)state;
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
		{ PMU "uncore_imc_0/cpumask", "1,4\n" },
		{ NULL, NULL },
	};
	const char *name = "uncore_imc_0:cas_count_read";
	struct cpus now;

	(void)state;
	boot_with_fake_source(fake_uncore);
	assert_changed("+cpu-clock +uncore_imc_0/cas_count_read/");
	assert_string_equal(counters_find(on.counters, name)->unit, "MiB");
	for (unsigned int cpu = 0; cpu < 8; cpu++)
		assert_int_equal(has(cpu, name), cpu == 0 || cpu == 4);
	run(0, 1);
	run(4, 1);
	assert_int_equal(read_all(name), 20 * MS);
	fake_tree_add(machine.root, moved);
	assert_int_equal(cpus_read(machine.root, &now, NULL), 0);
	pmus_refresh(&machine.pmus, &now);
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
		{ PMU "software/type", "1\n" },
		{ NULL, NULL },
	};
	char text[1024] = "";

	(void)state;
	boot_with_fake_source(big);
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
	boot_with_fake_source(fake_x86);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		promise(a_cpu_that_is_switched_off_keeps_its_value),
		promise(on_a_hybrid_machine_each_cpu_opens_its_own_pmu),
		promise(possible_cpus_that_are_not_online_are_no_trouble),
		promise(a_cpu_that_comes_back_counts_on_and_its_past_stays_in_all),
		promise(switched_off_stays_so_over_the_cpu_s_going_and_coming),
		promise(a_cpu_that_went_and_came_unnoticed_is_opened_anew),
		promise(a_cpu_goes_a_thousand_times_and_nothing_falls),
		promise(an_uncore_event_has_a_file_where_it_is_read_and_moves_with_the_kernel),
		promise(a_big_machine_needs_more_descriptors_than_there_are_and_is_told_how_many),
		promise(what_a_cpu_is_refused_stands_in_its_own_file),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counters_cpus", tests, NULL, NULL);
}
