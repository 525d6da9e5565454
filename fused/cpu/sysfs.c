// SPDX-License-Identifier: GPL-2.0-only
/* See sysfs.h. */
#include "cpu/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Reads up to size bytes; the number read, or a negative errno. */
static ssize_t read_up_to(const char *path, char *out, size_t size)
{
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t length = 0;

	if (fd < 0)
		return -errno;
	while (length < size) {
		ssize_t n = read(fd, out + length, size - length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		length += (size_t)n;
	}
	return (ssize_t)length;
}

int sysfs_read_line(char *out, size_t size, const char *path)
{
	ssize_t length = read_up_to(path, out, size);
	int error = 0;

	if (length < 0)
		error = (int)length;
	else if (length == 0 || memchr(out, '\n', (size_t)length) != out + length - 1 ||
		 memchr(out, '\0', (size_t)length))
		error = -EINVAL;
	out[error ? 0 : length - 1] = '\0';
	return error;
}

int number_parse(const char *text, uint64_t *value)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	unsigned long long number;
	char *end;

	if (!*digits ||
	    strspn(digits, hex ? "0123456789abcdefABCDEF" : "0123456789") != strlen(digits))
		return -EINVAL;
	errno = 0;
	number = strtoull(digits, &end, hex ? 16 : 10);
	if (errno)
		return -errno;
	*value = number;
	return 0;
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int sysfs_each(const char *directory, sysfs_entry *each, void *context)
{
	struct dirent **entries;
	int count = scandir(directory, &entries, visible, alphasort);
	int error = 0;

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		if (!error)
			error = each(context, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return error;
}

int sysfs_path(char *out, size_t size, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(out, size, format, args);
	va_end(args);
	return length < 0 || (size_t)length >= size ? -ENAMETOOLONG : 0;
}
