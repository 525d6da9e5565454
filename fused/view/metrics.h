/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * `metrics` and `stat`: many counters as text. Both come out of one pass over the CPUs, so that the
 * figures of a CPU belong to one moment.
 */
#ifndef PMUFS_VIEW_METRICS_H
#define PMUFS_VIEW_METRICS_H

#include "base/text.h"
#include "counter/counters.h"

/*
 * Prometheus text format (exposition format 0.0.4, which OpenMetrics scrapers take too). A counter
 * that has no value at this moment has no sample; pmufs_event_available says which those are.
 * rows: room for counters_count() times (online CPUs) rows.
 */
void metrics_render(struct counters *counters, struct counter_stat *rows, struct text *text);

/*
 * A line for each row: name, raw, scaled, enabled ns, running ns, "exact", "scaled" or "unavailable",
 * then what backs it ("-" when nothing does), scale and unit when sysfs gives any. For "unavailable" the counts are
 * "-": what is not known is no number.
 */
void stat_render(const struct counter_stat *rows, size_t count, struct text *text);

#endif
