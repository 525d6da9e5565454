/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line, pmufs(8). */
#ifndef PMUFS_OPTIONS_H
#define PMUFS_OPTIONS_H

#include <stdbool.h>

struct options {
	bool foreground;
	const char *config; /* NULL: the default file, which may be missing */
	const char *events; /* NULL: those of the configuration */
	char *mount_options; /* every -o joined by commas; NULL: none */
	const char *mount_point;
};

/* 0 stopped on request, 1 (EXIT_FAILURE) something failed, 2 command line or configuration wrong. */
#define EXIT_USAGE 2

/*
 * 0: go on. Otherwise the program ends at once with *status: --help and --version have been answered
 * (0), or standard error says which word was wrong (EXIT_USAGE).
 */
int options_parse(int argc, char **argv, struct options *options, int *status);
void options_free(struct options *options);

#endif
