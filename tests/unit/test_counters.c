// SPDX-License-Identifier: GPL-2.0-only
/* Changing the counter set: events come and go together, and what is refused changes nothing. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "counter_set.h"

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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_x86);
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
	boot_with_fake_source(fake_arm64);
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
	boot_with_fake_source(fake_x86);
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
		{ PMU "software/type", "1\n" },
		{ NULL, NULL },
	};
	static char text[1 << 16];

	(void)state;
	boot_with_kernel(one);
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
	boot_with_fake_source(fake_x86);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
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
