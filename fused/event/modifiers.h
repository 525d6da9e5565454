/* SPDX-License-Identifier: GPL-2.0-only */
/* The letters behind an event's name, cycles:uk, and what they make of its attributes. */
#ifndef PMUFS_EVENT_MODIFIERS_H
#define PMUFS_EVENT_MODIFIERS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/refusal.h"
#include "event/spec.h"

/* Nothing but letters that perf knows as modifiers, allowed here or not; false for no letter. */
bool modifiers_plausible(const char *text, size_t length);

/*
 * -EINVAL with the letter named: unknown, given twice (only p may be, up to three times), or one
 * that means nothing to a counter.
 */
int modifiers_parse(const char *text, size_t length, struct event_modifiers *modifiers,
		    struct refusal *why);

/*
 * Sets exclude_*, pinned, exclusive and precise_ip as `perf stat -a` does. excludes_guest: the
 * event's PMU can tell guests from the host, so that guests are left out unless asked for.
 */
void modifiers_apply(const struct event_modifiers *modifiers, bool excludes_guest,
		     struct perf_event_attr *attr);

#endif
