// SPDX-License-Identifier: GPL-2.0-only
/* See journal.h. */
#include "service/journal.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <systemd/sd-journal.h>

#include "base/log.h"

/*
 * systemd.exec(5): JOURNAL_STREAM holds "device:inode" of the journal's socket; standard error is
 * the journal when it is that very file and was not redirected since.
 */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char here[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st))
		return false;
	snprintf(here, sizeof(here), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(stream, here) == 0;
}

static void log_to_journal(int level, const char *line)
{
	if (sd_journal_print(level, "%s", line) < 0)
		fprintf(stderr, "<%d>%s\n", level, line); /* the level as sd-daemon.h writes it */
}

void journal_adopt_log(void)
{
	if (stderr_is_journal())
		log_set_sink(log_to_journal);
}

void journal_take_log(void)
{
	log_set_sink(log_to_journal);
}
