// SPDX-License-Identifier: GPL-2.0-only
/* Multiplexing arithmetic at its edges, and against an exact long division on random series. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counter/scale.h"
#include "random.h"

#define MS 1000000ULL

typedef unsigned __int128 u128;

static struct scaled after(struct count first)
{
	struct scaled scaled;

	scaled_start(&scaled);
	assert_int_equal(scaled_add(&scaled, &first), 0);
	return scaled;
}

static int add(struct scaled *scaled, uint64_t raw, uint64_t enabled, uint64_t running)
{
	return scaled_add(scaled, &(struct count){ raw, enabled, running });
}

static void the_count_is_exact_while_the_event_has_its_counter(void **state)
{
	struct scaled scaled;
	struct count now = { 0 };

	(void)state;
	scaled_start(&scaled);
	for (int i = 0; i < 10000; i++) {
		uint64_t time = random64() % 1000000007 + 1;

		now.raw += random64() % (time * 6);
		now.enabled += time;
		now.running += time;
		assert_int_equal(scaled_add(&scaled, &now), 0);
		assert_int_equal(scaled_value(&scaled), now.raw);
		assert_true(scaled.exact);
	}
}

static void a_known_ratio_is_scaled_to_the_truth(void **state)
{
	struct scaled scaled;
	struct count now = { 0 };
	uint64_t truth = 0;

	(void)state;
	scaled_start(&scaled);
	/* 3 counts a ns; on the PMU a quarter of the time, now more and now less */
	for (int i = 0; i < 1000; i++) {
		uint64_t running = 2 * MS + random64() % (4 * MS);

		now.enabled += 16 * MS;
		now.running += running;
		now.raw += 3 * running;
		truth += 16 * MS * 3;
		assert_int_equal(scaled_add(&scaled, &now), 0);
	}
	assert_false(scaled.exact);
	assert_in_range(scaled_value(&scaled), truth - truth / 50, truth + truth / 50);
	/* the rate was constant, so nothing but rounding is left */
	assert_in_range(scaled_value(&scaled), truth - 1, truth);
}

static void a_stretch_is_scaled_by_its_own_times_alone(void **state)
{
	struct scaled scaled = after((struct count){ 1000, 10 * MS, 10 * MS });

	(void)state;
	/* half of the time on the PMU, then all of it: the exact part stays exact */
	assert_int_equal(add(&scaled, 2000, 30 * MS, 20 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 1000 + 2 * 1000);
	assert_int_equal(add(&scaled, 2500, 40 * MS, 30 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 1000 + 2 * 1000 + 500);
	assert_false(scaled.exact);
}

static void the_product_of_count_and_time_takes_more_than_64_bits(void **state)
{
	struct scaled scaled;
	uint64_t raw = (1ULL << 63) - 1;
	uint64_t running = 1ULL << 50;

	(void)state;
	scaled_start(&scaled);
	assert_int_equal(add(&scaled, raw, running * 2, running), 0);
	assert_int_equal(scaled_value(&scaled), raw * 2);

	/* 2^40 counts in 2^32 ns of 2^63 ns: 2^71 counts, which wraps to 0 as a counter does */
	scaled_start(&scaled);
	assert_int_equal(add(&scaled, 1ULL << 40, 1ULL << 63, 1ULL << 32), 0);
	assert_int_equal(scaled_value(&scaled), 0);

	scaled_start(&scaled);
	assert_int_equal(add(&scaled, 12345, 1ULL << 63, 1ULL << 32), 0);
	assert_true(scaled_value(&scaled) == 12345ULL << 31);
}

static void a_total_that_passes_64_bits_goes_on_from_zero(void **state)
{
	struct scaled scaled;

	(void)state;
	scaled_start(&scaled);
	scaled.total = UINT64_MAX - 9;
	assert_int_equal(add(&scaled, 15, 1, 1), 0);
	assert_int_equal(scaled_value(&scaled), 5);
}

static void a_raw_count_that_wraps_is_a_step_forward(void **state)
{
	struct scaled scaled;
	struct count start = { UINT64_MAX - 99, 0, 0 };

	(void)state;
	scaled_start(&scaled);
	scaled_rebase(&scaled, &start);
	assert_int_equal(add(&scaled, 900, 1 * MS, 1 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 1000);
	assert_int_equal(scaled.sum.raw, 1000);
}

static void many_short_stretches_lose_nothing_to_rounding(void **state)
{
	struct scaled scaled;
	struct count now = { 0 };

	(void)state;
	scaled_start(&scaled);
	/* each stretch counts 1 in 3 of 10 ms: 3 1/3 counts */
	for (int i = 0; i < 300000; i++) {
		now.raw += 1;
		now.enabled += 10 * MS;
		now.running += 3 * MS;
		assert_int_equal(scaled_add(&scaled, &now), 0);
	}
	assert_in_range(scaled_value(&scaled), 999999, 1000000);
}

static void a_stretch_without_the_pmu_stays_open_until_the_event_has_run(void **state)
{
	struct scaled scaled = after((struct count){ 100, 4 * MS, 4 * MS });

	(void)state;
	assert_int_equal(add(&scaled, 100, 8 * MS, 4 * MS), 0);
	assert_int_equal(add(&scaled, 100, 12 * MS, 4 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 100);
	assert_int_equal(scaled.waiting, 8 * MS);
	assert_int_equal(add(&scaled, 200, 16 * MS, 8 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 100 + 300);
	assert_int_equal(scaled.waiting, 0);
}

static void a_sample_shorter_than_the_least_is_not_blown_up(void **state)
{
	struct scaled scaled;

	(void)state;
	scaled_start(&scaled);
	/* 1 ns of an hour */
	assert_int_equal(add(&scaled, 7, 3600000 * MS, 1), 0);
	assert_int_equal(scaled_value(&scaled), 7);
	assert_true(scaled_ran(&scaled));
	/* one sample of the right length: 1 count a us, an hour */
	assert_int_equal(add(&scaled, 1000, 3600000 * MS, 1 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 3600000ULL * 1000);
}

static void an_event_that_never_ran_has_no_value(void **state)
{
	struct scaled scaled;

	(void)state;
	scaled_start(&scaled);
	assert_int_equal(add(&scaled, 0, 1500 * MS, 0), 0);
	assert_false(scaled_ran(&scaled));
	assert_int_equal(scaled.waiting, 1500 * MS);
}

static void readings_that_contradict_are_refused_and_change_nothing(void **state)
{
	struct scaled scaled = after((struct count){ 5000, 20 * MS, 20 * MS });
	struct scaled before = scaled;
	static const struct count wrong[] = {
		{ 4999, 21 * MS, 21 * MS }, /* raw went back */
		{ 5000 + (1ULL << 63), 21 * MS, 21 * MS }, /* an emulator's overflow */
		{ 5000 - (1ULL << 63), 21 * MS, 21 * MS },
		{ 5000 + (1ULL << 48), 21 * MS, 21 * MS }, /* another width */
		{ 5001, 19 * MS, 20 * MS }, /* enabled went back */
		{ 5001, 21 * MS, 19 * MS }, /* running went back */
		{ 5001, 21 * MS, 32 * MS }, /* on the PMU for longer than enabled */
		{ 5000 + (1ULL << 63), 1ULL << 52,
		  1ULL << 52 }, /* read for the first time in weeks */
		{ 0, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(scaled_add(&scaled, &wrong[i]), -EIO);
		assert_memory_equal(&scaled, &before, sizeof(scaled));
	}
}

static void the_fastest_real_counters_are_believed(void **state)
{
	struct scaled scaled;

	(void)state;
	scaled_start(&scaled);
	/* 1 kW in units of 2^-32 J for a day */
	assert_int_equal(add(&scaled, 4294967296ULL * 86400 * 1000, 86400000 * MS, 86400000 * MS),
			 0);
	/* a jiffy's worth of running ahead of enabled does not scale down */
	assert_int_equal(add(&scaled, 4294967296ULL * 86400 * 1000 + 500, 86400001 * MS,
			     86400001 * MS + SCALE_TICK),
			 0);
	assert_int_equal(scaled_value(&scaled), 4294967296ULL * 86400 * 1000 + 500);
	assert_true(scaled.exact);
}

static void after_a_contradiction_counting_goes_on_from_the_kept_total(void **state)
{
	struct scaled scaled = after((struct count){ 5000, 20 * MS, 20 * MS });
	struct count jumped = { 5000 + (1ULL << 63), 21 * MS, 21 * MS };

	(void)state;
	assert_int_equal(scaled_add(&scaled, &jumped), -EIO);
	scaled_rebase(&scaled, &jumped);
	assert_int_equal(scaled_value(&scaled), 5000);
	assert_int_equal(add(&scaled, jumped.raw + 10, 22 * MS, 22 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 5010);
	assert_int_equal(scaled.sum.raw, 5010);
	assert_false(scaled.exact);
}

static void a_counter_opened_anew_adds_to_what_was_counted(void **state)
{
	struct scaled scaled = after((struct count){ 5000, 20 * MS, 20 * MS });

	(void)state;
	scaled_rebase(&scaled, NULL);
	assert_int_equal(scaled_value(&scaled), 5000);
	assert_int_equal(add(&scaled, 70, 5 * MS, 5 * MS), 0);
	assert_int_equal(scaled_value(&scaled), 5070);
	assert_int_equal(scaled.sum.enabled, 25 * MS);
	assert_true(scaled.exact);
	/* in the middle of an open stretch the value does not move either */
	assert_int_equal(add(&scaled, 75, 15 * MS, 5 * MS + 10), 0);
	assert_int_equal(scaled_value(&scaled), 5075);
	scaled_rebase(&scaled, NULL);
	assert_int_equal(scaled_value(&scaled), 5075);
}

static uint64_t random_up_to_bits(unsigned int bits)
{
	return random64() >> (64 - (1 + random64() % bits));
}

/* The exact sum of raw * enabled / running in units of 2^-64, by long division on 192 bits. */
struct exact {
	u128 whole;
	u128 fraction; /* 2^-128 */
};

static void exact_add(struct exact *sum, const struct count *stretch)
{
	u128 product = (u128)stretch->raw * stretch->enabled;
	u128 rest = product % stretch->running, fraction = 0;

	for (int bit = 0; bit < 128; bit++) {
		rest <<= 1;
		fraction <<= 1;
		if (rest >= stretch->running) {
			rest -= stretch->running;
			fraction |= 1;
		}
	}
	sum->whole += product / stretch->running;
	if (__builtin_add_overflow(sum->fraction, fraction, &sum->fraction))
		sum->whole++;
}

static void random_series_agree_with_exact_arithmetic_and_never_run_backwards(void **state)
{
	(void)state;
	for (int series = 0; series < 2000; series++) {
		struct scaled scaled;
		struct count now = { 0 };
		struct exact exact = { 0 };
		uint64_t before = 0;

		scaled_start(&scaled);
		for (int i = 0; i < 200; i++) {
			struct count step;

			step.running = SCALE_SAMPLE_MIN + random_up_to_bits(36);
			step.enabled = step.running + random_up_to_bits(38);
			step.raw = random64() % (step.running * 8);
			now.raw += step.raw;
			now.enabled += step.enabled;
			now.running += step.running;
			exact_add(&exact, &step);
			assert_int_equal(scaled_add(&scaled, &now), 0);
			assert_true(scaled_value(&scaled) >= before);
			before = scaled_value(&scaled);
			/* 200 roundings of 2^-64 each may hold back one whole count, no more */
			assert_in_range((uint64_t)exact.whole - before, 0, 1);
		}
	}
}

/* Readers come at any moment: open stretches, idle ones, rebases and contradictions mixed. */
static void whatever_is_read_the_value_never_falls(void **state)
{
	(void)state;
	for (int series = 0; series < 2000; series++) {
		struct scaled scaled;
		struct count now = { 0 };
		uint64_t before = 0;

		scaled_start(&scaled);
		for (int i = 0; i < 200; i++) {
			uint64_t enabled = random_up_to_bits(30);
			uint64_t running = random64() % 3 ? random64() % (enabled + 1) : 0;

			now.enabled += enabled;
			now.running += running;
			now.raw += running ? random64() % (running * 4) : 0;
			if (random64() % 50 == 0) {
				scaled_rebase(&scaled, NULL);
				now = (struct count){ 0 };
			} else if (random64() % 50 == 0) {
				now.raw ^= 1ULL << 63;
			}
			if (scaled_add(&scaled, &now) == -EIO)
				scaled_rebase(&scaled, &now);
			assert_true(scaled_value(&scaled) >= before);
			assert_true(scaled_value(&scaled) >= scaled.sum.raw);
			before = scaled_value(&scaled);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_count_is_exact_while_the_event_has_its_counter),
		cmocka_unit_test(a_known_ratio_is_scaled_to_the_truth),
		cmocka_unit_test(a_stretch_is_scaled_by_its_own_times_alone),
		cmocka_unit_test(the_product_of_count_and_time_takes_more_than_64_bits),
		cmocka_unit_test(a_total_that_passes_64_bits_goes_on_from_zero),
		cmocka_unit_test(a_raw_count_that_wraps_is_a_step_forward),
		cmocka_unit_test(many_short_stretches_lose_nothing_to_rounding),
		cmocka_unit_test(a_stretch_without_the_pmu_stays_open_until_the_event_has_run),
		cmocka_unit_test(a_sample_shorter_than_the_least_is_not_blown_up),
		cmocka_unit_test(an_event_that_never_ran_has_no_value),
		cmocka_unit_test(readings_that_contradict_are_refused_and_change_nothing),
		cmocka_unit_test(the_fastest_real_counters_are_believed),
		cmocka_unit_test(after_a_contradiction_counting_goes_on_from_the_kept_total),
		cmocka_unit_test(a_counter_opened_anew_adds_to_what_was_counted),
		cmocka_unit_test(random_series_agree_with_exact_arithmetic_and_never_run_backwards),
		cmocka_unit_test(whatever_is_read_the_value_never_falls),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("scale", tests, NULL, NULL);
}
