/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `status`: what works here and what does not, each with the missing condition by name. A line is
 * "SUBJECT: finding", so that `grep ^pmu: /pmu/status` answers a question.
 */
#ifndef PMUFS_VIEW_STATUS_H
#define PMUFS_VIEW_STATUS_H

#include <stdbool.h>

#include "base/text.h"
#include "counter/counters.h"
#include "cpu/pmus.h"

struct status {
	const char *root; /* as in cpu/cpus.h */
	struct counters *counters;
	const struct pmus *pmus;
	const struct counter_source *source;
	const char *readers; /* who may read, for people: "group pmu", "everybody", "root" */
};

void status_render(const struct status *status, struct text *text);

#endif
