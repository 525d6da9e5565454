/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What test programs that are no unit tests need for TAP: the caller counts, in one place, and says the plan at the end.
 */
#ifndef TESTS_TOOLS_TAP_H
#define TESTS_TOOLS_TAP_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static unsigned int tap_count;
static unsigned int tap_failed;

/* One promise; what was got follows when it does not hold. */
__attribute__((format(printf, 2, 3))) static inline void tap(bool holds, const char *promise, ...)
{
	va_list arguments;

	printf("%sok %u - ", holds ? "" : "not ", ++tap_count);
	va_start(arguments, promise);
	vprintf(promise, arguments);
	va_end(arguments);
	putchar('\n');
	if (!holds)
		tap_failed++;
	fflush(stdout);
}

/* A call that shall fail with an error of these two (the same twice: exactly that one). */
static inline void tap_errno(bool failed, int error, int other, const char *promise)
{
	int got = failed ? errno : 0;

	tap(got == error || got == other, "%s", promise);
	if (got != error && got != other)
		printf("# got %s, want %s\n", got ? strerrorname_np(got) : "success",
		       strerrorname_np(error));
}

/* The plan; returns the program's exit status. */
static inline int tap_done(void)
{
	printf("1..%u\n", tap_count);
	return tap_failed ? 1 : 0;
}

#endif /* TESTS_TOOLS_TAP_H */
