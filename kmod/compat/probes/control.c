// SPDX-License-Identifier: GPL-2.0-only
/* Compiles with every kernel. */
#include <linux/module.h>
#include <linux/perf_event.h>

int probe(struct perf_event *event);

int probe(struct perf_event *event)
{
	return event->oncpu;
}
