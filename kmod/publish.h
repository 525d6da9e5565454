/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Keeps the slots true: the private side of each slot, the probe that sees events get and lose
 * their registers, and the timer that refreshes published values.
 *
 * A slot is written on its own CPU with interrupts off, or, while its CPU is offline, by whoever
 * keeps it from coming back meanwhile. An NMI may publish, too: see publish_counter().
 */
#ifndef PMUCTL_PUBLISH_H
#define PMUCTL_PUBLISH_H

#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "uapi/pmuctl.h"

/**
 * struct counter - one event on one CPU
 * @event: the kernel's event, NULL: there is none. Read on this CPU with interrupts off and set, by
 * counters.c, through
 *	publish_call(): when that returns, nobody uses what it was before, and it may be released.
 * @slot: what programs see
 * @cpu: whose it is
 * @used: the event table has an entry of this number. Set as @event, like @error and @base.
 * @error: negative errno: this CPU cannot count it
 * @base: what earlier events counted for this slot
 * @plugged: of struct counter_cpu, when @event or @error came about; counters.c's own
 * @busy: the slot is being written
 * @again: an NMI found it so, and has left its own work to that writer
 * @direct: the slot names a register
 * @counting: the event was counting when last looked at
 * @wanted: it was to count then
 * @last: when that was: CLOCK_MONOTONIC, ns
 * @enabled: ns it was to count, up to @last
 * @running: ns it counted, up to @last
 */
struct counter {
	struct perf_event *event;
	struct pmuctl_slot *slot;
	unsigned int cpu;
	bool used;
	int error;
	u64 base;
	unsigned int plugged;
	bool busy;
	bool again;
	bool direct;
	bool counting;
	bool wanted;
	u64 last;
	u64 enabled;
	u64 running;
};

/**
 * struct counter_cpu - the counters of a CPU
 * @online: between its coming up and its going down, as the hotplug callbacks see it
 * @counting: counting on it is switched on
 * @plugged: how often it came up: events made before the last time are dead
 * @direct: counters whose slot names a register
 * @counters: by number of the event
 */
struct counter_cpu {
	bool online;
	bool counting;
	unsigned int plugged;
	unsigned int direct;
	struct counter counters[PMUCTL_EVENTS_MAX];
};

/**
 * publish_init() - set up slots and timers, and the probe if the kernel has probes
 * @period: of the timer, in ns; 0: off
 *
 * Return: 0 or -ENOMEM. A probe that is refused is no error: then no slot names a register.
 */
int publish_init(u64 period);

/** publish_exit() - stop timers, remove the probe; no event is left, and no mapping */
void publish_exit(void);

/** publish_cpu() - the counters of a possible CPU */
struct counter_cpu *publish_cpu(unsigned int cpu);

/**
 * publish_marker() - what marks an event as ours
 *
 * It stands where others have a function for overflows, and is never called: our events do not
 * sample. Its context is the counter.
 */
void publish_marker(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);

/**
 * publish_is_cpu_pmu() - whether an event is of a PMU of the CPU itself
 * @event: of any PMU
 *
 * Return: whether it is.
 */
bool publish_is_cpu_pmu(const struct perf_event *event);

/**
 * publish_refresh() - read the counter and publish what it says
 * @counter: of this CPU; interrupts are off
 */
void publish_refresh(struct counter *counter);

/**
 * publish_call() - run a function where it may change what belongs to a CPU's slots
 * @cpu: a possible CPU
 * @function: run on that CPU with interrupts off or, when it is offline, here while it cannot come
 * back
 * @argument: of the function
 *
 * Context: may sleep; takes cpu_hotplug_lock for reading.
 */
void publish_call(unsigned int cpu, void (*function)(void *argument), void *argument);

/**
 * publish_flags() - publish the state of a CPU
 * @cpu: a possible CPU; called as publish_call() calls, or with the CPU coming or going
 */
void publish_flags(unsigned int cpu);

/** publish_cpu_up() - from the hotplug callback of this CPU, before its counters are made */
void publish_cpu_up(unsigned int cpu);

/** publish_cpu_down() - the same when it goes */
void publish_cpu_down(unsigned int cpu);

/** publish_mapped() - somebody mapped the area or the trigger page: the timers are wanted */
void publish_mapped(void);

/** publish_unmapped() - one mapping less */
void publish_unmapped(void);

#endif /* PMUCTL_PUBLISH_H */
