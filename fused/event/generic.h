/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Event names that mean the same on every machine: the kernel's generic hardware events, hardware
 * cache events and software events, with the aliases that perf takes for them.
 */
#ifndef PMUFS_EVENT_GENERIC_H
#define PMUFS_EVENT_GENERIC_H

#include <stddef.h>
#include <stdint.h>

struct generic_event {
	uint32_t type; /* PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE or PERF_TYPE_SOFTWARE */
	uint64_t config;
	const char *symbol; /* the name that perf list puts first; NULL for cache events */
};

/*
 * 0; -ENOENT for any other name; -EINVAL for a cache event that no machine can have, such as
 * L1-icache-stores.
 */
int generic_find(const char *name, struct generic_event *event);

/* Every name there is, cache events in perf list's spelling; stops when each returns non-zero. */
typedef int generic_name(void *context, const char *name);
int generic_each(generic_name *each, void *context);

/* For a name that perf knows but does not count with a counter: why; NULL for any other. */
const char *generic_uncountable(const char *name);

#endif
