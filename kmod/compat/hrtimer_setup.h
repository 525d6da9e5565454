/* SPDX-License-Identifier: GPL-2.0-only */
/* hrtimer_setup() for kernels that set a timer up in two steps. */
#ifndef PMUCTL_COMPAT_HRTIMER_SETUP_H
#define PMUCTL_COMPAT_HRTIMER_SETUP_H

#include <linux/hrtimer.h>

#ifndef HAVE_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

#endif /* PMUCTL_COMPAT_HRTIMER_SETUP_H */
