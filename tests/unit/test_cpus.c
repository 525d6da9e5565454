// SPDX-License-Identifier: GPL-2.0-only
/* cpu/cpus.h: lists of CPUs, and a machine's possible and online ones. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cpus.h"
#include "fake_tree.h"

#define CPU "/sys/devices/system/cpu/"

static const struct fake_file nothing[] = { { NULL, NULL } };

static int setup(void **state)
{
	*state = fake_tree_new(nothing);
	return 0;
}

static int teardown(void **state)
{
	fake_tree_remove(*state);
	return 0;
}

static void write_lists(const char *root, const char *possible, const char *online)
{
	const struct fake_file files[] = { { CPU "possible", possible },
					   { CPU "online", online },
					   { NULL, NULL } };

	fake_tree_add(root, files);
}

static void a_list_is_read_as_the_kernel_writes_it(void **state)
{
	static const struct {
		const char *text;
		unsigned int count, first;
		const char *again;
	} lists[] = {
		{ "0", 1, 0, "0" },
		{ "0\n", 1, 0, "0" },
		{ "", 0, CPUS_MAX, "" },
		{ "\n", 0, CPUS_MAX, "" },
		{ "0-3,8,10-11\n", 7, 0, "0-3,8,10-11" },
		{ "63-64", 2, 63, "63-64" },
		{ "5,4,3", 3, 3, "3-5" },
		{ "0-8191", 8192, 0, "0-8191" },
		{ "8191", 1, 8191, "8191" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cpu_mask mask = { { ~0ULL } };
		char text[64];

		assert_int_equal(cpu_list_parse(lists[i].text, &mask), 0);
		assert_int_equal(cpu_mask_count(&mask), lists[i].count);
		assert_int_equal(cpu_mask_next(&mask, 0), lists[i].first);
		assert_int_equal(cpu_list_format(&mask, text, sizeof(text)), 0);
		assert_string_equal(text, lists[i].again);
	}
}

static void a_broken_list_is_refused_and_the_mask_left_alone(void **state)
{
	static const char *const lists[] = {
		"-",
		"0-",
		"0,",
		"0,\n",
		"3-1",
		"a",
		"0-3 ",
		"0,,1",
		",0",
		"8192",
		"0-8192",
		"0x3",
		"-1",
		"0-3:1/2",
		"1\n\n",
		" 1",
		"99999999999999999999",
		"0--3",
		"\n0",
		"0-3-5",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct cpu_mask mask = { { 5 } };

		if (cpu_list_parse(lists[i], &mask) != -EINVAL)
			fail_msg("'%s' was taken", lists[i]);
		assert_int_equal(mask.bits[0], 5);
	}
}

static void a_list_that_does_not_fit_is_cut_and_says_so(void **state)
{
	struct cpu_mask mask = { 0 };
	char text[6];

	(void)state;
	assert_int_equal(cpu_list_parse("10,20,30", &mask), 0);
	assert_int_equal(cpu_list_format(&mask, text, sizeof(text)), -ENOSPC);
	assert_string_equal(text, "10,20");
	assert_int_equal(cpu_list_format(&mask, text, 0), -ENOSPC);
}

static void the_longest_list_fits(void **state)
{
	char *text = malloc(CPU_LIST_MAX);
	struct cpu_mask mask = { 0 }, again;
	struct cpus cpus;
	size_t length;

	assert_non_null(text);
	for (unsigned int cpu = 1; cpu < CPUS_MAX; cpu += 2)
		cpu_mask_set(&mask, cpu, true);
	assert_int_equal(cpu_list_format(&mask, text, CPU_LIST_MAX), 0);
	assert_int_equal(cpu_list_parse(text, &again), 0);
	assert_memory_equal(&mask, &again, sizeof(mask));
	length = strlen(text);
	text[length++] = '\n';
	fake_tree_write(*state, CPU "possible", text, length);
	fake_tree_write(*state, CPU "online", "1\n", 2);
	assert_int_equal(cpus_read(*state, &cpus, NULL), 0);
	assert_memory_equal(&mask, &cpus.possible, sizeof(mask));
	free(text);
}

static void cpus_beyond_the_mask_are_never_set(void **state)
{
	struct cpu_mask mask = { 0 };

	(void)state;
	cpu_mask_set(&mask, CPUS_MAX, true);
	assert_int_equal(cpu_mask_count(&mask), 0);
	assert_false(cpu_mask_has(&mask, CPUS_MAX));
	assert_int_equal(cpu_mask_next(&mask, CPUS_MAX + 5), CPUS_MAX);
	cpu_mask_set(&mask, 70, true);
	cpu_mask_set(&mask, 71, true);
	cpu_mask_set(&mask, 70, false);
	assert_int_equal(cpu_mask_next(&mask, 0), 71);
	assert_int_equal(cpu_mask_next(&mask, 72), CPUS_MAX);
	cpu_mask_set(&mask, 130, true);
	assert_int_equal(cpu_mask_next(&mask, 72), 130);
}

static void more_possible_cpus_than_online_ones_are_no_trouble(void **state)
{
	struct cpus cpus;
	unsigned int seen = 0;

	write_lists(*state, "0-127\n", "0-3\n");
	assert_int_equal(cpus_read(*state, &cpus, NULL), 0);
	assert_int_equal(cpu_mask_count(&cpus.possible), 128);
	cpu_mask_for_each(cpu, &cpus.online) assert_int_equal(cpu, seen++);
	assert_int_equal(seen, 4);
}

static void two_hundred_and_fifty_six_cpus_are_read(void **state)
{
	struct cpus cpus;

	write_lists(*state, "0-255\n", "0-99,101-255\n");
	assert_int_equal(cpus_read(*state, &cpus, NULL), 0);
	assert_int_equal(cpu_mask_count(&cpus.possible), 256);
	assert_int_equal(cpu_mask_count(&cpus.online), 255);
	assert_false(cpu_mask_has(&cpus.online, 100));
}

static void broken_and_truncated_files_are_refused_by_name(void **state)
{
	static const struct {
		const char *possible, *online, *bad;
	} files[] = {
		{ "", "0\n", "possible" },     { "0-12", "0\n", "possible" },
		{ "0-1\n", "0-\n", "online" }, { "0-1\n", "0-1\n\n", "online" },
		{ "0-1\n", "0-1", "online" },  { "0-9999\n", "0\n", "possible" },
		{ "0-1\n", "\n", "online" },   { "0-1\n", "rubbish\n", "online" },
		{ "0-1\n", "0-2\n", "cpu" },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct cpus cpus = { .possible = { { 7 } } };
		struct refusal why = { 0 };

		write_lists(*state, files[i].possible, files[i].online);
		assert_int_equal(cpus_read(*state, &cpus, &why), -EINVAL);
		assert_non_null(strstr(why.message, files[i].bad));
		assert_int_equal(cpus.possible.bits[0], 7);
	}
	write_lists(*state, "0\n", "0\n");
	assert_int_equal(cpus_read(*state, &(struct cpus){ 0 }, NULL), 0);
	fake_tree_write(*state, CPU "possible", "0\0001\n", 4);
	assert_int_equal(cpus_read(*state, &(struct cpus){ 0 }, NULL), -EINVAL);
}

static void a_huge_file_is_refused(void **state)
{
	size_t size = 8 * 1024 * 1024;
	char *zeros = malloc(size);
	struct refusal why = { 0 };
	struct cpus cpus;

	assert_non_null(zeros);
	memset(zeros, '0', size);
	zeros[size - 1] = '\n';
	fake_tree_write(*state, CPU "possible", zeros, size);
	assert_int_equal(cpus_read(*state, &cpus, &why), -EINVAL);
	assert_non_null(strstr(why.message, "longer"));
	free(zeros);
}

static void missing_files_are_named(void **state)
{
	struct refusal why = { 0 };
	struct cpus cpus;

	fake_tree_write(*state, CPU "possible", "0\n", 2);
	assert_int_equal(cpus_read(*state, &cpus, &why), -ENOENT);
	assert_non_null(strstr(why.message, CPU "online"));
}

static void the_real_machine_is_read(void **state)
{
	struct cpus cpus;

	(void)state;
	assert_int_equal(cpus_read("", &cpus, NULL), 0);
	assert_true(cpu_mask_count(&cpus.online) >= 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_list_is_read_as_the_kernel_writes_it),
		cmocka_unit_test(a_broken_list_is_refused_and_the_mask_left_alone),
		cmocka_unit_test(a_list_that_does_not_fit_is_cut_and_says_so),
		cmocka_unit_test_setup_teardown(the_longest_list_fits, setup, teardown),
		cmocka_unit_test(cpus_beyond_the_mask_are_never_set),
		cmocka_unit_test_setup_teardown(more_possible_cpus_than_online_ones_are_no_trouble,
						setup, teardown),
		cmocka_unit_test_setup_teardown(two_hundred_and_fifty_six_cpus_are_read, setup,
						teardown),
		cmocka_unit_test_setup_teardown(broken_and_truncated_files_are_refused_by_name,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_huge_file_is_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(missing_files_are_named, setup, teardown),
		cmocka_unit_test(the_real_machine_is_read),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
