// SPDX-License-Identifier: GPL-2.0-only
/* event/format.h: lines of the files below a PMU's format/. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "event/format.h"

static void formats_are_parsed_or_refused(void **state)
{
	static const struct {
		const char *line;
		int error;
		unsigned int word;
		uint64_t bits;
	} lines[] = {
		{ "config:0-7", 0, 0, 0xff },
		{ "config:0-7,32-35", 0, 0, 0xf000000ff },
		{ "config1:0", 0, 1, 1 },
		{ "config2:63", 0, 2, 1ULL << 63 },
		{ "config3:0-63", 0, 3, ~0ULL },
		{ "config:0-64", -EINVAL, 0, 0 },
		{ "config:64", -EINVAL, 0, 0 },
		{ "config:7-0", -EINVAL, 0, 0 },
		{ "config:", -EINVAL, 0, 0 },
		{ "config", -EINVAL, 0, 0 },
		{ "config4:0", -EINVAL, 0, 0 },
		{ "confi:0", -EINVAL, 0, 0 },
		{ "config:0-7,", -EINVAL, 0, 0 },
		{ "config:0-7 ", -EINVAL, 0, 0 },
		{ "", -EINVAL, 0, 0 },
		{ ":", -EINVAL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct format_field field = { 0 };

		if (format_parse(lines[i].line, &field) != lines[i].error)
			fail_msg("'%s'", lines[i].line);
		assert_int_equal(field.word, lines[i].word);
		assert_int_equal(field.bits, lines[i].bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_are_parsed_or_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
