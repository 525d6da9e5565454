/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of the counter set, for counters.c (reading, CPUs) and change.c (its events). */
#ifndef PMUFS_COUNTER_SET_H
#define PMUFS_COUNTER_SET_H

#include "counter/counters.h"

/* A change opens the new events before the old ones go: for a moment there are twice as many. */
#define SLOTS_MAX (2 * COUNTER_EVENTS_MAX)

/* An event on a CPU; stays when the CPU goes offline. */
struct counter {
	struct scaled scaled;
	int error; /* why it could not be opened, negative; 0 */
	char *reason; /* the same for people; NULL when there is no error */
	int unread; /* why the newest reading gave no value, negative; 0 */
	char *backing; /* NULL: nothing counts it here */
};

struct event {
	struct counter_event public; /* strings point into spec and unit */
	struct event_spec spec;
	char unit[EVENT_UNIT_MAX];
	unsigned int slot;
	bool countable; /* some CPU counts it, or has counted it */
	bool going; /* a change that is being made takes it away */
	struct counter *cpus[]; /* by CPU number, NULL until it was online with this event */
};

struct counters {
	struct event_resolver *resolver;
	struct counter_source *source;
	struct cpus cpus;
	unsigned int cpu_count; /* highest possible + 1 */
	struct cpu_mask off; /* CPUs whose enable is 0 */
	struct event *events[COUNTER_EVENTS_MAX]; /* in the order of ids */
	size_t count;
	uint32_t last_id;
	bool slots[SLOTS_MAX]; /* taken */
	size_t slot_end; /* above the highest that was ever taken */
	struct source_reading readings[SLOTS_MAX]; /* of one CPU, by slot */
};

/* NULL: no such event (any more). */
struct event *set_event(const struct counters *counters, uint32_t id);

/*
 * Resolves and adds the event's counter on an online CPU; it counts from the source's start on.
 * What fails is noted in the counter; -ENOMEM and -EMFILE are returned too, since they concern all.
 */
int set_open(struct counters *counters, struct event *event, unsigned int cpu, struct refusal *why);

/* Releases the event, its slot and its counters on all CPUs. */
void set_release(struct counters *counters, struct event *event);

#endif
