// SPDX-License-Identifier: GPL-2.0-only
/* See counters.h: reading, and CPUs that come and go. change.c has the set's events. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "counter/set.h"

int counters_new(const struct cpus *cpus, struct event_resolver *resolver,
		 struct counter_source *source, struct counters **ret)
{
	struct counters *counters = calloc(1, sizeof(*counters));

	if (!counters)
		return -ENOMEM;
	counters->cpus = *cpus;
	counters->resolver = resolver;
	counters->source = source;
	cpu_mask_for_each(cpu, &cpus->possible)
	{
		counters->cpu_count = cpu + 1;
	}
	*ret = counters;
	return 0;
}

void counters_free(struct counters *counters)
{
	if (!counters)
		return;
	for (size_t i = 0; i < counters->count; i++)
		set_release(counters, counters->events[i]);
	free(counters);
}

/* Events. */

/* The index of the first event with this id or a higher one. */
static size_t find_index(const struct counters *counters, uint32_t id)
{
	size_t low = 0, high = counters->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (counters->events[middle]->public.id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct event *set_event(const struct counters *counters, uint32_t id)
{
	size_t i = find_index(counters, id);

	return i < counters->count && counters->events[i]->public.id == id ? counters->events[i]
									   : NULL;
}

const struct counter_event *counters_event(const struct counters *counters, uint32_t id)
{
	const struct event *event = set_event(counters, id);

	return event ? &event->public : NULL;
}

const struct counter_event *counters_next(const struct counters *counters, uint32_t after)
{
	size_t i = after == UINT32_MAX ? counters->count : find_index(counters, after + 1);

	return i < counters->count ? &counters->events[i]->public : NULL;
}

const struct counter_event *counters_find(const struct counters *counters, const char *name)
{
	for (size_t i = 0; i < counters->count; i++) {
		if (strcmp(counters->events[i]->public.name, name) == 0)
			return &counters->events[i]->public;
	}
	return NULL;
}

size_t counters_count(const struct counters *counters)
{
	return counters->count;
}

/* Opening. */

static void forget_opening(struct counter *counter)
{
	free(counter->reason);
	free(counter->backing);
	counter->reason = NULL;
	counter->backing = NULL;
	counter->error = 0;
	counter->unread = 0;
}

static struct counter *grow_counter(struct event *event, unsigned int cpu)
{
	if (!event->cpus[cpu]) {
		event->cpus[cpu] = calloc(1, sizeof(**event->cpus));
		if (event->cpus[cpu])
			scaled_start(&event->cpus[cpu]->scaled);
	}
	return event->cpus[cpu];
}

static void note_opened(struct event *event, struct counter *counter, const struct event_attr *attr)
{
	counter->backing = strdup(attr->backing); /* for people: they can do without */
	if (event->countable)
		return;
	event->countable = true;
	memcpy(event->unit, attr->unit, sizeof(event->unit));
	event->public.scale = attr->scale;
}

int set_open(struct counters *counters, struct event *event, unsigned int cpu, struct refusal *why)
{
	const struct counter_source_ops *ops = counters->source->ops;
	struct counter *counter = grow_counter(event, cpu);
	struct event_attr attr = { 0 };
	struct refusal reason = { 0 };
	int r;

	if (!counter)
		return refuse(why, -ENOMEM, "out of memory");
	forget_opening(counter);
	r = event_resolve(counters->resolver, &event->spec, cpu, &attr, &reason);
	if (!r)
		r = ops->add(counters->source, cpu, event->slot, &attr, &reason);
	if (!r) {
		note_opened(event, counter, &attr);
		return 0;
	}
	counter->error = r;
	counter->reason = strdup(*reason.message ? reason.message : strerror(-r));
	return r == -ENOMEM || r == -EMFILE ? refuse(why, r, "%s", reason.message) : 0;
}

void set_release(struct counters *counters, struct event *event)
{
	for (unsigned int cpu = 0; cpu < counters->cpu_count; cpu++) {
		struct counter *counter = event->cpus[cpu];

		if (!counter)
			continue;
		counters->source->ops->remove(counters->source, cpu, event->slot);
		forget_opening(counter);
		free(counter);
	}
	counters->slots[event->slot] = false;
	event_spec_free(&event->spec);
	free(event);
}

/* CPUs. */

static bool is_online(const struct counters *counters, unsigned int cpu)
{
	return cpu_mask_has(&counters->cpus.online, cpu);
}

const struct cpus *counters_cpus(const struct counters *counters)
{
	return &counters->cpus;
}

int counters_cpu_online(struct counters *counters, unsigned int cpu)
{
	int result = 0;

	if (!cpu_mask_has(&counters->cpus.possible, cpu))
		return -EINVAL;
	if (is_online(counters, cpu))
		counters_cpu_offline(counters, cpu);
	cpu_mask_set(&counters->cpus.online, cpu, true);
	/* said before anything is opened, so that nothing is counted in between */
	if (cpu_mask_has(&counters->off, cpu))
		result = counters->source->ops->enable(counters->source, cpu, false);
	for (size_t i = 0; i < counters->count; i++) {
		int r = set_open(counters, counters->events[i], cpu, NULL);

		result = result ? result : r;
	}
	counters->source->ops->start(counters->source, cpu);
	return result;
}

/* Takes the last reading of a counter that is about to be closed. */
static void bank(struct counters *counters, const struct event *event, unsigned int cpu)
{
	struct counter *counter = event->cpus[cpu];
	struct source_reading reading;

	if (!counter)
		return;
	/* without a reading, or with one that contradicts, what is known up to here stays */
	if (!counter->error &&
	    !counters->source->ops->read(counters->source, cpu, event->slot, &reading))
		scaled_add(&counter->scaled, &reading.count);
	scaled_rebase(&counter->scaled, NULL);
	forget_opening(counter);
}

/*
 * An uncore PMU is read on one CPU of its package; when that goes, the kernel names another one. So
 * those that another CPU could not count before are tried again.
 */
static void open_elsewhere(struct counters *counters)
{
	cpu_mask_for_each(cpu, &counters->cpus.online)
	{
		bool opened = false;

		for (size_t i = 0; i < counters->count; i++) {
			struct event *event = counters->events[i];
			const struct counter *counter = event->cpus[cpu];

			if (!event->countable || !counter || counter->error != -EOPNOTSUPP)
				continue;
			set_open(counters, event, cpu, NULL);
			opened = opened || !counter->error;
		}
		if (opened)
			counters->source->ops->start(counters->source, cpu);
	}
}

void counters_cpu_offline(struct counters *counters, unsigned int cpu)
{
	if (!is_online(counters, cpu))
		return;
	for (size_t i = 0; i < counters->count; i++)
		bank(counters, counters->events[i], cpu);
	counters->source->ops->cpu_gone(counters->source, cpu);
	cpu_mask_set(&counters->cpus.online, cpu, false);
	open_elsewhere(counters);
}

int counters_cpu_enabled(const struct counters *counters, unsigned int cpu)
{
	return is_online(counters, cpu) ? !cpu_mask_has(&counters->off, cpu) : -ENODEV;
}

int counters_cpu_enable(struct counters *counters, unsigned int cpu, bool on)
{
	int r;

	if (!is_online(counters, cpu))
		return -ENODEV;
	r = counters->source->ops->enable(counters->source, cpu, on);
	if (!r)
		cpu_mask_set(&counters->off, cpu, !on);
	return r;
}

/* Where there is a value. */

/* Counted elsewhere, not on this CPU: no file, and no part of sums. */
static bool is_elsewhere(const struct event *event, const struct counter *counter)
{
	return event->countable && counter->error == -EOPNOTSUPP;
}

/* The counter behind a file, NULL when there is no such file. */
static struct counter *find_counter(const struct counters *counters, unsigned int cpu,
				    const struct event *event)
{
	struct counter *counter;

	if (!event || !is_online(counters, cpu))
		return NULL;
	counter = event->cpus[cpu];
	return counter && !is_elsewhere(event, counter) ? counter : NULL;
}

bool counters_has(const struct counters *counters, unsigned int cpu, uint32_t id)
{
	return find_counter(counters, cpu, set_event(counters, id));
}

int counters_check(const struct counters *counters, unsigned int cpu, uint32_t id)
{
	const struct counter *counter = find_counter(counters, cpu, set_event(counters, id));

	return counter ? counter->error : -ESTALE;
}

int counters_check_all(const struct counters *counters, uint32_t id)
{
	const struct event *event = set_event(counters, id);

	if (!event)
		return -ESTALE;
	cpu_mask_for_each(cpu, &counters->cpus.online)
	{
		const struct counter *counter = find_counter(counters, cpu, event);

		if (counter && counter->error)
			return counter->error;
	}
	return 0;
}

const char *counters_reason(const struct counters *counters, unsigned int cpu, uint32_t id)
{
	const struct event *event = set_event(counters, id);
	const struct counter *counter = event && is_online(counters, cpu) ? event->cpus[cpu] : NULL;

	if (!counter)
		return "";
	if (counter->reason)
		return counter->reason;
	if (counter->unread == -EBUSY)
		return "it has no hardware counter at present, others have them all (EBUSY)";
	return counter->unread ? strerror(-counter->unread) : "";
}

/* Values. */

static int add_reading(struct counter *counter, const struct source_reading *reading)
{
	struct scaled *scaled = &counter->scaled;

	if (counter->error)
		return counter->error;
	if (reading->error)
		return reading->error;
	if (scaled_add(scaled, &reading->count)) {
		scaled_rebase(scaled, &reading->count);
		return -EIO;
	}
	if (scaled->sum.enabled && !scaled_ran(scaled))
		return -EBUSY;
	return scaled->waiting > COUNTER_WAIT_MAX ? -EBUSY : 0;
}

static int take(struct counter *counter, const struct source_reading *reading)
{
	counter->unread = add_reading(counter, reading);
	return counter->unread;
}

int counters_read(struct counters *counters, unsigned int cpu, uint32_t id, uint64_t *value)
{
	const struct event *event = set_event(counters, id);
	struct counter *counter = find_counter(counters, cpu, event);
	struct source_reading reading = { 0 };
	int r;

	if (!counter)
		return -ENODEV;
	if (!counter->error)
		counters->source->ops->read(counters->source, cpu, event->slot, &reading);
	r = take(counter, &reading);
	if (!r)
		*value = scaled_value(&counter->scaled);
	return r;
}

int counters_read_all(struct counters *counters, uint32_t id, uint64_t *value)
{
	const struct event *event = set_event(counters, id);
	uint64_t sum = 0, one;

	if (!event)
		return -ENODEV;
	for (unsigned int cpu = 0; cpu < counters->cpu_count; cpu++) {
		const struct counter *counter = event->cpus[cpu];

		if (!counter)
			continue;
		if (find_counter(counters, cpu, event)) {
			int r = counters_read(counters, cpu, id, &one);

			if (r)
				return r;
		}
		sum += scaled_value(&counter->scaled);
	}
	*value = sum;
	return 0;
}

/* All readings of a CPU into counters->readings. */
static void read_cpu(struct counters *counters, unsigned int cpu)
{
	counters->source->ops->read_cpu(counters->source, cpu, counters->readings,
					counters->slot_end);
}

static void add_row(struct counter_stat *row, const struct counter *counter, int error)
{
	const struct scaled *scaled = &counter->scaled;

	row->raw += scaled->sum.raw;
	row->scaled += scaled_value(scaled);
	row->enabled += scaled->sum.enabled;
	row->running += scaled->sum.running;
	if (!*row->backing && counter->backing)
		row->backing = counter->backing;
	if (error) {
		row->error = error;
		row->state = COUNTER_UNAVAILABLE;
	} else if (!scaled->exact && row->state == COUNTER_EXACT) {
		row->state = COUNTER_SCALED;
	}
}

int counters_stat(struct counters *counters, unsigned int cpu, struct counter_stat *rows)
{
	int filled = 0;

	if (!is_online(counters, cpu))
		return -ENODEV;
	read_cpu(counters, cpu);
	for (size_t i = 0; i < counters->count; i++) {
		const struct event *event = counters->events[i];
		struct counter *counter = find_counter(counters, cpu, event);
		struct counter_stat *row = &rows[filled];

		if (!counter)
			continue;
		*row = (struct counter_stat){ .event = &event->public, .backing = "" };
		add_row(row, counter, take(counter, &counters->readings[event->slot]));
		filled++;
	}
	return filled;
}

int counters_stat_all(struct counters *counters, struct counter_stat *rows)
{
	for (size_t i = 0; i < counters->count; i++)
		rows[i] = (struct counter_stat){ .event = &counters->events[i]->public,
						 .backing = "" };
	for (unsigned int cpu = 0; cpu < counters->cpu_count; cpu++) {
		if (is_online(counters, cpu))
			read_cpu(counters, cpu);
		for (size_t i = 0; i < counters->count; i++) {
			const struct event *event = counters->events[i];
			struct counter *counter = find_counter(counters, cpu, event);
			int r = counter ? take(counter, &counters->readings[event->slot]) : 0;

			if (event->cpus[cpu])
				add_row(&rows[i], event->cpus[cpu], r);
		}
	}
	return counters->count;
}

void counters_settle(struct counters *counters)
{
	cpu_mask_for_each(cpu, &counters->cpus.online)
	{
		read_cpu(counters, cpu);
		for (size_t i = 0; i < counters->count; i++) {
			const struct event *event = counters->events[i];
			struct counter *counter = find_counter(counters, cpu, event);

			if (counter)
				take(counter, &counters->readings[event->slot]);
		}
	}
}
