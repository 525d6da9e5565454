// SPDX-License-Identifier: GPL-2.0-only
/* What the counter set gives as the values of its events: scaled, refused, and never falling. */
#include <errno.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "counter_set.h"
#include "random.h"
#include "view/metrics.h"

static void multiplexed_counts_come_within_two_percent_of_the_truth(void **state)
{
	uint64_t truth = 0, before = 0, value;

	(void)state;
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
	assert_changed("+cycles");
	fake_source_run(on.fake, 0, 0, 100 * MS, 25 * MS, 1);
	fake_source_run(on.fake, 1, 0, 100 * MS, 100 * MS, 1);
	fake_source_run(on.fake, 2, 0, 100 * MS, 100 * MS, 1);
	fake_source_run(on.fake, 3, 0, 100 * MS, 50 * MS, 1);
	assert_int_equal(read_value(0, "cycles"), 100 * MS);
	assert_int_equal(read_all("cycles"), 400 * MS);
}

static void metrics_give_the_scaled_count_alone(void **state)
{
	struct counter_stat rows[4];
	struct text text = { 0 };

	(void)state;
	boot_with_fake_source(fake_x86);
	assert_changed("+cycles");
	fake_source_run(on.fake, 2, 0, 100 * MS, 25 * MS, 1);
	metrics_render(on.counters, rows, &text);
	text_add_char(&text, '\0');
	assert_int_equal(text_error(&text), 0);
	assert_non_null(strstr(text.data, "{cpu=\"2\",event=\"cycles\"} 100000000\n"));
	assert_null(strstr(text.data, " 25000000\n"));
	text_free(&text);
}

static void a_pinned_event_without_its_counter_is_an_error(void **state)
{
	struct counter_stat rows[2];

	(void)state;
	boot_with_fake_source(fake_x86);
	assert_changed("+cycles:D +instructions");
	assert_true(on.fake->counters[0][0].attr.pinned);
	run(0, 0);
	assert_int_equal(read_value(0, "cycles:D"), 10 * MS);
	on.fake->counters[0][0].error = -EBUSY;
	assert_int_equal(read_error(0, "cycles:D"), -EBUSY);
	assert_int_equal(read_all_error("cycles:D"), -EBUSY);
	assert_non_null(strstr(counters_reason(on.counters, 0, id_of("cycles:D")), "EBUSY"));
	assert_int_equal(counters_stat(on.counters, 0, rows), 2);
	assert_int_equal(rows[0].state, COUNTER_UNAVAILABLE);
	assert_int_equal(rows[0].error, -EBUSY);
	assert_int_equal(rows[1].state, COUNTER_EXACT);
	assert_int_equal(counters_stat_all(on.counters, rows), 2);
	assert_int_equal(rows[0].error, -EBUSY);
	/* what it counted is not lost */
	on.fake->counters[0][0].error = 0;
	run(0, 0);
	counters_settle(on.counters);
	assert_string_equal(counters_reason(on.counters, 0, id_of("cycles:D")), "");
	assert_int_equal(read_value(0, "cycles:D"), 20 * MS);
}

static void an_event_that_waits_for_a_counter_has_no_value_after_a_second(void **state)
{
	(void)state;
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
	assert_changed("+cycles +instructions +branch-misses +cache-misses");
	read_value(2, "instructions");
	assert_int_equal(on.fake->reads, 1);
	assert_int_equal(on.fake->cpu_reads, 0);
	assert_int_equal(counters_stat(on.counters, 2, rows), 4);
	assert_int_equal(on.fake->reads, 1);
	assert_int_equal(on.fake->cpu_reads, 1);
}

static void settling_looks_at_each_online_cpu_and_changes_no_value(void **state)
{
	(void)state;
	boot_with_fake_source(fake_x86);
	assert_changed("+cycles");
	run(0, 0);
	counters_cpu_offline(on.counters, 3);
	on.fake->cpu_reads = 0;
	counters_settle(on.counters);
	assert_int_equal(on.fake->cpu_reads, 3);
	assert_int_equal(read_value(0, "cycles"), 10 * MS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		promise(multiplexed_counts_come_within_two_percent_of_the_truth),
		promise(a_value_never_falls_whatever_share_of_time_the_event_gets),
		promise(each_event_is_scaled_by_its_own_times),
		promise(a_file_gives_the_scaled_count_alone),
		promise(metrics_give_the_scaled_count_alone),
		promise(a_pinned_event_without_its_counter_is_an_error),
		promise(an_event_that_waits_for_a_counter_has_no_value_after_a_second),
		promise(readings_that_contradict_cost_one_read),
		promise(a_read_asks_for_one_counter_and_stat_for_one_cpu),
		promise(settling_looks_at_each_online_cpu_and_changes_no_value),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counters_values", tests, NULL, NULL);
}
