// SPDX-License-Identifier: GPL-2.0-only
/* See modifiers.h. */
#include "event/modifiers.h"

#include <errno.h>

#define PRECISE_MAX 3

static const struct {
	char letter;
	size_t flag; /* where in struct event_modifiers */
} flags[] = {
	{ 'u', offsetof(struct event_modifiers, user) },
	{ 'k', offsetof(struct event_modifiers, kernel) },
	{ 'h', offsetof(struct event_modifiers, hypervisor) },
	{ 'H', offsetof(struct event_modifiers, host) },
	{ 'G', offsetof(struct event_modifiers, guest) },
	{ 'I', offsetof(struct event_modifiers, idle) },
	{ 'D', offsetof(struct event_modifiers, pinned) },
	{ 'e', offsetof(struct event_modifiers, exclusive) },
	{ 'P', offsetof(struct event_modifiers, precise_most) },
};

static const struct {
	char letter;
	const char *meaning;
} meaningless[] = {
	{ 'S', "reads a group with each sample" },
	{ 'W', "breaks up a group that does not fit" },
	{ 'b', "counts by a BPF program" },
	{ 'R', "places metrics in a group" },
};

static bool *flag_of(struct event_modifiers *modifiers, char letter)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (flags[i].letter == letter)
			return (bool *)((char *)modifiers + flags[i].flag);
	}
	return NULL;
}

static const char *meaning_of(char letter)
{
	for (size_t i = 0; i < sizeof(meaningless) / sizeof(meaningless[0]); i++) {
		if (meaningless[i].letter == letter)
			return meaningless[i].meaning;
	}
	return NULL;
}

bool modifiers_plausible(const char *text, size_t length)
{
	struct event_modifiers scratch;

	for (size_t i = 0; i < length; i++) {
		if (text[i] != 'p' && !flag_of(&scratch, text[i]) && !meaning_of(text[i]))
			return false;
	}
	return length > 0;
}

static int take_letter(char letter, struct event_modifiers *modifiers, struct refusal *why)
{
	bool *flag = flag_of(modifiers, letter);
	const char *meaning = meaning_of(letter);

	if (letter == 'p') {
		if (++modifiers->precise > PRECISE_MAX)
			return refuse(why, -EINVAL, "modifier 'p' can be given %d times at most",
				      PRECISE_MAX);
		return 0;
	}
	if (meaning)
		return refuse(why, -EINVAL, "modifier '%c' %s and means nothing to a counter",
			      letter, meaning);
	if (!flag)
		return refuse(why, -EINVAL, "unknown modifier '%c': there are u k h H G I p P D e",
			      letter);
	if (*flag)
		return refuse(why, -EINVAL, "modifier '%c' is given twice", letter);
	*flag = true;
	return 0;
}

int modifiers_parse(const char *text, size_t length, struct event_modifiers *modifiers,
		    struct refusal *why)
{
	if (!length)
		return refuse(why, -EINVAL, "no modifier behind ':'");
	for (size_t i = 0; i < length; i++) {
		int error = take_letter(text[i], modifiers, why);

		if (error)
			return error;
	}
	return 0;
}

static bool none_given(const struct event_modifiers *m)
{
	return !(m->user || m->kernel || m->hypervisor || m->host || m->guest || m->idle ||
		 m->pinned || m->exclusive || m->precise || m->precise_most);
}

void modifiers_apply(const struct event_modifiers *m, bool excludes_guest,
		     struct perf_event_attr *attr)
{
	if (m->user || m->kernel || m->hypervisor) {
		attr->exclude_user = !m->user;
		attr->exclude_kernel = !m->kernel;
		attr->exclude_hv = !m->hypervisor;
	}
	/*
	 * perf leaves guests out of an event without modifiers. Of one that has some, only H, u and
	 * p do; k, h, I, D, e or P alone bring the guests back in. Odd, but counts that differ from
	 * perf's for the same name would be odder.
	 */
	if (m->host || m->guest) {
		attr->exclude_host = !m->host;
		attr->exclude_guest = !m->guest;
	} else {
		attr->exclude_guest = excludes_guest && (none_given(m) || m->user || m->precise);
	}
	attr->exclude_idle = m->idle;
	attr->pinned = m->pinned;
	attr->exclusive = m->exclusive;
	/*
	 * A count is the same with or without precise sampling, but perf stat asks for what the name
	 * says, and a PMU that cannot do it refuses there as here. P, "as precise as can be", is
	 * settled by perf at sampling only.
	 */
	attr->precise_ip = m->precise & 3;
}
