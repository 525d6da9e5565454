/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of one PMU: its terms (sysfs PMU/format/) and its named events (PMU/events/NAME with
 * .unit and .scale beside them), put together to config words.
 */
#ifndef PMUFS_EVENT_PMU_EVENT_H
#define PMUFS_EVENT_PMU_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"
#include "cpu/pmus.h"
#include "cpu/sysfs.h"
#include "event/format.h"
#include "event/near.h"
#include "event/resolve.h"
#include "event/spec.h"

struct pmu_event {
	uint64_t config[CONFIG_WORDS];
	double scale;
	char unit[EVENT_UNIT_MAX];
	char terms[EVENT_SPEC_MAX]; /* what it came to, "event=0x3c,umask=0x1" */
};

/*
 * The terms between the slashes. Terms that the user gives take the place of those of a named
 * event. -ENOENT unknown term, with near names; -EINVAL a value that is no number or too large for
 * its field (named, with the width), a term that means nothing to a counter, a placeholder (`=?`)
 * not given; -EIO broken files.
 */
int pmu_event_encode(const struct pmu *pmu, const struct event_term *terms, size_t count,
		     struct pmu_event *event, struct refusal *why);

/* Has it a named event of this name? Upper and lower case are the same, as in perf. */
bool pmu_event_exists(const struct pmu *pmu, const char *name);
/* The same, or one under the spelling that perf list puts first: `cycles` is `cpu-cycles`. */
bool pmu_event_named(const struct pmu *pmu, const char *name);

/* All named events; stops when each returns non-zero. */
int pmu_event_each(const struct pmu *pmu, sysfs_entry *each, void *context);

#endif
