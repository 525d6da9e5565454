/* SPDX-License-Identifier: GPL-2.0-only */
/* What stands in /pmu: the table of kinds, each bound to its subsystem. */
#ifndef PMUFS_TREE_NODES_H
#define PMUFS_TREE_NODES_H

#include "control/control.h"
#include "counter/counters.h"
#include "tree/tree.h"
#include "view/status.h"

enum node_kind_id {
	KIND_ROOT,
	KIND_CPU,
	KIND_CPU_STAT,
	KIND_CPU_ENABLE,
	KIND_CPU_EVENT,
	KIND_ALL,
	KIND_ALL_STAT,
	KIND_ALL_EVENT,
	KIND_EVENTS,
	KIND_METRICS,
	KIND_STATUS,
	KIND_LAST_ERROR,
	KIND_VERSION,
	KIND_COUNT,
};

struct nodes {
	struct counters *counters;
	struct control *control;
	const struct status *status;
	/* scratch for `stat` and `metrics`; kept so that a read allocates nothing once it is large enough */
	struct counter_stat *rows;
	size_t row_capacity;
};

extern const struct node_kind node_kinds[KIND_COUNT];

void nodes_release(struct nodes *nodes);

#endif
