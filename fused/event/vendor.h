/* SPDX-License-Identifier: GPL-2.0-only */
/* The vendors' own event names, as libpfm4 knows them for this CPU. */
#ifndef PMUFS_EVENT_VENDOR_H
#define PMUFS_EVENT_VENDOR_H

#include <stdint.h>

#include "base/refusal.h"
#include "event/format.h"
#include "event/near.h"
#include "event/spec.h"

struct vendor_event {
	uint32_t type; /* perf_event_attr.type: PERF_TYPE_RAW or a PMU's own */
	uint64_t config[CONFIG_WORDS];
	/* what attributes in the name ask for, such as EVENT:u=1:pinned=1 */
	struct event_modifiers modifiers;
	char full_name[EVENT_SPEC_MAX]; /* with PMU, unit masks and attributes spelled out */
};

/*
 * -ENOENT without a word when libpfm4 knows no such event; -EINVAL when it knows the event but not
 * the unit mask or attribute. libpfm4 is initialized at the first call.
 */
int vendor_find(const char *name, struct vendor_event *event, struct refusal *why);

/* Offers the names of all events of this machine's PMUs. */
void vendor_offer(struct near *near);

#endif
