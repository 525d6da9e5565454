// SPDX-License-Identifier: GPL-2.0-only
/* The command line. What is parsed ends up in a child process, as what is printed would disturb TAP. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "options.h"

#define ARGUMENTS_MAX 12
#define GO_ON	      100 /* options_parse returned 0 */

struct outcome {
	int status; /* GO_ON, or the exit status that options_parse asks for */
	char output[4096]; /* standard output */
	char error[4096];
};

static int count_words(char *const *words)
{
	int count = 0;

	while (words[count])
		count++;
	return count;
}

static void read_all(int fd, char *out, size_t size)
{
	size_t length = 0;
	ssize_t n;

	while ((n = read(fd, out + length, size - 1 - length)) > 0)
		length += (size_t)n;
	assert_int_equal(n, 0);
	out[length] = '\0';
	close(fd);
}

static void __attribute__((noreturn)) parse_in_child(char *const *words, const int *to)
{
	struct options options;
	int status = -1, go_on;

	dup2(to[0], STDOUT_FILENO);
	dup2(to[1], STDERR_FILENO);
	go_on = options_parse(count_words(words), (char **)words, &options, &status) == 0;
	if (go_on)
		printf("foreground=%d config=%s events=%s options=%s mount=%s\n",
		       options.foreground, options.config ? options.config : "-",
		       options.events ? options.events : "-",
		       options.mount_options ? options.mount_options : "-", options.mount_point);
	options_free(&options);
	fflush(NULL);
	_exit(go_on ? GO_ON : status);
}

/* Parses the words behind the program's name, separated by '|' ("-c|a b" are two). */
static struct outcome parse(const char *line)
{
	char copy[256] = "", *words[ARGUMENTS_MAX + 2] = { (char *)"pmufs" };
	int out[2], error[2], status, count = 1;
	struct outcome outcome;
	pid_t pid;

	strncat(copy, line, sizeof(copy) - 1);
	for (char *rest = copy, *word; *line && (word = strsep(&rest, "|"));)
		words[count++] = word;
	assert_true(count <= ARGUMENTS_MAX);
	assert_int_equal(pipe(out) | pipe(error), 0);
	fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		parse_in_child(words, (const int[]){ out[1], error[1] });
	close(out[1]);
	close(error[1]);
	read_all(out[0], outcome.output, sizeof(outcome.output));
	read_all(error[0], outcome.error, sizeof(outcome.error));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	outcome.status = WEXITSTATUS(status);
	return outcome;
}

static void assert_taken(const char *line, const char *want)
{
	struct outcome outcome = parse(line);

	assert_string_equal(outcome.output, want);
	assert_string_equal(outcome.error, "");
	assert_int_equal(outcome.status, GO_ON);
}

/* Exit status 2, nothing on standard output, the word and the way to help on standard error. */
static void assert_wrong(const char *line, const char *word)
{
	struct outcome outcome = parse(line);

	assert_int_equal(outcome.status, EXIT_USAGE);
	assert_string_equal(outcome.output, "");
	if (!strstr(outcome.error, word) || !strstr(outcome.error, "pmufs --help"))
		fail_msg("got '%s', want '%s' and the way to --help", outcome.error, word);
}

static void a_mount_point_is_enough(void **state)
{
	(void)state;
	assert_taken("/pmu", "foreground=0 config=- events=- options=- mount=/pmu\n");
}

static void every_option_is_taken_long_and_short(void **state)
{
	const char *want = "foreground=1 config=a b events=x,y options=- mount=/pmu\n";

	(void)state;
	assert_taken("--foreground|--config|a b|--events|x,y|/pmu", want);
	assert_taken("--config=a b|--events=x,y|--foreground|/pmu", want);
	assert_taken("-f|-c|a b|-e|x,y|/pmu", want);
	assert_taken("/pmu|-fca b|-ex,y", want);
}

static void several_mount_options_are_joined(void **state)
{
	(void)state;
	assert_taken("-o|ro|-onoexec,sync|/pmu",
		     "foreground=0 config=- events=- options=ro,noexec,sync mount=/pmu\n");
}

static void two_dashes_end_the_options(void **state)
{
	(void)state;
	assert_taken("--|-f", "foreground=0 config=- events=- options=- mount=-f\n");
}

static void version_is_one_line_on_standard_output(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		struct outcome outcome = parse(i ? "-V" : "--version");

		assert_int_equal(outcome.status, 0);
		assert_string_equal(outcome.output, "pmufs " PMUFS_VERSION "\n");
		assert_string_equal(outcome.error, "");
	}
}

static void help_names_every_option_on_standard_output(void **state)
{
	static const char *const words[] = {
		"Usage: pmufs",	 "MOUNTPOINT",	  "--foreground",
		"--config FILE", "--events LIST", "-o OPTION",
		"--version",	 "--help",	  "/etc/pmufs/pmufs.conf"
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct outcome outcome = parse(i ? "-h" : "--help");

		assert_int_equal(outcome.status, 0);
		assert_string_equal(outcome.error, "");
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
			assert_non_null(strstr(outcome.output, words[w]));
	}
}

static void wrong_words_are_named_with_exit_status_2(void **state)
{
	(void)state;
	assert_wrong("", "mount point");
	assert_wrong("-f", "mount point");
	assert_wrong("/pmu|/other", "/other");
	assert_wrong("--verbose|/pmu", "--verbose");
	assert_wrong("-x|/pmu", "x");
	assert_wrong("/pmu|--events", "events");
	assert_wrong("--foreground=yes|/pmu", "foreground");
	assert_wrong("/pmu|-c", "c");
}

static void an_empty_mount_point_is_none(void **state)
{
	(void)state;
	assert_wrong("--|", "mount point");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mount_point_is_enough),
		cmocka_unit_test(every_option_is_taken_long_and_short),
		cmocka_unit_test(several_mount_options_are_joined),
		cmocka_unit_test(two_dashes_end_the_options),
		cmocka_unit_test(version_is_one_line_on_standard_output),
		cmocka_unit_test(help_names_every_option_on_standard_output),
		cmocka_unit_test(wrong_words_are_named_with_exit_status_2),
		cmocka_unit_test(an_empty_mount_point_is_none),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
