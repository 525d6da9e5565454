// SPDX-License-Identifier: GPL-2.0-only
/*
 * reread [--reopen] [--pause MILLISECONDS] SECONDS FILE...: reads the files, each holding one number, in
 * turn for that time, and prints a line for each: what was seen, and whether it ever ran backwards. A
 * read that fails is counted by its error. --reopen opens the file anew for each read; --pause sleeps
 * after each round. SIGTERM and SIGINT end it early, and it prints what it saw.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ERRORS_MAX 134 /* above any errno of Linux */

struct watched {
	const char *path;
	int fd;
	uint64_t reads; /* that gave a number */
	uint64_t backwards;
	uint64_t first, last, largest_step;
	uint64_t first_time, last_time; /* ns */
	uint64_t errors[ERRORS_MAX];
	uint64_t junk; /* reads that gave anything but a number and a newline */
};

static volatile sig_atomic_t interrupted;

static void on_signal(int number)
{
	(void)number;
	interrupted = 1;
}

static uint64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static void take(struct watched *watched, uint64_t value)
{
	uint64_t time = now();

	if (!watched->reads++) {
		watched->first = value;
		watched->first_time = time;
	} else if (value < watched->last) {
		watched->backwards++;
	} else if (value - watched->last > watched->largest_step) {
		watched->largest_step = value - watched->last;
	}
	watched->last = value;
	watched->last_time = time;
}

static void read_once(struct watched *watched, bool reopen)
{
	char text[64], *end;
	uint64_t value;
	ssize_t n;

	if (watched->fd < 0)
		watched->fd = open(watched->path, O_RDONLY | O_CLOEXEC);
	n = watched->fd < 0 ? -1 : pread(watched->fd, text, sizeof(text) - 1, 0);
	if (n < 0) {
		watched->errors[errno]++;
	} else {
		text[n] = '\0';
		value = strtoull(text, &end, 10);
		if (end == text || strcmp(end, "\n") != 0)
			watched->junk++;
		else
			take(watched, value);
	}
	if (watched->fd >= 0 && reopen) {
		close(watched->fd);
		watched->fd = -1;
	}
}

static void print(const struct watched *watched)
{
	printf("%s reads=%" PRIu64 " backwards=%" PRIu64 " first=%" PRIu64 " last=%" PRIu64
	       " grown=%" PRIu64 " step=%" PRIu64 " ns=%" PRIu64 " junk=%" PRIu64,
	       watched->path, watched->reads, watched->backwards, watched->first, watched->last,
	       watched->last - watched->first, watched->largest_step,
	       watched->last_time - watched->first_time, watched->junk);
	for (int error = 0; error < ERRORS_MAX; error++) {
		if (watched->errors[error])
			printf(" %s=%" PRIu64, strerrorname_np(error), watched->errors[error]);
	}
	printf("\n");
}

struct options {
	bool reopen;
	unsigned int pause; /* ms */
	double seconds;
	char **files;
	int count;
};

static int parse(int argc, char **argv, struct options *options)
{
	static const struct option known[] = {
		{ "reopen", no_argument, NULL, 'r' },
		{ "pause", required_argument, NULL, 'p' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
		if (option == 'r')
			options->reopen = true;
		else if (option == 'p')
			options->pause = (unsigned int)strtoul(optarg, NULL, 10);
		else
			return -1;
	}
	if (argc - optind < 2)
		return -1;
	options->seconds = strtod(argv[optind], NULL);
	options->files = argv + optind + 1;
	options->count = argc - optind - 1;
	return 0;
}

static void read_rounds(const struct options *options, struct watched *watched)
{
	uint64_t end = now() + (uint64_t)(options->seconds * 1e9);

	while (now() < end && !interrupted) {
		for (int i = 0; i < options->count; i++)
			read_once(&watched[i], options->reopen);
		if (options->pause)
			usleep(options->pause * 1000);
	}
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct watched *watched;

	if (parse(argc, argv, &options)) {
		fprintf(stderr,
			"Usage: reread [--reopen] [--pause MILLISECONDS] SECONDS FILE...\n");
		return 2;
	}
	watched = calloc((size_t)options.count, sizeof(*watched));
	if (!watched)
		return 1;
	for (int i = 0; i < options.count; i++) {
		watched[i].path = options.files[i];
		watched[i].fd = -1;
	}
	signal(SIGTERM, on_signal);
	signal(SIGINT, on_signal);
	read_rounds(&options, watched);
	for (int i = 0; i < options.count; i++)
		print(&watched[i]);
	free(watched);
	return 0;
}
