/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One log line at the outermost level that knows what was being done. Goes to standard error
 * until log_set_sink names another place (service/journal.c does under systemd).
 */
#ifndef PMUFS_BASE_LOG_H
#define PMUFS_BASE_LOG_H

#include <syslog.h>

/* level: LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO or LOG_DEBUG of syslog.h */
void log_line(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with ": " and the text of errno value -error; returns error. */
int log_errno(int level, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Lines less important than level are dropped; LOG_INFO until set. */
void log_set_level(int level);

typedef void log_sink(int level, const char *line);

void log_set_sink(log_sink *to);

#endif
