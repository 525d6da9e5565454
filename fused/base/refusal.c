// SPDX-License-Identifier: GPL-2.0-only
/* See refusal.h. */
#include "base/refusal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int refuse(struct refusal *why, int error, const char *format, ...)
{
	va_list args;

	if (!why)
		return error;
	va_start(args, format);
	vsnprintf(why->message, sizeof(why->message), format, args);
	va_end(args);
	for (char *c = why->message; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = '?';
	}
	return error;
}
