/* SPDX-License-Identifier: GPL-2.0-only */
/* The events that are counted, and the kernel's counters for them on each CPU. */
#ifndef PMUCTL_COUNTERS_H
#define PMUCTL_COUNTERS_H

#include "uapi/pmuctl.h"

/**
 * counters_init() - count the named events on every CPU that is online, and follow CPU hotplug
 * @names: generic events' names, with commas between
 *
 * A CPU that cannot count one has that slot marked; that none can is no error.
 *
 * Return: 0, -EINVAL: a name is unknown, or another negative errno.
 */
int counters_init(const char *names);

/** counters_exit() - release every counter; stop following hotplug */
void counters_exit(void);

/**
 * counters_add() - count one more event
 * @added: from user space, flags and size checked; gets number and id
 *
 * Context: may sleep. The caller has checked capabilities.
 * Return: 0 or an error of PMUCTL_IOC_EVENT_ADD.
 */
int counters_add(struct pmuctl_event_add *added);

/**
 * counters_remove() - stop counting an event
 * @event: its number
 * @id: its id, 0: whichever
 *
 * Return: 0 or -ENOENT.
 */
int counters_remove(u32 event, u32 id);

/**
 * counters_enable() - switch counting on a CPU on or off
 * @cpu: its number
 * @enable: on or off
 *
 * Return: 0, or -ENXIO: there is no such CPU.
 */
int counters_enable(u32 cpu, bool enable);

/**
 * counters_read() - the value of an event on a CPU, read there now
 * @cpu: its number
 * @event: the event's number
 * @value: filled in when there is a value
 *
 * Return: 0 or an error of PMUCTL_IOC_READ.
 */
int counters_read(u32 cpu, u32 event, struct pmuctl_value *value);

/**
 * counters_read_cpu() - all events of a CPU, read at one moment
 * @cpu: its number
 * @values: room for PMUCTL_EVENTS_MAX
 *
 * Return: how many, or -ENXIO.
 */
int counters_read_cpu(u32 cpu, struct pmuctl_value *values);

#endif /* PMUCTL_COUNTERS_H */
