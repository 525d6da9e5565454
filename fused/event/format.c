// SPDX-License-Identifier: GPL-2.0-only
/* See format.h. */
#include "event/format.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cpu/sysfs.h"

#define FORMAT_LINE_MAX 512

static const char *const word_names[CONFIG_WORDS] = { "config", "config1", "config2", "config3" };

static bool take_bit(const char **text, unsigned int *bit)
{
	unsigned int number = 0;

	if (!isdigit((unsigned char)**text))
		return false;
	for (; isdigit((unsigned char)**text); ++*text) {
		number = number * 10 + (unsigned int)(**text - '0');
		if (number > 63)
			return false;
	}
	*bit = number;
	return true;
}

static bool take_range(const char **text, uint64_t *bits)
{
	unsigned int first, last;

	if (!take_bit(text, &first))
		return false;
	last = first;
	if (**text == '-') {
		++*text;
		if (!take_bit(text, &last) || last < first)
			return false;
	}
	for (unsigned int bit = first; bit <= last; bit++)
		*bits |= 1ULL << bit;
	return true;
}

int format_parse(const char *line, struct format_field *field)
{
	const char *colon = strchr(line, ':');
	const char *text;
	uint64_t bits = 0;

	if (!colon)
		return -EINVAL;
	for (unsigned int word = 0; word < CONFIG_WORDS; word++) {
		if (strlen(word_names[word]) != (size_t)(colon - line) ||
		    memcmp(word_names[word], line, (size_t)(colon - line)))
			continue;
		text = colon;
		do {
			text++;
			if (!take_range(&text, &bits))
				return -EINVAL;
		} while (*text == ',');
		if (*text)
			return -EINVAL;
		*field = (struct format_field){ .word = word, .bits = bits };
		return 0;
	}
	return -EINVAL;
}

int format_find(const struct pmu *pmu, const char *term, struct format_field *field,
		struct refusal *why)
{
	char path[PATH_MAX], line[FORMAT_LINE_MAX];
	int error = sysfs_path(path, sizeof(path), "%s/format/%s", pmu->directory, term);

	if (error)
		return refuse(why, error, "the term '%.64s…' is too long", term);
	error = sysfs_read_line(line, sizeof(line), path);
	if (error == -ENOENT)
		return error;
	if (error == -EACCES)
		return refuse(why, error, "%s cannot be read: %s", path, strerror(-error));
	if (error || format_parse(line, field))
		return refuse(why, -EIO, "%s is broken: '%.64s'", path, line);
	return 0;
}

uint64_t format_most(const struct format_field *field)
{
	int width = __builtin_popcountll(field->bits);

	return width == 64 ? UINT64_MAX : (1ULL << width) - 1;
}

int format_place(const struct format_field *field, uint64_t value, uint64_t words[CONFIG_WORDS])
{
	uint64_t placed = 0;

	if (value > format_most(field))
		return -ERANGE;
	for (uint64_t rest = field->bits; rest; rest &= rest - 1) {
		if (value & 1)
			placed |= rest & -rest;
		value >>= 1;
	}
	words[field->word] = (words[field->word] & ~field->bits) | placed;
	return 0;
}
