// SPDX-License-Identifier: GPL-2.0-only
/* hrtimer_setup() took the place of hrtimer_init() and of setting the function by hand. */
#include <linux/hrtimer.h>

void probe(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *));

void probe(struct hrtimer *timer, enum hrtimer_restart (*function)(struct hrtimer *))
{
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
}
