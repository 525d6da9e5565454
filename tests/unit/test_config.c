// SPDX-License-Identifier: GPL-2.0-only
/* The configuration file: every key, and every way to get it wrong, named by file, line and word. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/log.h"
#include "config.h"

struct place {
	char directory[64];
	char path[80];
	struct config config;
	struct refusal why;
};

static int setup(void **state)
{
	struct place *place = calloc(1, sizeof(*place));

	assert_non_null(place);
	strcpy(place->directory, "/tmp/pmufs-config.XXXXXX");
	assert_non_null(mkdtemp(place->directory));
	snprintf(place->path, sizeof(place->path), "%s/conf", place->directory);
	assert_int_equal(config_init(&place->config), 0);
	*state = place;
	return 0;
}

static int teardown(void **state)
{
	struct place *place = *state;

	config_free(&place->config);
	unlink(place->path);
	assert_int_equal(rmdir(place->directory), 0);
	free(place);
	return 0;
}

static int read_bytes(struct place *place, const char *bytes, size_t length)
{
	FILE *file = fopen(place->path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, length, file), length);
	assert_int_equal(fclose(file), 0);
	place->why.message[0] = '\0';
	return config_read(&place->config, place->path, true, &place->why);
}

static int read_text(struct place *place, const char *text)
{
	return read_bytes(place, text, strlen(text));
}

/* The text is refused, and the sentence is PATH:LINE: followed by something with the word in it. */
static void assert_refused(struct place *place, const char *text, int line, const char *word)
{
	char head[128];

	assert_int_equal(read_text(place, text), -EINVAL);
	snprintf(head, sizeof(head), "%s:%d: ", place->path, line);
	if (strncmp(place->why.message, head, strlen(head)) != 0 ||
	    !strstr(place->why.message + strlen(head), word))
		fail_msg("got '%s', want '%s' and '%s'", place->why.message, head, word);
}

static void without_a_file_the_built_in_values_hold(void **state)
{
	const struct place *place = *state;

	assert_string_equal(place->config.events, CONFIG_DEFAULT_EVENTS);
	assert_string_equal(place->config.group, "pmu");
	assert_false(place->config.access_all);
	assert_int_equal(place->config.log_level, LOG_INFO);
}

static void every_key_is_taken(void **state)
{
	struct place *place = *state;

	assert_int_equal(read_text(place, "; a comment\n"
					  "# another\n"
					  "[counters]\n"
					  "events = cycles,cpu/event=0x3c,umask=1/:u\n"
					  "\n"
					  "[files]\n"
					  "access=all\n"
					  "group  =  perfreaders \n"
					  "[log]\n"
					  "level = warning\n"),
			 0);
	assert_string_equal(place->config.events, "cycles,cpu/event=0x3c,umask=1/:u");
	assert_true(place->config.access_all);
	assert_string_equal(place->config.group, "perfreaders");
	assert_int_equal(place->config.log_level, LOG_WARNING);
	assert_string_equal(place->why.message, "");
}

static void every_word_of_a_choice_is_taken(void **state)
{
	static const struct {
		const char *word;
		int level;
	} levels[] = { { "error", LOG_ERR },
		       { "warning", LOG_WARNING },
		       { "notice", LOG_NOTICE },
		       { "info", LOG_INFO },
		       { "debug", LOG_DEBUG } };
	struct place *place = *state;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		char text[64];

		snprintf(text, sizeof(text), "[log]\nlevel = %s\n", levels[i].word);
		assert_int_equal(read_text(place, text), 0);
		assert_int_equal(place->config.log_level, levels[i].level);
	}
	assert_int_equal(read_text(place, "[files]\naccess = all\n"), 0);
	assert_true(place->config.access_all);
	assert_int_equal(read_text(place, "[files]\naccess = group\n"), 0);
	assert_false(place->config.access_all);
}

static void an_empty_file_changes_nothing(void **state)
{
	struct place *place = *state;

	assert_int_equal(read_text(place, ""), 0);
	assert_int_equal(read_text(place, "\n\n# nothing\n"), 0);
	without_a_file_the_built_in_values_hold(state);
}

static void an_unknown_word_is_named_with_file_and_line(void **state)
{
	struct place *place = *state;

	assert_refused(place, "\n[counters]\nevent = cycles\n", 3, "'event'");
	assert_refused(place, "[files]\nlevel = info\n", 2, "'level'");
	assert_refused(place, "[file]\naccess = all\n", 1, "[file]");
	assert_refused(place, "access = all\n", 1, "section");
	/* one that holds no key as well: what stood in it may have been commented out */
	assert_refused(place, "[log]\n[colours]\n", 2, "[colours]");
	assert_refused(place, "[files]\naccess = everybody\n", 2, "everybody");
	assert_refused(place, "[files]\naccess = everybody\n", 2, "group, all");
	assert_refused(place, "[log]\n\n\nlevel = loud\n", 4, "loud");
	assert_refused(place, "[log]\nlevel =\n", 2, "error, warning, notice, info, debug");
	assert_refused(place, "[files]\ngroup =\n", 2, "group");
	assert_refused(place, "[files]\nAccess = all\n", 2, "'Access'");
}

static void a_line_that_is_nothing_is_named(void **state)
{
	struct place *place = *state;

	assert_refused(place, "[counters]\nevents cycles\n", 2, "key = value");
	assert_refused(place, "[counters\nevents = cycles\n", 1, "[section]");
}

static void the_first_fault_is_the_one_told(void **state)
{
	static const char nul[] = "[log]\nlevel = loud\n\0\n";
	struct place *place = *state;

	assert_refused(place, "[log]\nlevel = loud\n[files]\naccess = nobody\n", 2, "loud");
	assert_refused(place, "[log]\nnonsense\nlevel = loud\n", 2, "key = value");
	assert_refused(place, "[log]\nlevel = loud\nnonsense\n", 2, "loud");
	assert_int_equal(read_bytes(place, nul, sizeof(nul) - 1), -EINVAL);
	assert_non_null(strstr(place->why.message, "conf:2: level = loud"));
}

static void events_go_on_over_lines(void **state)
{
	struct place *place = *state;

	assert_int_equal(read_text(place, "[counters]\n"
					  "events = cycles,instructions\n"
					  "\tcpu-clock:u\n"
					  "# said between\n"
					  "    sched:sched_switch page-faults\n"
					  "events = cpu-migrations\n"),
			 0);
	assert_string_equal(place->config.events,
			    "cycles,instructions,cpu-clock:u,sched:sched_switch "
			    "page-faults,cpu-migrations");
}

static void no_events_is_a_mistake(void **state)
{
	struct place *place = *state;

	assert_refused(place, "[counters]\nevents =\n", 2, "events");
	assert_refused(place, "[counters]\nevents =    \n", 2, "events");
	assert_refused(place, "[counters]\nevents = ; none\n", 2, "events");
}

static void a_line_is_never_cut_silently(void **state)
{
	struct place *place = *state;
	char text[1024] = "[counters]\nevents = ";

	while (strlen(text) < 500)
		strcat(text, "page-faults,");
	strcat(text, "\n[log]\nlevel = loud\n");
	assert_refused(place, text, 2, "longer than");
	/* the longest line that is taken, and one more */
	for (int more = 0; more < 2; more++) {
		int digits = 198 - (int)strlen("group = ") + more;

		snprintf(text, sizeof(text), "[files]\ngroup = %0*d\n", digits, 0);
		if (more)
			assert_refused(place, text, 2, "198");
		else
			assert_int_equal(read_text(place, text), 0);
	}
}

static void windows_line_ends_are_taken(void **state)
{
	struct place *place = *state;

	assert_int_equal(read_text(place, "[counters]\r\nevents = cycles\r\n\r\n[files]\r\n"
					  "access = all\r\n"),
			 0);
	assert_string_equal(place->config.events, "cycles");
	assert_true(place->config.access_all);
}

static void a_nul_byte_is_refused(void **state)
{
	static const char early[] = "[counters]\nevents = cycles\0,page-faults\n";
	static const char late[] = "[counters]\nevents = cycles\n\0";
	struct place *place = *state;

	assert_int_equal(read_bytes(place, early, sizeof(early) - 1), -EINVAL);
	assert_non_null(strstr(place->why.message, "conf:2: "));
	assert_non_null(strstr(place->why.message, "NUL"));
	assert_int_equal(read_bytes(place, late, sizeof(late) - 1), -EINVAL);
	assert_non_null(strstr(place->why.message, "conf:3: "));
}

static void a_last_line_needs_no_end(void **state)
{
	struct place *place = *state;

	assert_int_equal(read_text(place, "[files]\ngroup = games"), 0);
	assert_string_equal(place->config.group, "games");
	assert_refused(place, "[files]\ngroup", 2, "key = value");
}

static void a_missing_file_is_a_mistake_only_when_it_was_named(void **state)
{
	struct place *place = *state;

	assert_int_equal(config_read(&place->config, place->path, false, &place->why), 0);
	assert_string_equal(place->why.message, "");
	assert_int_equal(config_read(&place->config, place->path, true, &place->why), -ENOENT);
	assert_non_null(strstr(place->why.message, place->path));
}

static void a_file_that_cannot_be_read_is_a_mistake_always(void **state)
{
	struct place *place = *state;

	assert_true(config_read(&place->config, place->directory, false, &place->why) < 0);
	assert_non_null(strstr(place->why.message, place->directory));
	assert_int_equal(symlink("conf", place->path), 0);
	assert_int_equal(config_read(&place->config, place->path, false, &place->why), -ELOOP);
	assert_non_null(strstr(place->why.message, place->path));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(without_a_file_the_built_in_values_hold),
		TEST(every_key_is_taken),
		TEST(every_word_of_a_choice_is_taken),
		TEST(an_empty_file_changes_nothing),
		TEST(an_unknown_word_is_named_with_file_and_line),
		TEST(a_line_that_is_nothing_is_named),
		TEST(the_first_fault_is_the_one_told),
		TEST(events_go_on_over_lines),
		TEST(no_events_is_a_mistake),
		TEST(a_line_is_never_cut_silently),
		TEST(windows_line_ends_are_taken),
		TEST(a_nul_byte_is_refused),
		TEST(a_last_line_needs_no_end),
		TEST(a_missing_file_is_a_mistake_only_when_it_was_named),
		TEST(a_file_that_cannot_be_read_is_a_mistake_always),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("config", tests, NULL, NULL);
}
