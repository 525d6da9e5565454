// SPDX-License-Identifier: GPL-2.0-only
/* See text.h. */
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_FIRST_CAPACITY 256

size_t decimal(char *out, uint64_t value)
{
	char digits[DECIMAL_MAX];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	return n;
}

void text_clear(struct text *text)
{
	text->length = 0;
	text->failed = false;
}

void text_free(struct text *text)
{
	free(text->data);
	*text = (struct text){ 0 };
}

static bool text_reserve(struct text *text, size_t more)
{
	size_t capacity = text->capacity ? text->capacity : TEXT_FIRST_CAPACITY;
	char *data;

	if (text->failed)
		return false;
	if (more <= text->capacity - text->length)
		return true;
	while (capacity - text->length < more) {
		if (capacity > SIZE_MAX / 2)
			goto fail;
		capacity *= 2;
	}
	data = realloc(text->data, capacity);
	if (!data)
		goto fail;
	text->data = data;
	text->capacity = capacity;
	return true;
fail:
	text->failed = true;
	return false;
}

void text_add(struct text *text, const char *data, size_t length)
{
	if (!length || !text_reserve(text, length))
		return;
	memcpy(text->data + text->length, data, length);
	text->length += length;
}

void text_add_string(struct text *text, const char *string)
{
	text_add(text, string, strlen(string));
}

void text_add_char(struct text *text, char c)
{
	text_add(text, &c, 1);
}

void text_add_u64(struct text *text, uint64_t value)
{
	if (text_reserve(text, DECIMAL_MAX))
		text->length += decimal(text->data + text->length, value);
}

void text_add_format(struct text *text, const char *format, ...)
{
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(NULL, 0, format, args);
	va_end(args);
	/* one more byte: vsnprintf always writes a terminator */
	if (length < 0 || !text_reserve(text, (size_t)length + 1)) {
		text->failed = true;
		return;
	}
	va_start(args, format);
	vsnprintf(text->data + text->length, (size_t)length + 1, format, args);
	va_end(args);
	text->length += (size_t)length;
}

int text_error(const struct text *text)
{
	return text->failed ? -ENOMEM : 0;
}
