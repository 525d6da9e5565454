/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between architectures: which register holds an event, and what to ask for so that it
 * can be read.
 */
#ifndef PMUCTL_ARCH_H
#define PMUCTL_ARCH_H

#include <linux/perf_event.h>

#include "../uapi/pmuctl.h"

/** arch_init() - find out, once, what does not change */
void arch_init(void);

/**
 * arch_event_attr() - ask for counters as wide as they are to be had
 * @attr: an event of the CPU's PMU, to be changed
 */
void arch_event_attr(struct perf_event_attr *attr);

/**
 * arch_event_register() - which register holds an event's count now
 * @event: an event of the CPU's PMU that is counting on this CPU
 * @reason: why none can be read, when it returns 0
 *
 * Context: interrupts off, possibly in an NMI.
 * Return: the code of a tag (register and width, see uapi/pmuctl.h), 0: none.
 */
u16 arch_event_register(struct perf_event *event, enum pmuctl_reason *reason);

static inline u16 arch_code(unsigned int number, unsigned int width)
{
	return number | width << 8;
}

#endif /* PMUCTL_ARCH_H */
