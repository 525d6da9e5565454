/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words that people write into control files, and what became of the last one that was refused.
 * A write is one whole change: it takes effect or it changes nothing.
 */
#ifndef PMUFS_CONTROL_CONTROL_H
#define PMUFS_CONTROL_CONTROL_H

#include <stddef.h>

#include "base/refusal.h"
#include "base/text.h"
#include "counter/counters.h"

/* More than a thousand long event names; a write above it is a mistake and gets EFBIG. */
#define CONTROL_WRITE_MAX 65536

struct control {
	struct counters *counters;
	/* told of events that come and go, so that what the kernel has cached of them can be dropped */
	counters_changed *changed;
	void *context;
	struct refusal last; /* "FILE: reason", empty until a write is refused */
};

/* `events`: see counters_change. */
int control_write_events(struct control *control, const char *data, size_t length);

/* `cpuN/enable`: "1" or "0", with or without a final newline; -EINVAL for anything else. */
int control_write_enable(struct control *control, unsigned int cpu, const char *data,
			 size_t length);

/*
 * Checks what holds for every control file before its words are looked at: -EFBIG too long,
 * -EINVAL a write that does not begin at offset (a write is one whole change).
 */
int control_check_write(struct control *control, size_t length, long long offset,
			long long expected);

/* `last_error`: the last refusal and a newline, or nothing when no write was refused yet. */
void control_read_last_error(const struct control *control, struct text *text);

#endif
