// SPDX-License-Identifier: GPL-2.0-only
/* event/spec.h: the grammar of event names and lists of them. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/spec.h"

/* What a word comes to, in one line: kind, head, tail or terms, modifiers. */
static void describe(const struct event_spec *spec, char *out, size_t size)
{
	static const char *const kinds[] = { "symbol", "raw", "pmu", "tracepoint", "vendor" };
	const struct event_modifiers *m = &spec->modifiers;
	size_t used;

	used = (size_t)snprintf(out, size, "%s %s", kinds[spec->kind], spec->head);
	if (spec->tail)
		used += (size_t)snprintf(out + used, size - used, " %s", spec->tail);
	if (spec->kind == EVENT_RAW)
		used += (size_t)snprintf(out + used, size - used, " 0x%llx",
					 (unsigned long long)spec->raw);
	for (size_t i = 0; i < spec->term_count; i++)
		used += (size_t)snprintf(out + used, size - used, " %s%s%s", spec->terms[i].name,
					 spec->terms[i].value ? "=" : "",
					 spec->terms[i].value ? spec->terms[i].value : "");
	snprintf(out + used, size - used, "%s%s%s%s%s%s%s%s%s%s%.*s", m->user ? " +u" : "",
		 m->kernel ? " +k" : "", m->hypervisor ? " +h" : "", m->host ? " +H" : "",
		 m->guest ? " +G" : "", m->idle ? " +I" : "", m->pinned ? " +D" : "",
		 m->exclusive ? " +e" : "", m->precise_most ? " +P" : "", m->precise ? " " : "",
		 (int)m->precise, "ppp");
}

static void names_of_all_kinds_are_parsed(void **state)
{
	static const struct {
		const char *word, *name, *text, *parts;
	} words[] = {
		{ "cycles", "cycles", "cycles", "symbol cycles" },
		{ "cycles:u", "cycles:u", "cycles:u", "symbol cycles +u" },
		{ "cycles:ukhGHIDeP", "cycles:ukhGHIDeP", "cycles:ukhGHIDeP",
		  "symbol cycles +u +k +h +H +G +I +D +e +P" },
		{ "cycles:ppp", "cycles:ppp", "cycles:ppp", "symbol cycles ppp" },
		{ "L1-dcache-load-misses", "L1-dcache-load-misses", "L1-dcache-load-misses",
		  "symbol L1-dcache-load-misses" },
		{ "topdown-retiring", "topdown-retiring", "topdown-retiring",
		  "symbol topdown-retiring" },
		{ "r11", "r11", "r11", "raw r11 0x11" },
		{ "r1A3:k", "r1A3:k", "r1A3:k", "raw r1A3 0x1a3 +k" },
		{ "rffffffffffffffff", "rffffffffffffffff", "rffffffffffffffff",
		  "raw rffffffffffffffff 0xffffffffffffffff" },
		{ "r", "r", "r", "symbol r" },
		{ "ref-cycles", "ref-cycles", "ref-cycles", "symbol ref-cycles" },
		{ "cpu/event=0x3c,umask=1/", "cpu:event=0x3c:umask=1", "cpu/event=0x3c,umask=1/",
		  "pmu cpu event=0x3c umask=1" },
		{ "armv8_pmuv3/l2d_cache/", "armv8_pmuv3:l2d_cache", "armv8_pmuv3/l2d_cache/",
		  "pmu armv8_pmuv3 l2d_cache" },
		{ "cpu/cycles/u", "cpu:cycles:u", "cpu/cycles/u", "pmu cpu cycles +u" },
		{ "cpu/cycles/:uk", "cpu:cycles:uk", "cpu/cycles/:uk", "pmu cpu cycles +u +k" },
		{ "cpu/event=1,name=loads/", "loads", "cpu/event=1,name=loads/",
		  "pmu cpu event=1" },
		{ "cycles/name=c/", "c", "cycles/name=c/", "pmu cycles" },
		{ "mine=cpu/event=1,name=loads/", "mine", "cpu/event=1,name=loads/",
		  "pmu cpu event=1" },
		{ "mine=cycles:u", "mine", "cycles:u", "symbol cycles +u" },
		{ "a:b=c=cpu/cycles/", "a:b=c", "cpu/cycles/", "pmu cpu cycles" },
		{ "sched:sched_switch", "sched:sched_switch", "sched:sched_switch",
		  "tracepoint sched sched_switch" },
		{ "sched:sched_switch:u", "sched:sched_switch:u", "sched:sched_switch:u",
		  "tracepoint sched sched_switch +u" },
		{ "sw=sched:sched_switch", "sw", "sched:sched_switch",
		  "tracepoint sched sched_switch" },
		{ "skl::INST_RETIRED:ANY_P", "skl::INST_RETIRED:ANY_P", "skl::INST_RETIRED:ANY_P",
		  "vendor skl::INST_RETIRED:ANY_P" },
		{ "skl::INST_RETIRED:ANY_P:u", "skl::INST_RETIRED:ANY_P:u",
		  "skl::INST_RETIRED:ANY_P:u", "vendor skl::INST_RETIRED:ANY_P +u" },
		{ "INST_RETIRED:c=1", "INST_RETIRED:c=1", "INST_RETIRED:c=1",
		  "vendor INST_RETIRED:c=1" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct refusal why = { 0 };
		struct event_spec spec;
		char parts[256];

		if (event_spec_parse(words[i].word, strlen(words[i].word), &spec, &why))
			fail_msg("'%s' was refused: %s", words[i].word, why.message);
		describe(&spec, parts, sizeof(parts));
		assert_string_equal(parts, words[i].parts);
		assert_string_equal(spec.name, words[i].name);
		assert_string_equal(spec.text, words[i].text);
		event_spec_free(&spec);
	}
}

/* Copies to memory of its own, so that a checker sees every byte read beyond the word. */
static int parse_exact(const char *word, size_t length, struct event_spec *spec,
		       struct refusal *why)
{
	char *copy = malloc(length ? length : 1);
	int error;

	assert_non_null(copy);
	memcpy(copy, word, length);
	error = event_spec_parse(copy, length, spec, why);
	free(copy);
	return error;
}

static void bad_words_are_refused_by_name(void **state)
{
	static const struct {
		const char *word, *says;
	} words[] = {
		{ "", "empty" },
		{ "=", "no event behind '='" },
		{ "=cycles", "no name" },
		{ "x=", "no event behind 'x='" },
		{ "stat=cycles", "'stat'" },
		{ "enable=cycles", "'enable'" },
		{ "stat", "'stat'" },
		{ ".=cycles", "'.'" },
		{ "..=cycles", "'..'" },
		{ "+x=cycles", "'+x'" },
		{ "-x=cycles", "'-x'" },
		{ "+cycles", "'+cycles'" },
		{ "-cycles", "'-cycles'" },
		{ "..", "'..'" },
		{ "cycles:", "no modifier behind ':'" },
		{ ":u", "no event name" },
		{ ":", "" },
		{ "::", "" },
		{ ":::::", "" },
		{ "cycles:uu", "'u' is given twice" },
		{ "cycles:kHk", "'k' is given twice" },
		{ "cycles:pppp", "3 times" },
		{ "cycles:x", "unknown modifier 'x'" },
		{ "L1-dcache-loads:uz", "unknown modifier 'z'" },
		{ "r11:z", "unknown modifier 'z'" },
		{ "cycles:S", "means nothing" },
		{ "cycles:uW", "means nothing" },
		{ "cycles:b", "means nothing" },
		{ "cycles:R", "means nothing" },
		{ "cpu/cycles/x", "unknown modifier 'x'" },
		{ "cpu/cycles/:", "no modifier behind ':'" },
		{ "cpu/cycles//", "unknown modifier '/'" },
		{ "cpu/cycles/,x", "unknown modifier ','" },
		{ "r11112222333344445", "more than 64 bits" },
		{ "cpu/", "not closed" },
		{ "cpu/event=1", "not closed" },
		{ "cpu//", "no event between" },
		{ "/", "no PMU" },
		{ "//", "no PMU" },
		{ "/cycles/", "no PMU" },
		{ "../etc/", "'..' is no PMU" },
		{ "a..b=../etc/", "'..' is no PMU" },
		{ "cpu/,/", "empty term" },
		{ "cpu/event=1,/", "empty term" },
		{ "cpu/,event=1/", "empty term" },
		{ "cpu/event=/", "no value behind 'event='" },
		{ "cpu/=1/", "no term" },
		{ "cpu/event=1,event=2/", "'event' is given twice" },
		{ "cpu/name=a,name=b/", "'name' is given twice" },
		{ "cpu/event=1,name/", "'name'" },
		{ "cpu/event=1,name=stat/", "'stat'" },
		{ "sched:", "" },
		{ ":sched_switch", "no tracepoint system" },
		{ "sched:.", "'.' is no tracepoint" },
		{ "..:..", "'..' is no tracepoint system" },
		{ "a:b:", "half" },
		{ "{cycles", "no groups" },
		{ "instructions}", "no groups" },
		{ "cyc les", "a space" },
		{ "cyc\tles", "not printable" },
		{ "cycles\n", "not printable" },
		{ "c\303\274cles", "not printable" },
		{ "cyc%les", "'cyc%les'" },
		{ "cycles!", "'cycles!'" },
		{ "cpu/ev$nt=1/", "'ev$nt'" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		struct refusal why = { 0 };
		struct event_spec spec;
		int error = parse_exact(words[i].word, strlen(words[i].word), &spec, &why);

		if (error != -EINVAL)
			fail_msg("'%s': answer %d", words[i].word, error);
		if (!why.message[0] || !strstr(why.message, words[i].says))
			fail_msg("'%s': \"%s\" does not say \"%s\"", words[i].word, why.message,
				 words[i].says);
		assert_null(spec.head);
	}
}

static void a_nul_byte_anywhere_is_refused(void **state)
{
	static const char word[] = "cpu/event=1/u";
	char broken[sizeof(word)];

	(void)state;
	for (size_t i = 0; i < sizeof(word) - 1; i++) {
		struct refusal why = { 0 };
		struct event_spec spec;

		memcpy(broken, word, sizeof(word));
		broken[i] = '\0';
		assert_int_equal(parse_exact(broken, sizeof(word) - 1, &spec, &why), -EINVAL);
		assert_non_null(strstr(why.message, "NUL"));
	}
}

static void half_written_names_never_crash(void **state)
{
	static const char *const words[] = {
		"mine=cpu/event=0x3c,umask=0x1,name=loads/ukh",
		"sched:sched_switch:uk",
		"skl::INST_RETIRED:ANY_P:c=1:u",
		"L1-dcache-load-misses:ppp",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		for (size_t from = 0; from <= strlen(words[i]); from++) {
			for (size_t to = from; to <= strlen(words[i]); to++) {
				struct refusal why = { 0 };
				struct event_spec spec;

				if (parse_exact(words[i] + from, to - from, &spec, &why))
					assert_true(why.message[0]);
				else
					assert_true(spec.name[0] && spec.head[0]);
				event_spec_free(&spec);
			}
		}
	}
}

static void long_names_are_refused_at_their_limits(void **state)
{
	struct refusal why = { 0 };
	struct event_spec spec;
	char word[4096];

	(void)state;
	memset(word, 'a', sizeof(word));
	assert_int_equal(parse_exact(word, EVENT_NAME_MAX - 1, &spec, &why), 0);
	assert_int_equal(strlen(spec.name), EVENT_NAME_MAX - 1);
	event_spec_free(&spec);
	assert_int_equal(parse_exact(word, EVENT_NAME_MAX, &spec, &why), -EINVAL);
	assert_non_null(strstr(why.message, "NAME=EVENT"));
	assert_int_equal(parse_exact(word, EVENT_SPEC_MAX, &spec, &why), -EINVAL);
	assert_int_equal(parse_exact(word, sizeof(word), &spec, &why), -EINVAL);
	assert_non_null(strstr(why.message, "longer than 511"));
	/* a long event with a short name of its own is fine */
	memcpy(word, "x=", 2);
	assert_int_equal(parse_exact(word, EVENT_SPEC_MAX - 1, &spec, &why), 0);
	assert_string_equal(spec.name, "x");
	event_spec_free(&spec);
}

static void more_terms_than_there_is_room_for_are_refused(void **state)
{
	struct refusal why = { 0 };
	struct event_spec spec;
	char word[EVENT_SPEC_MAX] = "x=cpu/t0";

	(void)state;
	for (int i = 1; i < EVENT_TERMS_MAX; i++)
		snprintf(word + strlen(word), sizeof(word) - strlen(word), ",t%d", i);
	strcat(word, "/");
	assert_int_equal(event_spec_parse(word, strlen(word), &spec, &why), 0);
	assert_int_equal(spec.term_count, EVENT_TERMS_MAX);
	event_spec_free(&spec);
	word[strlen(word) - 1] = '\0';
	strcat(word, ",one_more/");
	assert_int_equal(event_spec_parse(word, strlen(word), &spec, &why), -EINVAL);
	assert_non_null(strstr(why.message, "more than 32 terms"));
}

static void assert_split(const char *list, size_t size, const char *const *words)
{
	const char *cursor = list, *end = list + size, *start;
	size_t length;

	for (; *words; words++) {
		assert_int_equal(event_list_next(&cursor, end, &start, &length), 0);
		assert_int_equal(length, strlen(*words));
		assert_memory_equal(start, *words, length);
	}
	assert_int_equal(event_list_next(&cursor, end, &start, &length), -ENOENT);
	assert_ptr_equal(cursor, end);
	assert_int_equal(event_list_next(&cursor, end, &start, &length), -ENOENT);
}

#define SPLIT(list, ...) \
	assert_split(list, sizeof(list) - 1, (const char *const[]){ __VA_ARGS__, NULL })

static void lists_are_split_at_commas_and_white_space(void **state)
{
	(void)state;
	SPLIT("cycles", "cycles");
	SPLIT("cycles,instructions", "cycles", "instructions");
	SPLIT(" cycles\n\tinstructions ,,branches\r\n", "cycles", "instructions", "branches");
	SPLIT("cpu/event=1,umask=2/u,x=cpu/a,b/ sched:sched_switch", "cpu/event=1,umask=2/u",
	      "x=cpu/a,b/", "sched:sched_switch");
	assert_split("", 0, (const char *const[]){ NULL });
	assert_split(" , \n,", 5, (const char *const[]){ NULL });
}

static void an_unclosed_slash_spoils_its_own_word_alone(void **state)
{
	(void)state;
	SPLIT("cpu/event=1,umask=2 cycles", "cpu/event=1,umask=2", "cycles");
	SPLIT("cpu/event=1\ncycles,cs", "cpu/event=1", "cycles", "cs");
}

static void a_nul_byte_stays_in_its_word(void **state)
{
	static const char list[] = "cyc\0les,cs";
	const char *cursor = list, *start;
	size_t length;

	(void)state;
	assert_int_equal(event_list_next(&cursor, list + sizeof(list) - 1, &start, &length), 0);
	assert_int_equal(length, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_all_kinds_are_parsed),
		cmocka_unit_test(bad_words_are_refused_by_name),
		cmocka_unit_test(a_nul_byte_anywhere_is_refused),
		cmocka_unit_test(half_written_names_never_crash),
		cmocka_unit_test(long_names_are_refused_at_their_limits),
		cmocka_unit_test(more_terms_than_there_is_room_for_are_refused),
		cmocka_unit_test(lists_are_split_at_commas_and_white_space),
		cmocka_unit_test(an_unclosed_slash_spoils_its_own_word_alone),
		cmocka_unit_test(a_nul_byte_stays_in_its_word),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
