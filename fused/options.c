// SPDX-License-Identifier: GPL-2.0-only
/* See options.h. */
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

static void print_help(void)
{
	printf("Usage: pmufs [OPTIONS] MOUNTPOINT\n"
	       "\n"
	       "Presents CPU performance counters as files: cat MOUNTPOINT/cpu0/cycles\n"
	       "\n"
	       "  -f, --foreground     stay in the foreground; without it pmufs goes to the background\n"
	       "                       once the files can be read\n"
	       "  -c, --config FILE    read FILE instead of " CONFIG_DEFAULT_PATH "\n"
	       "  -e, --events LIST    count these events, as perf stat -e takes them, instead of\n"
	       "                       those of the configuration\n"
	       "  -o OPTION[,OPTION…]  options for the FUSE mount\n"
	       "  -V, --version        print the version\n"
	       "  -h, --help           print this\n"
	       "\n"
	       "Exit status: 0 stopped on request, 1 something failed, 2 wrong command line or\n"
	       "configuration. See pmufs(8) and pmufs.conf(5).\n");
}

/* Joins the words of several -o. */
static int add_mount_option(struct options *options, const char *word)
{
	char *joined;

	if (asprintf(&joined, "%s%s%s", options->mount_options ? options->mount_options : "",
		     options->mount_options ? "," : "", word) < 0)
		return -1;
	free(options->mount_options);
	options->mount_options = joined;
	return 0;
}

static int wrong(const char *what, const char *word)
{
	fprintf(stderr, "pmufs: %s%s%s\nTry 'pmufs --help'.\n", what, word ? ": " : "",
		word ? word : "");
	return EXIT_USAGE;
}

static int take_mount_point(int argc, char **argv, struct options *options)
{
	if (optind == argc || !*argv[optind])
		return wrong("the mount point is missing", NULL);
	if (optind + 1 < argc)
		return wrong("one mount point is enough, this is a second", argv[optind + 1]);
	options->mount_point = argv[optind];
	return 0;
}

int options_parse(int argc, char **argv, struct options *options, int *status)
{
	static const struct option words[] = {
		{ "foreground", no_argument, NULL, 'f' },
		{ "config", required_argument, NULL, 'c' },
		{ "events", required_argument, NULL, 'e' },
		{ "version", no_argument, NULL, 'V' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int word;

	*options = (struct options){ 0 };
	*status = EXIT_SUCCESS;
	while ((word = getopt_long(argc, argv, "fc:e:o:Vh", words, NULL)) >= 0) {
		switch (word) {
		case 'f':
			options->foreground = true;
			break;
		case 'c':
			options->config = optarg;
			break;
		case 'e':
			options->events = optarg;
			break;
		case 'o':
			if (add_mount_option(options, optarg)) {
				*status = EXIT_FAILURE;
				return 1;
			}
			break;
		case 'V':
			printf("pmufs " PMUFS_VERSION "\n");
			return 1;
		case 'h':
			print_help();
			return 1;
		default: /* getopt_long has named the word */
			fprintf(stderr, "Try 'pmufs --help'.\n");
			*status = EXIT_USAGE;
			return 1;
		}
	}
	*status = take_mount_point(argc, argv, options);
	return *status != 0;
}

void options_free(struct options *options)
{
	free(options->mount_options);
	options->mount_options = NULL;
}
