// SPDX-License-Identifier: GPL-2.0-only
/* Open files: every one its own, used again once closed, no memory lost over many opens. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fs/handles.h"

#define MANY 1000

static void every_open_file_has_a_handle_of_its_own(void **state)
{
	struct handles handles;
	uint32_t taken[MANY];

	(void)state;
	handles_init(&handles);
	for (uint32_t i = 0; i < MANY; i++) {
		struct handle *handle;

		assert_int_equal(handles_take(&handles, 7, &taken[i]), 0);
		handle = handles_get(&handles, taken[i]);
		assert_non_null(handle);
		text_add_u64(&handle->text, i);
		handle->write_end = i;
	}
	for (uint32_t i = 0; i < MANY; i++) {
		struct handle *handle = handles_get(&handles, taken[i]);
		char want[DECIMAL_MAX];

		assert_int_equal(handle->write_end, i);
		assert_int_equal(handle->text.length, decimal(want, i));
		assert_memory_equal(handle->text.data, want, handle->text.length);
	}
	handles_free(&handles);
	assert_int_equal(handles.count, 0);
}

static void a_closed_handle_is_used_again(void **state)
{
	struct handles handles;
	uint32_t index, count;

	(void)state;
	handles_init(&handles);
	assert_int_equal(handles_take(&handles, 7, &index), 0);
	count = handles.count;
	for (int i = 0; i < 100000; i++) {
		handles_give_back(&handles, index);
		assert_int_equal(handles_take(&handles, 7, &index), 0);
	}
	assert_int_equal(handles.count, count);
	handles_free(&handles);
}

static void a_new_open_sees_nothing_of_the_one_before(void **state)
{
	struct handles handles;
	struct handle *handle;
	uint32_t index, again;

	(void)state;
	handles_init(&handles);
	assert_int_equal(handles_take(&handles, 7, &index), 0);
	handle = handles_get(&handles, index);
	text_add_string(&handle->text, "4711\n");
	text_add(&handle->text, "x", SIZE_MAX); /* leaves a remembered failure */
	handle->rendered = true;
	handle->write_end = 17;
	handles_give_back(&handles, index);
	assert_int_equal(handles_take(&handles, 7, &again), 0);
	assert_int_equal(again, index);
	handle = handles_get(&handles, again);
	assert_int_equal(handle->text.length, 0);
	assert_int_equal(text_error(&handle->text), 0);
	assert_false(handle->rendered);
	assert_int_equal(handle->write_end, 0);
	handles_free(&handles);
}

static void a_closed_handle_keeps_a_counter_s_memory_but_not_a_large_text_s(void **state)
{
	static const char large[1 << 20];
	struct handles handles;
	struct handle *handle;
	uint32_t index;

	(void)state;
	handles_init(&handles);
	assert_int_equal(handles_take(&handles, 7, &index), 0);
	handle = handles_get(&handles, index);
	text_add_u64(&handle->text, 1);
	handles_give_back(&handles, index);
	assert_non_null(handle->text.data);
	assert_int_equal(handles_take(&handles, 7, &index), 0);
	handle = handles_get(&handles, index);
	text_add(&handle->text, large, sizeof(large));
	handles_give_back(&handles, index);
	assert_null(handle->text.data);
	handles_free(&handles);
}

static void a_node_is_had_from_its_first_open_to_its_last_close(void **state)
{
	struct handles handles;
	uint32_t first, second;

	(void)state;
	handles_init(&handles);
	assert_false(handles_have(&handles, 7));
	assert_int_equal(handles_take(&handles, 7, &first), 0);
	assert_int_equal(handles_take(&handles, 7, &second), 0);
	assert_false(handles_have(&handles, 8));
	handles_give_back(&handles, first);
	assert_true(handles_have(&handles, 7));
	handles_give_back(&handles, second);
	assert_false(handles_have(&handles, 7));
	handles_free(&handles);
}

static void all_texts_together_are_bounded(void **state)
{
	static const char large[1 << 20];
	struct handles handles;
	uint32_t index[HANDLES_TEXT_MAX / sizeof(large) + 1];
	size_t taken = 0;
	int r = 0;

	(void)state;
	handles_init(&handles);
	while (!r && taken < sizeof(index) / sizeof(index[0])) {
		struct handle *handle;

		assert_int_equal(handles_take(&handles, 7, &index[taken]), 0);
		handle = handles_get(&handles, index[taken++]);
		text_add(&handle->text, large, sizeof(large));
		r = handles_charge(&handles, handle);
		/* the same text again costs nothing more */
		if (!r)
			assert_int_equal(handles_charge(&handles, handle), 0);
	}
	assert_int_equal(r, -ENOMEM);
	assert_null(handles_get(&handles, index[taken - 1])->text.data);
	/* a close makes room */
	handles_give_back(&handles, index[0]);
	text_add(&handles_get(&handles, index[taken - 1])->text, large, sizeof(large));
	assert_int_equal(handles_charge(&handles, handles_get(&handles, index[taken - 1])), 0);
	handles_free(&handles);
}

static void a_number_that_is_no_handle_gives_none(void **state)
{
	struct handles handles;
	uint32_t index;

	(void)state;
	handles_init(&handles);
	assert_null(handles_get(&handles, 0));
	handles_give_back(&handles, 0);
	assert_int_equal(handles_take(&handles, 7, &index), 0);
	assert_null(handles_get(&handles, handles.count));
	assert_null(handles_get(&handles, HANDLE_NONE));
	/* above 32 bits, where cutting would hit a handle that is in use */
	assert_null(handles_get(&handles, 1ULL << 32 | index));
	assert_null(handles_get(&handles, UINT64_MAX));
	handles_give_back(&handles, HANDLE_NONE);
	handles_free(&handles);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_open_file_has_a_handle_of_its_own),
		cmocka_unit_test(a_closed_handle_is_used_again),
		cmocka_unit_test(a_new_open_sees_nothing_of_the_one_before),
		cmocka_unit_test(a_closed_handle_keeps_a_counter_s_memory_but_not_a_large_text_s),
		cmocka_unit_test(a_node_is_had_from_its_first_open_to_its_last_close),
		cmocka_unit_test(all_texts_together_are_bounded),
		cmocka_unit_test(a_number_that_is_no_handle_gives_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
