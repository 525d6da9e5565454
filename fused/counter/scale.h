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

/*
 * A stretch in which the event was on the PMU for a part of the time is closed (scaled and added to
 * the total) when that part has reached this length; shorter samples would be blown up by a
 * hundred and more. 1 ms, the shortest time between two rotations of the kernel (HZ=1000).
 */
#define SCALE_SAMPLE_MIN 1000000ULL /* ns */

/*
 * Readings between which raw grew faster than this contradict each other. The fastest real counts
 * known are the energy counters of x86, 2^-32 J each: 2^14 a ns are 3.8 kW. Cycles make 6 a ns.
 */
#define SCALE_RATE_MAX 16384ULL /* counts a ns on the PMU */

/* How far running may get ahead of enabled between two readings: one tick at HZ=100. */
#define SCALE_TICK 10000000ULL /* ns */

struct scaled {
	struct count closed; /* the reading at which the last stretch was closed */
	struct count newest; /* the newest reading; the open stretch lies between the two */
	struct count sum; /* of all stretches of all openings, unscaled: what was seen counted */
	uint64_t total; /* counts of all closed stretches, scaled */
	uint64_t remainder; /* what rounding left over, in 2^-64 counts, carried from stretch to stretch */
	uint64_t waiting; /* ns of enabled time, up to the newest reading, since it last ran */
	bool exact; /* on the PMU all the time it was enabled, and no reading was lost */
};

void scaled_start(struct scaled *scaled);

/*
 * Takes the next reading of the same counter. 0, or -EIO when it contradicts the one before (raw,
 * enabled or running went backwards, running grew by over SCALE_TICK more than enabled, or raw
 * faster than SCALE_RATE_MAX): then nothing changes, and the caller may go on by scaled_rebase.
 * A raw count that passes 2^64 goes on from zero.
 */
int scaled_add(struct scaled *scaled, const struct count *count);

/*
 * The next reading belongs to another series, which starts at from (NULL: at zero, the counter was
 * opened anew). The value stays; what is open of the stretch is taken as it was counted. With from, counts
 * between the newest reading and from are lost, and the total is no longer exact.
 */
void scaled_rebase(struct scaled *scaled, const struct count *from);

/*
 * The count so far, monotonic: the closed stretches, and as a lower bound what the open one counted.
 * Wraps at 2^64 as a counter does.
 */
uint64_t scaled_value(const struct scaled *scaled);

/* Has the event been on the PMU at all? Until then its value is not known, unless enabled is 0 too. */
static inline bool scaled_ran(const struct scaled *scaled)
{
	return scaled->sum.running > 0;
}

#endif
