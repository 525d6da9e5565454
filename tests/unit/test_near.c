// SPDX-License-Identifier: GPL-2.0-only
/* event/near.h: which names are offered for a misspelt word. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/near.h"

static void at_most_three_names_are_offered(void **state)
{
	static const char *const names[] = { "abcdx", "abcdy", "abcde", "abcdz", "abxde", NULL };
	char text[NEAR_TEXT_MAX];
	struct near near;

	(void)state;
	near_start(&near, "abcde1");
	for (size_t i = 0; names[i]; i++)
		near_offer(&near, names[i]);
	near_offer(&near, "abcde");
	near_text(&near, text);
	assert_string_equal(text, ": did you mean abcde, abcdx or abcdy?");
	/* swapped neighbours are one slip, and four letters allow no more */
	near_start(&near, "abdc");
	near_offer(&near, "abcd");
	near_offer(&near, "bbcc");
	near_text(&near, text);
	assert_string_equal(text, ": did you mean abcd?");
	near_start(&near, "far");
	near_offer(&near, "away");
	near_text(&near, text);
	assert_string_equal(text, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(at_most_three_names_are_offered),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
