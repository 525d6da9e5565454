// SPDX-License-Identifier: GPL-2.0-only
/* See spec.h. */
#include "event/spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/generic.h"
#include "event/modifiers.h"

/* Raw events are the 64 bits of perf_event_attr.config. */
#define RAW_DIGITS_MAX 16

/* Files that stand beside the events in a CPU's directory. */
static const char *const reserved_names[] = { "stat", "enable" };

/* The part of a word that is still to be parsed. */
struct slice {
	const char *start;
	size_t length;
};

/* "%.*s" takes an int; words are bounded long before that. */
#define SLICE(s) (int)(s).length, (s).start

static const char *slice_find(struct slice s, char c)
{
	return s.length ? memchr(s.start, c, s.length) : NULL;
}

static struct slice slice_from(struct slice s, const char *at)
{
	return (struct slice){ at, (size_t)(s.start + s.length - at) };
}

static struct slice slice_until(struct slice s, const char *at)
{
	return (struct slice){ s.start, (size_t)(at - s.start) };
}

static bool is_separator(char c)
{
	return isspace((unsigned char)c);
}

int event_list_next(const char **cursor, const char *end, const char **start, size_t *length)
{
	const char *at = *cursor;
	bool inside = false;

	while (at < end && (is_separator(*at) || *at == ','))
		at++;
	*start = at;
	for (; at < end && !is_separator(*at) && (inside || *at != ','); at++) {
		if (*at == '/')
			inside = !inside;
	}
	*cursor = at;
	*length = (size_t)(at - *start);
	return *length ? 0 : -ENOENT;
}

static int check_characters(struct slice word, struct refusal *why)
{
	for (size_t i = 0; i < word.length; i++) {
		unsigned char c = (unsigned char)word.start[i];

		if (isgraph(c))
			continue;
		return refuse(why, -EINVAL, "%s in an event name, behind '%.*s'",
			      c == '\0'	 ? "a NUL byte"
			      : c == ' ' ? "a space"
					 : "a character that is not printable ASCII",
			      (int)(i > 64 ? 64 : i), word.start);
	}
	return 0;
}

/* Symbols, PMUs, tracepoints: what perf and the kernel let them be made of. */
static bool is_plain(struct slice s)
{
	if (!s.length || s.start[0] == '.' || s.start[0] == '-')
		return false;
	for (size_t i = 0; i < s.length; i++) {
		if (!isalnum((unsigned char)s.start[i]) && !strchr("_.-", s.start[i]))
			return false;
	}
	return true;
}

static int check_plain(struct slice s, const char *what, struct slice word, struct refusal *why)
{
	if (is_plain(s))
		return 0;
	if (!s.length)
		return refuse(why, -EINVAL, "no %s in '%.*s'", what, SLICE(word));
	if (slice_find(s, '{') || slice_find(s, '}'))
		return refuse(
			why, -EINVAL,
			"no groups here: write '%.*s' without braces, all events of a CPU are "
			"read together",
			SLICE(word));
	return refuse(why, -EINVAL, "'%.*s' is no %s: letters, digits, '_', '.' and '-' are",
		      SLICE(s), what);
}

static int copy_slice(char **to, struct slice s)
{
	*to = strndup(s.start, s.length);
	return *to ? 0 : -ENOMEM;
}

static int set_name(struct event_spec *spec, struct slice name, struct refusal *why)
{
	if (!name.length)
		return refuse(why, -EINVAL, "no name before '=' in '%s'", spec->text);
	if (name.length >= sizeof(spec->name))
		return refuse(why, -EINVAL,
			      "the name '%.32s…' is longer than %d characters: give a shorter one, "
			      "NAME=EVENT",
			      name.start, EVENT_NAME_MAX - 1);
	memcpy(spec->name, name.start, name.length);
	spec->name[name.length] = '\0';
	if (strpbrk(spec->name, "/,"))
		return refuse(why, -EINVAL, "'%s' cannot be the name of a file here", spec->name);
	if (!strcmp(spec->name, ".") || !strcmp(spec->name, "..") || spec->name[0] == '+' ||
	    spec->name[0] == '-')
		return refuse(why, -EINVAL, "'%s' cannot be the name of an event", spec->name);
	for (size_t i = 0; i < sizeof(reserved_names) / sizeof(reserved_names[0]); i++) {
		if (!strcmp(spec->name, reserved_names[i]))
			return refuse(why, -EINVAL, "the name '%s' is taken by a file of its own",
				      spec->name);
	}
	return 0;
}

/* The spec as a file name, see event_spec.name. */
static int derive_name(struct event_spec *spec, struct refusal *why)
{
	char name[EVENT_SPEC_MAX];
	size_t length = 0;

	for (const char *c = spec->text; *c; c++) {
		bool separator = *c == '/' || *c == ',';

		if (*c == '/' && (c[1] == '\0' || c[1] == ':'))
			continue;
		name[length++] = separator ? ':' : *c;
	}
	name[length] = '\0';
	return set_name(spec, (struct slice){ name, length }, why);
}

/*
 * The '=' that ends a name. In front of a '/' it is the last one, since neither symbols nor PMUs
 * have a '=' but a name may; without '/' the first one, but none behind a ':', where libpfm4 has
 * its attributes (EVENT:UMASK:c=1).
 */
static const char *name_end(struct slice word)
{
	const char *slash = slice_find(word, '/');
	const char *equals, *colon;

	if (slash)
		return memrchr(word.start, '=', (size_t)(slash - word.start));
	equals = slice_find(word, '=');
	colon = slice_find(word, ':');
	return equals && colon && colon < equals ? NULL : equals;
}

static int parse_term(struct event_spec *spec, struct slice term, struct slice *name,
		      struct refusal *why)
{
	const char *equals = slice_find(term, '=');
	struct slice key = equals ? slice_until(term, equals) : term;
	struct slice value = equals ? slice_from(term, equals + 1) : (struct slice){ NULL, 0 };
	struct event_term *to;
	int error;

	if (!term.length)
		return refuse(why, -EINVAL, "an empty term in '%s'", spec->text);
	error = check_plain(key, "term", term, why);
	if (error)
		return error;
	if (equals && !value.length)
		return refuse(why, -EINVAL, "no value behind '%.*s'", SLICE(term));
	if (key.length == strlen("name") && !memcmp(key.start, "name", key.length)) {
		if (!value.length)
			return refuse(why, -EINVAL, "no value for the term 'name' in '%s'",
				      spec->text);
		if (name->length)
			return refuse(why, -EINVAL, "the term 'name' is given twice");
		*name = value;
		return 0;
	}
	for (size_t i = 0; i < spec->term_count; i++) {
		if (strlen(spec->terms[i].name) == key.length &&
		    !memcmp(spec->terms[i].name, key.start, key.length))
			return refuse(why, -EINVAL, "the term '%.*s' is given twice", SLICE(key));
	}
	if (spec->term_count == EVENT_TERMS_MAX)
		return refuse(why, -EINVAL, "more than %d terms in '%.64s…'", EVENT_TERMS_MAX,
			      spec->text);
	to = &spec->terms[spec->term_count++];
	error = copy_slice(&to->name, key);
	if (!error && value.length)
		error = copy_slice(&to->value, value);
	return error;
}

static int parse_terms(struct event_spec *spec, struct slice terms, struct slice *name,
		       struct refusal *why)
{
	for (;;) {
		const char *comma = slice_find(terms, ',');
		struct slice term = comma ? slice_until(terms, comma) : terms;
		int error = parse_term(spec, term, name, why);

		if (error || !comma)
			return error;
		terms = slice_from(terms, comma + 1);
	}
}

static int parse_pmu(struct event_spec *spec, struct slice word, const char *slash,
		     struct slice *name, struct refusal *why)
{
	struct slice pmu = slice_until(word, slash);
	struct slice rest = slice_from(word, slash + 1);
	const char *close = slice_find(rest, '/');
	int error;

	error = check_plain(pmu, "PMU", word, why);
	if (error)
		return error;
	if (!close)
		return refuse(why, -EINVAL, "the '/' in '%.*s' is not closed", SLICE(word));
	if (close == rest.start)
		return refuse(why, -EINVAL, "no event between the '/' of '%.*s'", SLICE(word));
	spec->kind = EVENT_PMU;
	error = copy_slice(&spec->head, pmu);
	if (!error)
		error = parse_terms(spec, slice_until(rest, close), name, why);
	rest = slice_from(rest, close + 1);
	if (error || !rest.length)
		return error;
	if (rest.start[0] == ':')
		rest = slice_from(rest, rest.start + 1);
	return modifiers_parse(rest.start, rest.length, &spec->modifiers, why);
}

/* r and hexadecimal digits; a number of them that does not fit is a refusal, not another name. */
static int parse_raw(struct event_spec *spec, struct slice word, struct refusal *why)
{
	char digits[RAW_DIGITS_MAX + 1] = { 0 };

	if (word.length - 1 > RAW_DIGITS_MAX)
		return refuse(why, -EINVAL, "the raw event '%.*s' has more than 64 bits",
			      SLICE(word));
	memcpy(digits, word.start + 1, word.length - 1);
	spec->raw = strtoull(digits, NULL, 16);
	spec->kind = EVENT_RAW;
	return copy_slice(&spec->head, word);
}

static bool is_raw(struct slice word)
{
	if (word.length < 2 || word.start[0] != 'r')
		return false;
	for (size_t i = 1; i < word.length; i++) {
		if (!isxdigit((unsigned char)word.start[i]))
			return false;
	}
	return true;
}

static int parse_symbol(struct event_spec *spec, struct slice word, struct refusal *why)
{
	int error;

	if (is_raw(word))
		return parse_raw(spec, word, why);
	error = check_plain(word, "event name", word, why);
	if (error)
		return error;
	spec->kind = EVENT_SYMBOL;
	return copy_slice(&spec->head, word);
}

static bool is_generic(struct slice word)
{
	char name[EVENT_NAME_MAX];
	struct generic_event generic;

	if (is_raw(word))
		return true;
	if (word.length >= sizeof(name))
		return false;
	memcpy(name, word.start, word.length);
	name[word.length] = '\0';
	return generic_find(name, &generic) == 0;
}

/* A word without '/' that has a ':'. */
static int parse_colons(struct event_spec *spec, struct slice word, const char *first,
			struct refusal *why)
{
	const char *last = memrchr(word.start, ':', word.length);
	struct slice head = slice_until(word, first);
	struct slice tail = slice_from(word, first + 1);
	struct slice letters = slice_from(word, last + 1);
	int error;

	/* letters that are all modifiers are modifiers, and so is what follows a generic name */
	if (modifiers_plausible(letters.start, letters.length) ||
	    (first == last && is_generic(head))) {
		error = modifiers_parse(letters.start, letters.length, &spec->modifiers, why);
		if (error)
			return error;
		if (first == last)
			return parse_symbol(spec, head, why);
		tail = slice_until(tail, last);
		word = slice_until(word, last);
	}
	if (!slice_find(tail, ':') && !slice_find(tail, '=')) {
		spec->kind = EVENT_TRACEPOINT;
		error = check_plain(head, "tracepoint system", word, why);
		if (!error)
			error = check_plain(tail, "tracepoint", word, why);
		if (!error)
			error = copy_slice(&spec->head, head);
		return error ? error : copy_slice(&spec->tail, tail);
	}
	if (!head.length || !letters.length)
		return refuse(why, -EINVAL, "'%.*s' is half an event name", SLICE(word));
	spec->kind = EVENT_VENDOR;
	return copy_slice(&spec->head, word);
}

static int parse_body(struct event_spec *spec, struct slice word, struct slice *name,
		      struct refusal *why)
{
	const char *slash = slice_find(word, '/');
	const char *colon = slice_find(word, ':');

	if (slash)
		return parse_pmu(spec, word, slash, name, why);
	if (colon)
		return parse_colons(spec, word, colon, why);
	return parse_symbol(spec, word, why);
}

static int parse_word(struct event_spec *spec, struct slice word, struct refusal *why)
{
	struct slice body = word, name = { NULL, 0 }, term_name = { NULL, 0 };
	const char *equals = name_end(word);
	int error;

	if (equals) {
		name = slice_until(word, equals);
		body = slice_from(word, equals + 1);
	}
	if (!body.length)
		return refuse(why, -EINVAL, "no event behind '%.*s'", SLICE(word));
	memcpy(spec->text, body.start, body.length);
	spec->text[body.length] = '\0';
	error = parse_body(spec, body, &term_name, why);
	if (error)
		return error;
	if (equals)
		return set_name(spec, name, why);
	if (term_name.length)
		return set_name(spec, term_name, why);
	return derive_name(spec, why);
}

int event_spec_parse(const char *word, size_t length, struct event_spec *spec, struct refusal *why)
{
	struct slice all = { word, length };
	int error;

	memset(spec, 0, sizeof(*spec));
	if (!length)
		return refuse(why, -EINVAL, "an empty event name");
	error = check_characters(all, why);
	if (error)
		return error;
	if (length >= EVENT_SPEC_MAX)
		return refuse(why, -EINVAL, "'%.32s…' is longer than %d characters", word,
			      EVENT_SPEC_MAX - 1);
	error = parse_word(spec, all, why);
	if (error)
		event_spec_free(spec);
	return error;
}

void event_spec_free(struct event_spec *spec)
{
	free(spec->head);
	free(spec->tail);
	for (size_t i = 0; i < spec->term_count; i++) {
		free(spec->terms[i].name);
		free(spec->terms[i].value);
	}
	memset(spec, 0, sizeof(*spec));
}
