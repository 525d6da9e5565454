// SPDX-License-Identifier: GPL-2.0-only
/* See refusal.h. */
#include "base/refusal.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

int refuse(struct refusal *why, int error, const char *format, ...)
{
	struct refusal built = {
		""
	}; /* first here: the sentence before may be a part of this one */
	va_list args;

	if (!why)
		return error;
	va_start(args, format);
	vsnprintf(built.message, sizeof(built.message), format, args);
	va_end(args);
	for (char *c = built.message; *c; c++) {
		if (iscntrl((unsigned char)*c))
			*c = '?';
	}
	*why = built;
	return error;
}
