/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Multiplexing arithmetic: from a series of readings (raw count, time enabled, time on the PMU) to a
 * total that never runs backwards. Each stretch between two readings is scaled by its own
 * enabled/running; scaling the whole history anew, as is commonly done, lets the total fall when
 * the share of time on the PMU rises.
 */
#ifndef PMUFS_COUNTER_SCALE_H
#define PMUFS_COUNTER_SCALE_H

#include <stdbool.h>
#include <stdint.h>

/* One reading of one counter, as perf_event_open(2) gives it; times in ns. */
struct count {
	uint64_t raw;
	uint64_t enabled;
	uint64_t running;
};

struct scaled {
	struct count last; /* the reading at which the last stretch was closed */
	uint64_t newest_enabled; /* enabled time of the newest reading, closed or not */
	uint64_t total;
	/* part of a count that rounding left over, numerator over the stretch's running time, carried so
	 * that many short stretches lose nothing */
	uint64_t remainder; /* in 2^-64 counts */
	bool exact; /* no stretch so far was scaled */
	bool ran; /* the event has been on the PMU at least once */
};

void scaled_start(struct scaled *scaled);

/*
 * Takes the next reading of the same counter. 0, or -EIO when it contradicts the one before (raw, enabled or
 * running went backwards, or running grew more than enabled by over a tick): then nothing changes,
 * and the caller may let scaled_rebase start a new stretch.
 * A stretch in which the event did not run stays open until it has run.
 * A total that would pass 2^64 wraps as a counter does.
 */
int scaled_add(struct scaled *scaled, const struct count *count);

/* The counter was opened anew: its next reading starts at zero; the total stays. */
void scaled_rebase(struct scaled *scaled);

/* How long (ns of enabled time) the event has been waiting for a counter up to the newest reading. */
uint64_t scaled_waiting(const struct scaled *scaled);

#endif
