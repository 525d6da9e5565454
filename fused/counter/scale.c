// SPDX-License-Identifier: GPL-2.0-only
/* See scale.h. */
#include "counter/scale.h"

#include <errno.h>

typedef unsigned __int128 u128;

void scaled_start(struct scaled *scaled)
{
	*scaled = (struct scaled){ .exact = true };
}

/* What was counted from one reading to the next; the times are not yet checked. */
static struct count difference(const struct count *from, const struct count *to)
{
	return (struct count){
		.raw = to->raw - from->raw, /* modulo 2^64: a wrap is a step forward */
		.enabled = to->enabled - from->enabled,
		.running = to->running - from->running,
	};
}

/* A step back of raw looks like one forward by nearly 2^64, which no rate allows. */
static bool too_fast(const struct count *step)
{
	if (step->raw >> 63)
		return true;
	return step->raw > (u128)SCALE_RATE_MAX * step->running + (u128)SCALE_RATE_MAX * SCALE_TICK;
}

static bool contradicts(const struct count *from, const struct count *to, const struct count *step)
{
	if (to->enabled < from->enabled || to->running < from->running)
		return true;
	if (step->running > step->enabled && step->running - step->enabled > SCALE_TICK)
		return true;
	return too_fast(step);
}

/*
 * total += raw * enabled / running. The product needs 128 bits; what the division leaves is
 * turned into 2^-64 counts, so that the next stretch, divided by another time, can go on with it.
 */
static void add_scaled(struct scaled *scaled, const struct count *stretch)
{
	u128 product = (u128)stretch->raw * stretch->enabled;
	uint64_t rest = product % stretch->running;
	uint64_t fraction = ((u128)rest << 64) / stretch->running;

	scaled->total += product / stretch->running;
	if (__builtin_add_overflow(scaled->remainder, fraction, &scaled->remainder))
		scaled->total++;
}

static void close_stretch(struct scaled *scaled)
{
	struct count stretch = difference(&scaled->closed, &scaled->newest);

	/* running is sampled a moment after enabled on some kernels: that is no reason to scale down */
	if (stretch.running >= stretch.enabled) {
		scaled->total += stretch.raw;
	} else {
		if (stretch.running < SCALE_SAMPLE_MIN)
			return;
		add_scaled(scaled, &stretch);
	}
	scaled->closed = scaled->newest;
}

int scaled_add(struct scaled *scaled, const struct count *count)
{
	struct count step = difference(&scaled->newest, count);

	if (contradicts(&scaled->newest, count, &step))
		return -EIO;
	scaled->newest = *count;
	scaled->sum.raw += step.raw;
	scaled->sum.enabled += step.enabled;
	scaled->sum.running += step.running;
	scaled->waiting = step.running ? 0 : scaled->waiting + step.enabled;
	if (step.running < step.enabled)
		scaled->exact = false;
	close_stretch(scaled);
	return 0;
}

void scaled_rebase(struct scaled *scaled, const struct count *from)
{
	scaled->total = scaled_value(scaled);
	if (from)
		scaled->exact = false;
	scaled->newest = from ? *from : (struct count){ 0 };
	scaled->closed = scaled->newest;
	scaled->waiting = 0;
}

uint64_t scaled_value(const struct scaled *scaled)
{
	return scaled->total + (scaled->newest.raw - scaled->closed.raw);
}
