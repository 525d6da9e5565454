// SPDX-License-Identifier: GPL-2.0-only
/* Text that grows: numbers at their edges, memory that is kept, failures that are remembered. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

static void assert_text(const struct text *text, const char *want)
{
	assert_int_equal(text_error(text), 0);
	assert_int_equal(text->length, strlen(want));
	if (text->length)
		assert_memory_equal(text->data, want, text->length);
}

static void decimal_agrees_with_printf_at_every_power_of_ten(void **state)
{
	uint64_t power = 1;

	(void)state;
	for (int digits = 1; digits <= DECIMAL_MAX; digits++, power *= 10) {
		const uint64_t values[] = { power - 1, power, power + 1 };

		for (size_t i = 0; i < 3; i++) {
			char got[DECIMAL_MAX + 1] = "", want[DECIMAL_MAX + 1];

			snprintf(want, sizeof(want), "%" PRIu64, values[i]);
			assert_int_equal(decimal(got, values[i]), strlen(want));
			assert_string_equal(got, want);
		}
	}
}

static void decimal_of_the_largest_value_fills_its_room_and_no_more(void **state)
{
	char got[DECIMAL_MAX + 1];

	(void)state;
	got[DECIMAL_MAX] = '!';
	assert_int_equal(decimal(got, UINT64_MAX), DECIMAL_MAX);
	assert_memory_equal(got, "18446744073709551615!", DECIMAL_MAX + 1);
	assert_int_equal(decimal(got, 0), 1);
	assert_int_equal(got[0], '0');
}

static void parts_stand_one_after_the_other(void **state)
{
	struct text text = { 0 };

	(void)state;
	assert_text(&text, "");
	text_add_string(&text, "a");
	text_add_char(&text, ' ');
	text_add_u64(&text, UINT64_MAX);
	text_add_format(&text, " %s %d", "b", -1);
	text_add(&text, "cdef", 2);
	text_add(&text, NULL, 0);
	text_add_string(&text, "");
	text_add_format(&text, "%s", "");
	assert_text(&text, "a 18446744073709551615 b -1cd");
	text_free(&text);
}

static void nul_bytes_are_bytes_like_others(void **state)
{
	struct text text = { 0 };

	(void)state;
	text_add(&text, "a\0b", 3);
	text_add_char(&text, '\0');
	assert_int_equal(text.length, 4);
	assert_memory_equal(text.data, "a\0b", 4);
	text_free(&text);
}

/* Every length around the first capacities, by each way of adding. */
static void growth_keeps_what_is_there(void **state)
{
	char want[2100];

	(void)state;
	for (size_t i = 0; i < sizeof(want); i++)
		want[i] = (char)('a' + i % 26);
	for (size_t length = 240; length < 1100; length++) {
		struct text text = { 0 };

		text_add(&text, want, length);
		text_add_format(&text, "%.*s", 1000, want + length);
		assert_int_equal(text_error(&text), 0);
		assert_int_equal(text.length, length + 1000);
		assert_memory_equal(text.data, want, length + 1000);
		assert_true(text.capacity >= text.length);
		text_free(&text);
	}
}

static void one_character_at_a_time_makes_a_mebibyte(void **state)
{
	struct text text = { 0 };

	(void)state;
	for (size_t i = 0; i < 1 << 20; i++)
		text_add_char(&text, (char)i);
	assert_int_equal(text_error(&text), 0);
	assert_int_equal(text.length, 1 << 20);
	for (size_t i = 0; i < 1 << 20; i++)
		assert_int_equal((unsigned char)text.data[i], i & 0xff);
	text_free(&text);
}

static void a_cleared_text_keeps_its_memory(void **state)
{
	struct text text = { 0 };
	const char *data;
	size_t capacity;

	(void)state;
	text_add_string(&text, "first");
	data = text.data;
	capacity = text.capacity;
	text_clear(&text);
	assert_text(&text, "");
	assert_int_equal(text.capacity, capacity);
	text_add_string(&text, "again");
	assert_text(&text, "again");
	assert_ptr_equal(text.data, data);
	text_free(&text);
	assert_null(text.data);
	assert_int_equal(text.capacity, 0);
}

static void a_failure_is_remembered_until_the_text_is_cleared(void **state)
{
	struct text text = { 0 };

	(void)state;
	text_add_string(&text, "before");
	text_add(&text, "x", SIZE_MAX); /* more than there is memory */
	assert_int_equal(text_error(&text), -ENOMEM);
	text_add_string(&text, "after");
	text_add_u64(&text, 1);
	text_add_format(&text, "%d", 1);
	assert_int_equal(text_error(&text), -ENOMEM);
	/* half a text never looks like a whole one: nothing was added behind the gap */
	assert_int_equal(text.length, strlen("before"));
	text_clear(&text);
	text_add_string(&text, "anew");
	assert_text(&text, "anew");
	text_free(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(decimal_agrees_with_printf_at_every_power_of_ten),
		cmocka_unit_test(decimal_of_the_largest_value_fills_its_room_and_no_more),
		cmocka_unit_test(parts_stand_one_after_the_other),
		cmocka_unit_test(nul_bytes_are_bytes_like_others),
		cmocka_unit_test(growth_keeps_what_is_there),
		cmocka_unit_test(one_character_at_a_time_makes_a_mebibyte),
		cmocka_unit_test(a_cleared_text_keeps_its_memory),
		cmocka_unit_test(a_failure_is_remembered_until_the_text_is_cleared),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
