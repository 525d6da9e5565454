// SPDX-License-Identifier: GPL-2.0-only
/* See status.h. */
#include "view/status.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"

/* A list of CPUs as people read it; 8192 CPUs in the worst case are cut, which a person survives. */
#define CPU_LIST_TEXT 512

/* Reads the first line of ROOT/path without its newline; false when there is none. */
static bool read_line(const char *root, const char *path, char *line, size_t size)
{
	char full[PATH_MAX];
	_cleanup_(fclose_p) FILE *file = NULL;

	snprintf(full, sizeof(full), "%s%s", root, path);
	file = fopen(full, "re");
	if (!file || !fgets(line, (int)size, file))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}

static void status_pmus(const struct status *status, struct text *text)
{
	bool any = false;

	for (size_t i = 0; i < status->pmus->count; i++) {
		const struct pmu *pmu = &status->pmus->list[i];
		char cpus[CPU_LIST_TEXT];

		if (pmu->class != PMU_CORE)
			continue;
		any = true;
		cpu_list_format(&pmu->cpus, cpus, sizeof(cpus));
		text_add_format(text, "pmu: %s counts on CPUs %s\n", pmu->name, cpus);
	}
	if (!any)
		text_add_string(text, "pmu: none: this machine or guest offers no hardware PMU\n");
}

static void status_cpus(const struct status *status, struct text *text)
{
	const struct cpus *cpus = counters_cpus(status->counters);
	char online[CPU_LIST_TEXT], possible[CPU_LIST_TEXT];

	cpu_list_format(&cpus->online, online, sizeof(online));
	cpu_list_format(&cpus->possible, possible, sizeof(possible));
	text_add_format(text, "cpus: %s online of %s possible\n", online, possible);
	cpu_mask_for_each(cpu, &cpus->online)
	{
		if (counters_cpu_enabled(status->counters, cpu) == 0)
			text_add_format(text,
					"cpu%u: not counting: 0 was written to its enable file\n",
					cpu);
	}
}

/* Conditions that the kernel sets; the meanings are those of its Documentation/admin-guide/sysctl. */
static void status_conditions(const struct status *status, struct text *text)
{
	static const struct {
		const char *subject, *path, *meaning;
	} conditions[] = {
		{ "perf_event_paranoid", "/proc/sys/kernel/perf_event_paranoid",
		  "counting a whole CPU needs CAP_PERFMON above 0; above 2 Debian asks for "
		  "CAP_SYS_ADMIN" },
		{ "perf_user_access", "/proc/sys/kernel/perf_user_access",
		  "1 lets programs read counter registers of their own events" },
		{ "rdpmc", "/sys/bus/event_source/devices/cpu/rdpmc",
		  "1 lets programs read counter registers of their own events" },
		{ "lockdown", "/sys/kernel/security/lockdown",
		  "confidentiality mode forbids perf_event_open" },
	};
	char line[64];

	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++) {
		if (read_line(status->root, conditions[i].path, line, sizeof(line)))
			text_add_format(text, "%s: %s (%s)\n", conditions[i].subject, line,
					conditions[i].meaning);
	}
}

static void status_descriptors(struct text *text)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		text_add_format(text, "descriptors: at most %llu\n",
				(unsigned long long)limit.rlim_cur);
}

/* One line for the CPUs that count the event, and one for each distinct reason on the others. */
static void status_event(const struct status *status, const struct counter_event *event,
			 struct text *text)
{
	const struct cpus *cpus = counters_cpus(status->counters);
	static struct cpu_mask done; /* 1 KiB: kept off the stack; one thread */
	struct cpu_mask same;
	char list[CPU_LIST_TEXT];

	memset(&done, 0, sizeof(done));
	cpu_mask_for_each(first, &cpus->online)
	{
		const char *reason = counters_reason(status->counters, first, event->id);

		if (cpu_mask_has(&done, first))
			continue;
		memset(&same, 0, sizeof(same));
		cpu_mask_for_each(cpu, &cpus->online)
		{
			if (strcmp(counters_reason(status->counters, cpu, event->id), reason) ==
			    0) {
				cpu_mask_set(&same, cpu, true);
				cpu_mask_set(&done, cpu, true);
			}
		}
		cpu_list_format(&same, list, sizeof(list));
		text_add_format(text, "event %s: %s on CPUs %s%s%s\n", event->name,
				*reason ? "not counted" : "counted", list, *reason ? ": " : "",
				reason);
	}
}

void status_render(const struct status *status, struct text *text)
{
	counters_settle(status->counters); /* what had a value a while ago may have none now */
	text_add_format(text, "version: %s\nsource: %s\n", PMUFS_VERSION,
			status->source->ops->name);
	status_pmus(status, text);
	status_cpus(status, text);
	status_conditions(status, text);
	status_descriptors(text);
	text_add_format(text, "readers: %s\n", status->readers);
	for (const struct counter_event *event = counters_next(status->counters, 0); event;
	     event = counters_next(status->counters, event->id))
		status_event(status, event, text);
}
