/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The counter set: which events are counted, on which CPUs, what they have counted so far. Totals
 * outlive a CPU's going offline and coming back. One thread.
 */
#ifndef PMUFS_COUNTER_COUNTERS_H
#define PMUFS_COUNTER_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"
#include "counter/source.h"
#include "cpu/cpus.h"
#include "event/resolve.h"

struct counters;

/* An event of the set. Strings live until the event is removed. */
struct counter_event {
	uint32_t id; /* 1, 2, 3 … in the order of adding; never used again by this set */
	const char *name; /* its file's name */
	const char *spec; /* what was asked for; differs from name where the two cannot be one text */
	const char *unit; /* "" for plain counts */
	double scale; /* what one count is worth in unit */
};

enum counter_state {
	COUNTER_EXACT, /* on the PMU all the time it was enabled */
	COUNTER_SCALED, /* some of the time: raw and scaled differ */
	COUNTER_UNAVAILABLE, /* no value to be had: error says why; the numbers mean nothing */
};

struct counter_stat {
	const struct counter_event *event;
	uint64_t raw; /* counted on the PMU, over all CPU comings and goings */
	uint64_t scaled;
	uint64_t enabled; /* ns */
	uint64_t running; /* ns */
	enum counter_state state;
	int error; /* negative errno, 0 unless unavailable */
	const char *backing; /* what counts it here, for people; "" when nothing does */
};

/*
 * resolver and source must outlive the set; cpus is copied. Online CPUs are counting from the
 * start (enable = 1), those that come later too; one that was switched off stays so when it goes
 * and comes back. -ENOMEM.
 */
int counters_new(const struct cpus *cpus, struct event_resolver *resolver,
		 struct counter_source *source, struct counters **ret);
void counters_free(struct counters *counters);

/*
 * Changes the set by a text of words separated by white space, commas or newlines:
 * `+event`, `+name=event`, `-name`. All or nothing: the whole text is parsed, checked and its
 * counters opened before anything else is touched; on a refusal what counted goes on counting.
 * Words take effect from left to right, so that `-name +name=event` puts another event in its
 * place. Events that are added by one text are read together, at one moment.
 * -EINVAL bad word, -ENOENT unknown event or `-name` not in the set, -EEXIST name already in the
 * set (or twice in the text), -E2BIG more than COUNTER_EVENTS_MAX, -EMFILE, -EACCES (tracefs).
 * An event that is known but can be counted on no CPU here is taken: it has a file, whose open
 * says EOPNOTSUPP.
 * changed is called after success for each id that went (removed = true) and each that came.
 */
#define COUNTER_EVENTS_MAX 1024
typedef void counters_changed(void *context, uint32_t event, bool removed);
int counters_change(struct counters *counters, const char *text, size_t length,
		    counters_changed *changed, void *context, struct refusal *why);

/*
 * Adds a list of events without '+', as the configuration and the command line have it. With refused,
 * an event that cannot be taken costs itself alone and refused hears why; without, the first one refuses
 * the list. The others are read together. Errors as counters_change; with refused -EMFILE and
 * -ENOMEM alone.
 */
typedef void counters_refused(void *context, int error, const char *message);
int counters_add(struct counters *counters, const char *list, size_t length,
		 counters_refused *refused, void *context, struct refusal *why);

/* Events in the order of adding: first with after = 0; NULL at the end. */
const struct counter_event *counters_next(const struct counters *counters, uint32_t after);
const struct counter_event *counters_event(const struct counters *counters, uint32_t id);
const struct counter_event *counters_find(const struct counters *counters, const char *name);
size_t counters_count(const struct counters *counters);

/* CPUs. */
const struct cpus *counters_cpus(const struct counters *counters);
/*
 * Opens the CPU's counters; events that fail there cost their own file alone. A CPU that was
 * online already has gone and come unnoticed (lost uevents): its counters, which never count again,
 * are opened anew. -EINVAL: no such CPU is possible; -ENOMEM, -EMFILE: it is online, and some of
 * its events have no counter for this reason.
 */
int counters_cpu_online(struct counters *counters, unsigned int cpu);
/*
 * Takes the last readings and releases the counters; the totals stay in counters_read_all. What the
 * kernel now counts on another CPU (uncore PMUs) is opened there: call pmus_refresh() first.
 */
void counters_cpu_offline(struct counters *counters, unsigned int cpu);
/* 1 or 0; -ENODEV when the CPU is not online. */
int counters_cpu_enabled(const struct counters *counters, unsigned int cpu);
int counters_cpu_enable(struct counters *counters, unsigned int cpu, bool on);

/*
 * Has this event a file in this CPU's directory? It has not where the CPU cannot count it while
 * another CPU can (hybrid, uncore). False as well for CPUs that are not online.
 */
bool counters_has(const struct counters *counters, unsigned int cpu, uint32_t id);
/*
 * What open of the file says: 0, -ESTALE no such file any more (event, CPU, or the event on this
 * CPU), so that the name is looked up again, -EOPNOTSUPP, -EACCES, …
 */
int counters_check(const struct counters *counters, unsigned int cpu, uint32_t id);
int counters_check_all(const struct counters *counters, uint32_t id);

/*
 * The count, scaled where it had to be, monotonic. -ENODEV: the CPU or the event is gone;
 * -EOPNOTSUPP; -EBUSY: it has lost its counter (pinned events), never had one since it was enabled,
 * or has been waiting for one longer than COUNTER_WAIT_MAX; -EACCES; -EMFILE; -EIO: the kernel gave
 * readings that contradict each other; what is counted after them is added to the total before.
 */
#define COUNTER_WAIT_MAX 1000000000ULL /* ns of enabled time */
int counters_read(struct counters *counters, unsigned int cpu, uint32_t id, uint64_t *value);
/* Sum over all CPUs that can count it, offline ones included. Any CPU's error is the sum's error. */
int counters_read_all(struct counters *counters, uint32_t id, uint64_t *value);

/*
 * All events of a CPU (those that counters_has), read together. rows has room for counters_count();
 * returns how many were filled, or -ENODEV.
 */
int counters_stat(struct counters *counters, unsigned int cpu, struct counter_stat *rows);
/* The same summed over CPUs, all events. */
int counters_stat_all(struct counters *counters, struct counter_stat *rows);

/*
 * Reads every CPU for whether there are values (counters_reason), and throws them away. A source that has opened events as a group which turns
 * out never to get on the PMU finds that out at a reading; without one they would not count until
 * somebody asks. To be called COUNTER_SETTLE_MS after events or CPUs have come.
 */
#define COUNTER_SETTLE_MS 300 /* more than GROUP_WAIT_MAX of source_perf.c */
void counters_settle(struct counters *counters);

/*
 * Why there is no value of this event on this CPU, for status: why the last attempt to open it
 * failed, or what the newest reading came to. "" when there is one.
 */
const char *counters_reason(const struct counters *counters, unsigned int cpu, uint32_t id);

#endif
