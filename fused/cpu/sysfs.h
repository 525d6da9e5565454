/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small text files of sysfs and tracefs, read whole. Every path is below a root directory, "" on a
 * real machine and a made-up tree in tests.
 */
#ifndef PMUFS_CPU_SYSFS_H
#define PMUFS_CPU_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"

/*
 * Reads a file of one line into out without its final newline; *length may be NULL. The kernel ends
 * every such file with a newline, so that one without is taken for truncated: "0-12" may have been
 * "0-127". -EINVAL for a truncated file, one that has NUL bytes or further lines, or one that does
 * not fit (size includes the terminator); otherwise the errno of open or read. out is always
 * terminated.
 */
int sysfs_read_line(char *out, size_t size, const char *path);

/* An unsigned number, decimal or 0x…, the whole text. -EINVAL junk or empty, -ERANGE above 64 bits. */
int number_parse(const char *text, uint64_t *value);

/*
 * Calls each for every entry of a directory in the order of their names; entries that begin with a
 * dot are left out. Stops at the first answer that is not 0 and returns it; negative errno when
 * the directory cannot be read.
 */
typedef int sysfs_entry(void *context, const char *name);
int sysfs_each(const char *directory, sysfs_entry *each, void *context);

/* Writes a path; -ENAMETOOLONG when it does not fit. */
int sysfs_path(char *out, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
