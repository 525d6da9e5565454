// SPDX-License-Identifier: GPL-2.0-only
/* The sentence that says why something was refused: one line, whatever was in the refused word. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/refusal.h"

static void the_error_comes_back_with_the_sentence(void **state)
{
	struct refusal why = { "" };

	(void)state;
	assert_int_equal(refuse(&why, -ENOENT, "'%s' is no event", "cycels"), -ENOENT);
	assert_string_equal(why.message, "'cycels' is no event");
}

static void nobody_has_to_ask_for_the_sentence(void **state)
{
	(void)state;
	assert_int_equal(refuse(NULL, -EINVAL, "%s", "unheard"), -EINVAL);
}

static void control_characters_become_question_marks(void **state)
{
	struct refusal why = { "" };

	(void)state;
	refuse(&why, -EINVAL, "%s", "a\nb\tc\rd\x1b[31me\x7f.");
	assert_string_equal(why.message, "a?b?c?d?[31me?.");
	for (int c = 1; c < 256; c++) {
		refuse(&why, -EINVAL, "<%c>", c);
		assert_int_equal(strlen(why.message), 3);
		if (c < 0x20 || c == 0x7f)
			assert_string_equal(why.message, "<?>");
		else
			assert_int_equal((unsigned char)why.message[1], c);
	}
}

static void a_long_sentence_is_cut_at_its_room(void **state)
{
	struct refusal why = { "" };
	char word[4 * REFUSAL_MAX];

	(void)state;
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_int_equal(refuse(&why, -EINVAL, "%s", word), -EINVAL);
	assert_int_equal(strlen(why.message), REFUSAL_MAX - 1);
	assert_memory_equal(why.message, word, REFUSAL_MAX - 1);
	word[REFUSAL_MAX - 1] = '\0';
	refuse(&why, -EINVAL, "%s", word);
	assert_string_equal(why.message, word);
}

static void a_sentence_can_be_built_on_the_one_before(void **state)
{
	struct refusal why = { "" };

	(void)state;
	refuse(&why, -EINVAL, "line 3");
	assert_int_equal(refuse(&why, -EIO, "events: %s!", why.message), -EIO);
	assert_string_equal(why.message, "events: line 3!");
}

static void a_later_sentence_replaces_an_earlier_one(void **state)
{
	struct refusal why = { "" };

	(void)state;
	refuse(&why, -EINVAL, "a long first sentence");
	refuse(&why, -EINVAL, "short");
	assert_string_equal(why.message, "short");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_error_comes_back_with_the_sentence),
		cmocka_unit_test(nobody_has_to_ask_for_the_sentence),
		cmocka_unit_test(control_characters_become_question_marks),
		cmocka_unit_test(a_long_sentence_is_cut_at_its_room),
		cmocka_unit_test(a_sentence_can_be_built_on_the_one_before),
		cmocka_unit_test(a_later_sentence_replaces_an_earlier_one),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("refusal", tests, NULL, NULL);
}
