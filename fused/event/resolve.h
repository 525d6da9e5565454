/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a parsed event and a CPU to the perf_event_attr that counts it there. Knows sysfs (PMUs,
 * formats, named events, units), tracefs (tracepoint ids) and libpfm4 (vendor names).
 */
#ifndef PMUFS_EVENT_RESOLVE_H
#define PMUFS_EVENT_RESOLVE_H

#include <linux/perf_event.h>

#include "base/refusal.h"
#include "cpu/pmus.h"
#include "event/spec.h"

#define EVENT_UNIT_MAX 32

struct event_attr {
	/*
	 * Ready for perf_event_open but for what a use adds (disabled, read_format, sampling):
	 * size, type, config*, exclude_*, pinned, exclusive, precise_ip.
	 */
	struct perf_event_attr attr;
	double scale; /* what one count is worth in unit; 1.0 when sysfs has no .scale */
	char unit[EVENT_UNIT_MAX]; /* sysfs .unit; "" for plain counts */
	/*
	 * What backs the name, for people: "software/cpu-clock/", "armv8_pmuv3/cycles/",
	 * "cpu_core/event=0x3c/", "tracepoint/sched:sched_switch/", a libpfm4 name spelled out
	 */
	char backing[EVENT_SPEC_MAX];
};

struct event_resolver;

/* pmus must outlive the resolver. root as in cpus.h; tracefs is looked for at ROOT/sys/kernel/tracing
 * and ROOT/sys/kernel/debug/tracing. */
int event_resolver_new(const char *root, const struct pmus *pmus, struct event_resolver **ret);
void event_resolver_free(struct event_resolver *resolver);

/*
 * Is there such an event on this machine at all, whatever the CPU? 0 when some CPU has it, or when
 * it is a generic hardware, cache or raw event (those are known even where no PMU counts them).
 * -ENOENT with the bad word and up to three near names ("did you mean …") when no part of the
 * machine knows it, or when tracefs is not mounted; -EINVAL for a bad term or value (named), a
 * named event that more than one PMU has, or a name that only perf's own clock is behind; -EACCES
 * when tracefs cannot be read; -EIO when a file of sysfs is broken (named).
 */
int event_check(struct event_resolver *resolver, const struct event_spec *spec,
		struct refusal *why);

/*
 * The attributes on one CPU. 0; -EOPNOTSUPP with the reason when this CPU has no PMU that knows the
 * event (another core type's PMU, an uncore PMU that is read elsewhere, no hardware PMU); otherwise
 * as event_check. sysfs is read anew each time, so that PMUs' masks as of the last pmus_refresh count.
 */
int event_resolve(struct event_resolver *resolver, const struct event_spec *spec, unsigned int cpu,
		  struct event_attr *attr, struct refusal *why);

#endif
