// SPDX-License-Identifier: GPL-2.0-only
/*
 * The all-or-nothing change of the counter set: a text becomes a plan, the plan's new events are
 * checked and opened beside those that count; only then do old ones go and new ones start.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/cleanup.h"
#include "counter/set.h"

struct plan {
	struct counters *counters;
	struct event *added[COUNTER_EVENTS_MAX];
	size_t added_count;
	size_t going_count;
	uint32_t gone[COUNTER_EVENTS_MAX]; /* ids, once they are gone */
};

static struct plan *plan_new(struct counters *counters)
{
	struct plan *plan = calloc(1, sizeof(*plan));

	if (plan)
		plan->counters = counters;
	return plan;
}

/* What was not carried out is undone. */
static void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	for (size_t i = 0; i < plan->counters->count; i++)
		plan->counters->events[i]->going = false;
	for (size_t i = 0; i < plan->added_count; i++)
		set_release(plan->counters, plan->added[i]);
	free(plan);
}

static void plan_free_p(struct plan **plan)
{
	plan_free(*plan);
}

/* The set as it will be: what stays, and what the plan adds. */
static struct event *find_planned(const struct plan *plan, const char *name)
{
	const struct counters *counters = plan->counters;

	for (size_t i = 0; i < counters->count; i++) {
		struct event *event = counters->events[i];

		if (!event->going && strcmp(event->spec.name, name) == 0)
			return event;
	}
	for (size_t i = 0; i < plan->added_count; i++) {
		if (strcmp(plan->added[i]->spec.name, name) == 0)
			return plan->added[i];
	}
	return NULL;
}

static void take_slot(struct counters *counters, struct event *event)
{
	while (counters->slots[event->slot])
		event->slot++;
	counters->slots[event->slot] = true;
	if (counters->slot_end <= event->slot)
		counters->slot_end = event->slot + 1;
}

/* Takes over event's spec on success. */
static int accept_event(struct plan *plan, struct event *event, struct refusal *why)
{
	struct counters *counters = plan->counters;
	int r;

	if (find_planned(plan, event->spec.name))
		return refuse(why, -EEXIST, "%s: there is an event of this name", event->spec.name);
	if (counters->count - plan->going_count + plan->added_count >= COUNTER_EVENTS_MAX)
		return refuse(why, -E2BIG, "%s: at most %d events can be counted", event->spec.name,
			      COUNTER_EVENTS_MAX);
	r = event_check(counters->resolver, &event->spec, why);
	if (r)
		return r;
	event->public = (struct counter_event){
		.name = event->spec.name,
		.spec = event->spec.text,
		.unit = event->unit,
		.scale = 1.0,
	};
	take_slot(counters, event);
	plan->added[plan->added_count++] = event;
	return 0;
}

static int plan_addition(struct plan *plan, const char *word, size_t length, struct refusal *why)
{
	struct event *event;
	int r;

	event = calloc(1, sizeof(*event) + plan->counters->cpu_count * sizeof(struct counter *));
	if (!event)
		return refuse(why, -ENOMEM, "out of memory");
	r = event_spec_parse(word, length, &event->spec, why);
	if (r) {
		free(event);
		return r;
	}
	r = accept_event(plan, event, why);
	if (r) {
		event_spec_free(&event->spec);
		free(event);
	}
	return r;
}

/* By its file's name, or by the spec that gave the name: `-armv8_pmuv3/l2d_cache/`. */
static struct event *find_going(const struct plan *plan, const char *word, size_t length)
{
	struct event_spec spec;
	struct event *event = NULL;
	char name[EVENT_NAME_MAX];

	if (length < sizeof(name) && !memchr(word, '\0', length)) {
		memcpy(name, word, length);
		name[length] = '\0';
		event = find_planned(plan, name);
	}
	if (!event && !event_spec_parse(word, length, &spec, NULL)) {
		event = find_planned(plan, spec.name);
		event_spec_free(&spec);
	}
	return event;
}

static int plan_removal(struct plan *plan, const char *word, size_t length, struct refusal *why)
{
	struct event *event = find_going(plan, word, length);

	if (!event)
		return refuse(why, -ENOENT, "-%.*s: no event of this name is counted",
			      (int)(length < EVENT_SPEC_MAX ? length : EVENT_SPEC_MAX), word);
	if (!event->public.id)
		return refuse(why, -EINVAL, "-%s: the same text adds it", event->public.name);
	event->going = true;
	plan->going_count++;
	return 0;
}

static int plan_word(struct plan *plan, const char *word, size_t length, struct refusal *why)
{
	if (*word == '+')
		return plan_addition(plan, word + 1, length - 1, why);
	if (*word == '-')
		return plan_removal(plan, word + 1, length - 1, why);
	return refuse(why, -EINVAL, "%.*s: write +EVENT to count it, or -NAME to end that",
		      (int)(length < EVENT_NAME_MAX ? length : EVENT_NAME_MAX), word);
}

static int refuse_descriptors(const struct plan *plan, const struct refusal *first,
			      struct refusal *why)
{
	const struct counters *counters = plan->counters;
	size_t events = counters->count + plan->added_count;
	unsigned int cpus = cpu_mask_count(&counters->cpus.online);
	struct rlimit limit = { 0 };

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return refuse(why, -EMFILE, "%s", first->message);
	return refuse(why, -EMFILE,
		      "%zu events on %u CPUs need more than %zu open files and at most %llu are "
		      "allowed: raise the hard limit (LimitNOFILE= of the unit)",
		      events, cpus, events * cpus, (unsigned long long)limit.rlim_max);
}

/* CPU by CPU; what one CPU cannot count is no reason to refuse. */
static int plan_open(struct plan *plan, struct refusal *why)
{
	struct counters *counters = plan->counters;
	struct refusal first = { 0 };

	cpu_mask_for_each(cpu, &counters->cpus.online)
	{
		for (size_t i = 0; i < plan->added_count; i++) {
			int r = set_open(counters, plan->added[i], cpu, &first);

			if (r == -EMFILE)
				return refuse_descriptors(plan, &first, why);
			if (r)
				return refuse(why, r, "%s", first.message);
		}
	}
	return 0;
}

/* Nothing can fail from here on. */
static void plan_commit(struct plan *plan)
{
	struct counters *counters = plan->counters;
	size_t kept = 0;

	plan->going_count = 0;
	for (size_t i = 0; i < counters->count; i++) {
		struct event *event = counters->events[i];

		if (event->going) {
			plan->gone[plan->going_count++] = event->public.id;
			set_release(counters, event);
		} else {
			counters->events[kept++] = event;
		}
	}
	counters->count = kept;
	for (size_t i = 0; i < plan->added_count; i++) {
		plan->added[i]->public.id = ++counters->last_id;
		counters->events[counters->count++] = plan->added[i];
	}
	cpu_mask_for_each(cpu, &counters->cpus.online)
	{
		counters->source->ops->start(counters->source, cpu);
	}
}

/* The set is whole again: whoever is told may look at it. */
static void plan_tell(struct plan *plan, counters_changed *changed, void *context)
{
	size_t added = plan->added_count;

	plan->added_count = 0; /* they belong to the set now */
	if (!changed)
		return;
	for (size_t i = 0; i < plan->going_count; i++)
		changed(context, plan->gone[i], true);
	for (size_t i = 0; i < added; i++)
		changed(context, plan->added[i]->public.id, false);
}

static int plan_carry_out(struct plan *plan, counters_changed *changed, void *context,
			  struct refusal *why)
{
	int r = plan_open(plan, why);

	if (r)
		return r;
	plan_commit(plan);
	plan_tell(plan, changed, context);
	return 0;
}

int counters_change(struct counters *counters, const char *text, size_t length,
		    counters_changed *changed, void *context, struct refusal *why)
{
	_cleanup_(plan_free_p) struct plan *plan = plan_new(counters);
	const char *cursor = text, *end = text + length, *word;
	size_t word_length;

	if (!plan)
		return refuse(why, -ENOMEM, "out of memory");
	while (!event_list_next(&cursor, end, &word, &word_length)) {
		int r = plan_word(plan, word, word_length, why);

		if (r)
			return r;
	}
	return plan_carry_out(plan, changed, context, why);
}

int counters_add(struct counters *counters, const char *list, size_t length,
		 counters_refused *refused, void *context, struct refusal *why)
{
	_cleanup_(plan_free_p) struct plan *plan = plan_new(counters);
	const char *cursor = list, *end = list + length, *word;
	size_t word_length;

	if (!plan)
		return refuse(why, -ENOMEM, "out of memory");
	while (!event_list_next(&cursor, end, &word, &word_length)) {
		struct refusal reason = { 0 };
		int r = plan_addition(plan, word, word_length, &reason);

		if (!r)
			continue;
		if (!refused || r == -ENOMEM)
			return refuse(why, r, "%s", reason.message);
		refused(context, r, reason.message);
	}
	return plan_carry_out(plan, NULL, NULL, why);
}
