/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text that grows: what a file's reader is going to see. Memory is kept between uses
 * (text_clear), so that rendering into a used text allocates nothing. An allocation that fails is
 * remembered and reported once, by text_error.
 */
#ifndef PMUFS_BASE_TEXT_H
#define PMUFS_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
	char *data; /* not terminated */
	size_t length;
	size_t capacity;
	bool failed;
};

/* Room for any uint64_t in decimal. */
#define DECIMAL_MAX 20

/* Writes value in decimal without a terminator to out[DECIMAL_MAX]; returns the length. */
size_t decimal(char *out, uint64_t value);

void text_clear(struct text *text);
void text_free(struct text *text);

void text_add(struct text *text, const char *data, size_t length);
void text_add_string(struct text *text, const char *string);
void text_add_char(struct text *text, char c);
void text_add_u64(struct text *text, uint64_t value);
void text_add_format(struct text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* 0, or -ENOMEM when any addition since the last text_clear failed. */
int text_error(const struct text *text);

#endif
