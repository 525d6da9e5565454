/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints by name: their numbers in tracefs. */
#ifndef PMUFS_EVENT_TRACEPOINT_H
#define PMUFS_EVENT_TRACEPOINT_H

#include <stdint.h>

#include "base/refusal.h"
#include "event/near.h"

/*
 * The number of SYSTEM:NAME, which is config of PERF_TYPE_TRACEPOINT, out of ROOT/sys/kernel/tracing
 * or ROOT/sys/kernel/debug/tracing. -ENOENT with the bad word and near names, or that tracefs is
 * not mounted; -EACCES when it cannot be read; -EIO when its file is broken.
 */
int tracepoint_find(const char *root, const char *system, const char *name, uint64_t *id,
		    struct refusal *why);

/* Offers all tracepoints that are near by their last part, as SYSTEM:NAME. */
void tracepoint_offer(const char *root, struct near *near);

#endif
