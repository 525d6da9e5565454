// SPDX-License-Identifier: GPL-2.0-only
/* See pmu_event.h. */
#include "event/pmu_event.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "event/generic.h"

/* An event file is one line of at most a page. */
#define EVENT_LINE_MAX 4096

/* What stands beside a named event in the same directory. */
static const char *const companions[] = { ".unit", ".scale", ".per-pkg", ".snapshot" };

/* Terms that perf takes for any PMU and that a counter has no use for. */
static const char *const sampling_terms[] = {
	"period",	   "freq",	  "time",      "call-graph",	"stack-size", "max-stack",
	"inherit",	   "no-inherit",  "overwrite", "no-overwrite",	"percore",    "aux-output",
	"aux-sample-size", "branch_type", "metric-id", "driver-config",
};

static bool in_list(const char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(list[i], name))
			return true;
	}
	return false;
}

static bool is_companion(const char *name)
{
	for (size_t i = 0; i < sizeof(companions) / sizeof(companions[0]); i++) {
		size_t length = strlen(name), suffix = strlen(companions[i]);

		if (length > suffix && !strcmp(name + length - suffix, companions[i]))
			return true;
	}
	return false;
}

struct event_visit {
	sysfs_entry *each;
	void *context;
};

static int visit_event(void *context, const char *name)
{
	struct event_visit *visit = context;

	return is_companion(name) ? 0 : visit->each(visit->context, name);
}

int pmu_event_each(const struct pmu *pmu, sysfs_entry *each, void *context)
{
	struct event_visit visit = { each, context };
	char path[PATH_MAX];
	int error = sysfs_path(path, sizeof(path), "%s/events", pmu->directory);

	return error ? error : sysfs_each(path, visit_event, &visit);
}

struct name_search {
	const char *wanted;
	char found[NAME_MAX + 1];
};

static int compare_name(void *context, const char *name)
{
	struct name_search *search = context;

	if (strcasecmp(name, search->wanted))
		return 0;
	snprintf(search->found, sizeof(search->found), "%s", name);
	return 1;
}

/* The event's name as its file has it; false when there is none. */
static bool find_event(const struct pmu *pmu, const char *name, char found[NAME_MAX + 1])
{
	struct name_search search = { .wanted = name };
	char path[PATH_MAX];

	if (!is_companion(name) &&
	    !sysfs_path(path, sizeof(path), "%s/events/%s", pmu->directory, name) &&
	    !access(path, F_OK)) {
		snprintf(found, NAME_MAX + 1, "%s", name);
		return true;
	}
	(void)pmu_event_each(pmu, compare_name, &search);
	memcpy(found, search.found, sizeof(search.found));
	return found[0] != '\0';
}

bool pmu_event_exists(const struct pmu *pmu, const char *name)
{
	char found[NAME_MAX + 1];

	return find_event(pmu, name, found);
}

/* Adds "name=0x…" to the text of what the event came to; what does not fit is left out. */
static void note_term(struct pmu_event *event, const char *name, uint64_t value)
{
	size_t used = strlen(event->terms);
	int length = snprintf(event->terms + used, sizeof(event->terms) - used, "%s%s=0x%llx",
			      used ? "," : "", name, (unsigned long long)value);

	if (length < 0 || (size_t)length >= sizeof(event->terms) - used)
		event->terms[used] = '\0';
}

static int unknown_term(const struct pmu *pmu, const char *name, struct refusal *why)
{
	char formats[PATH_MAX], names[NEAR_TEXT_MAX];
	struct near near;

	near_start(&near, name);
	if (!sysfs_path(formats, sizeof(formats), "%s/format", pmu->directory))
		(void)sysfs_each(formats, near_offer, &near);
	(void)pmu_event_each(pmu, near_offer, &near);
	near_text(&near, names);
	return refuse(why, -ENOENT, "PMU '%s' has no event or term '%.128s'%s", pmu->name, name,
		      names);
}

static int find_field(const struct pmu *pmu, const char *name, struct format_field *field,
		      struct refusal *why)
{
	static const char *const words[CONFIG_WORDS] = { "config", "config1", "config2",
							 "config3" };

	for (unsigned int i = 0; i < CONFIG_WORDS; i++) {
		if (strcmp(name, words[i]))
			continue;
		*field = (struct format_field){ .word = i, .bits = UINT64_MAX };
		return 0;
	}
	return format_find(pmu, name, field, why);
}

/* A term that goes to a field; -ENOENT without a word when the PMU has no such field. */
static int place_term(const struct pmu *pmu, const char *name, const char *text,
		      struct pmu_event *event, struct refusal *why)
{
	struct format_field field;
	uint64_t value = 1; /* a flag: its bare name sets it */
	int error;

	error = find_field(pmu, name, &field, why);
	if (error)
		return error;
	error = text ? number_parse(text, &value) : 0;
	if (error == -EINVAL)
		return refuse(why, error, "'%.64s' is no value for '%s': a number, 10 or 0xa, is",
			      text, name);
	if (!error)
		error = format_place(&field, value, event->config);
	if (error)
		return refuse(why, -EINVAL,
			      "%s is too large for '%s' of PMU '%s', which has %d bits (0x%llx at "
			      "most)",
			      text, name, pmu->name, __builtin_popcountll(field.bits),
			      (unsigned long long)format_most(&field));
	note_term(event, name, value);
	return 0;
}

static int read_companion(const struct pmu *pmu, const char *name, const char *suffix, char *out,
			  size_t size, struct refusal *why)
{
	char path[PATH_MAX];
	int error = sysfs_path(path, sizeof(path), "%s/events/%s%s", pmu->directory, name, suffix);

	if (!error)
		error = sysfs_read_line(out, size, path);
	if (error && error != -ENOENT)
		return refuse(why, error == -EACCES ? error : -EIO, "%s is broken", path);
	return error;
}

/* Files of .unit have one word, "Joules", "MiB"; .scale a number in C's notation. */
static int read_unit(const struct pmu *pmu, const char *name, struct pmu_event *event,
		     struct refusal *why)
{
	char line[64], *end;
	int error;

	error = read_companion(pmu, name, ".unit", event->unit, sizeof(event->unit), why);
	if (error && error != -ENOENT)
		return error;
	for (const char *c = event->unit; *c; c++) {
		if (!isprint((unsigned char)*c))
			return refuse(why, -EIO, "the unit of %s/%s/ is broken", pmu->name, name);
	}
	error = read_companion(pmu, name, ".scale", line, sizeof(line), why);
	if (error)
		return error == -ENOENT ? 0 : error;
	event->scale = strtod(line, &end);
	if (end == line || *end || !isfinite(event->scale) || event->scale <= 0)
		return refuse(why, -EIO, "the scale of %s/%s/ is no factor: '%s'", pmu->name, name,
			      line);
	return 0;
}

struct terms {
	const struct event_term *list;
	size_t count;
};

static const struct event_term *given(const struct terms *terms, const char *name)
{
	for (size_t i = 0; i < terms->count; i++) {
		if (!strcmp(terms->list[i].name, name))
			return &terms->list[i];
	}
	return NULL;
}

/* One term of a named event's file. */
static int place_named(const struct pmu *pmu, const char *event_name, char *term,
		       const struct terms *user, struct pmu_event *event, struct refusal *why)
{
	char *value = strchr(term, '=');
	int error;

	if (value)
		*value++ = '\0';
	if (value && !strcmp(value, "?")) {
		const struct event_term *own = given(user, term);

		if (own && own->value)
			return 0;
		return refuse(why, -EINVAL,
			      "the event '%s' of PMU '%s' needs a value for '%s': %s/%s,%s=…/",
			      event_name, pmu->name, term, pmu->name, event_name, term);
	}
	/* what the user gives for the same term comes instead; a period is for sampling */
	if (given(user, term) || !strcmp(term, "period"))
		return 0;
	error = place_term(pmu, term, value, event, why);
	if (error == -ENOENT || error == -EINVAL)
		return refuse(why, -EIO, "%s/events/%s is broken at '%s'", pmu->directory,
			      event_name, term);
	return error;
}

static int place_event(const struct pmu *pmu, const char *name, const struct terms *user,
		       struct pmu_event *event, struct refusal *why)
{
	char path[PATH_MAX], line[EVENT_LINE_MAX];
	char *rest = line, *term;
	int error;

	error = sysfs_path(path, sizeof(path), "%s/events/%s", pmu->directory, name);
	if (!error)
		error = sysfs_read_line(line, sizeof(line), path);
	if (error)
		return refuse(why, error == -EACCES ? error : -EIO, "%s is broken: %s", path,
			      strerror(-error));
	while ((term = strsep(&rest, ","))) {
		error = place_named(pmu, name, term, user, event, why);
		if (error)
			return error;
	}
	return read_unit(pmu, name, event, why);
}

/* The event as it is called, or by perf's first spelling for it: cycles is cpu-cycles. */
static bool find_named(const struct pmu *pmu, const char *name, char found[NAME_MAX + 1])
{
	struct generic_event generic;

	if (find_event(pmu, name, found))
		return true;
	return !generic_find(name, &generic) && generic.type == PERF_TYPE_HARDWARE &&
	       find_event(pmu, generic.symbol, found);
}

bool pmu_event_named(const struct pmu *pmu, const char *name)
{
	char found[NAME_MAX + 1];

	return find_named(pmu, name, found);
}

static int place_user(const struct pmu *pmu, const struct event_term *term, struct pmu_event *event,
		      struct refusal *why)
{
	char *end;
	int error;

	if (in_list(sampling_terms, sizeof(sampling_terms) / sizeof(sampling_terms[0]), term->name))
		return refuse(why, -EINVAL, "the term '%s' means nothing to a counter", term->name);
	error = place_term(pmu, term->name, term->value, event, why);
	if (error != -ENOENT)
		return error;
	/* cpu/r1a3/ is config=0x1a3 */
	if (!term->value && term->name[0] == 'r' && isxdigit((unsigned char)term->name[1])) {
		errno = 0;
		event->config[0] = strtoull(term->name + 1, &end, 16);
		if (!*end && !errno) {
			note_term(event, "config", event->config[0]);
			return 0;
		}
	}
	return unknown_term(pmu, term->name, why);
}

int pmu_event_encode(const struct pmu *pmu, const struct event_term *terms, size_t count,
		     struct pmu_event *event, struct refusal *why)
{
	const struct terms user = { terms, count };
	char found[NAME_MAX + 1];
	size_t named = count;
	int error;

	*event = (struct pmu_event){ .scale = 1.0 };
	for (size_t i = 0; i < count; i++) {
		if (terms[i].value || !find_named(pmu, terms[i].name, found))
			continue;
		if (named < count)
			return refuse(why, -EINVAL, "'%s' and '%s' are two events: one at a time",
				      terms[named].name, terms[i].name);
		named = i;
		error = place_event(pmu, found, &user, event, why);
		if (error)
			return error;
	}
	for (size_t i = 0; i < count; i++) {
		error = i == named ? 0 : place_user(pmu, &terms[i], event, why);
		if (error)
			return error;
	}
	return 0;
}
