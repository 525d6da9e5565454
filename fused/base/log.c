// SPDX-License-Identifier: GPL-2.0-only
/* See log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOG_LINE_MAX 1024

static int log_level = LOG_INFO;

static void log_to_stderr(int level, const char *line)
{
	(void)level;
	fprintf(stderr, "pmufs: %s\n", line);
}

static log_sink *sink = log_to_stderr;

void log_set_sink(log_sink *to)
{
	sink = to;
}

void log_set_level(int level)
{
	log_level = level;
}

void log_line(int level, const char *format, ...)
{
	char line[LOG_LINE_MAX];
	va_list args;

	if (level > log_level)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	sink(level, line);
}

int log_errno(int level, int error, const char *format, ...)
{
	char line[LOG_LINE_MAX];
	va_list args;
	size_t length;

	if (level > log_level)
		return error;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	length = strlen(line);
	snprintf(line + length, sizeof(line) - length, ": %s", strerror(-error));
	sink(level, line);
	return error;
}
