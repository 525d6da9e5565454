/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of events, as `perf list` prints them and `perf stat -e` takes them. Parsing knows
 * the grammar alone, nothing of the machine; resolve.h makes a perf_event_attr of the result.
 *
 *   events := event { separator event }           separator: ',' or white space or newline
 *   event  := [ name '=' ] spec [ ':' modifiers ]
 *   spec   := symbol                               cycles, L1-dcache-load-misses, cpu-clock,
 *                                                  a PMU's event name, or a libpfm4 name
 *           | 'r' hex                              raw event of the core PMU
 *           | pmu '/' term { ',' term } '/'        cpu/event=0x3c,umask=1/, armv8_pmuv3/l2d_cache/
 *           | system ':' tracepoint                sched:sched_switch
 *   modifiers: u k h H G p D e I P S W b R as far as they mean anything to a counter; those that
 *              do not are refused by name
 */
#ifndef PMUFS_EVENT_SPEC_H
#define PMUFS_EVENT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/refusal.h"

/* A file name: NAME_MAX is 255, and a spec is rarely longer than a line. */
#define EVENT_NAME_MAX	128
#define EVENT_SPEC_MAX	512
#define EVENT_TERMS_MAX 32

enum event_kind {
	EVENT_SYMBOL,
	EVENT_RAW,
	EVENT_PMU,
	EVENT_TRACEPOINT,
};

struct event_term {
	char *name;
	char *value; /* NULL: the bare name */
};

struct event_modifiers {
	bool user, kernel, hypervisor; /* any set: the others are excluded */
	bool host, guest;
	bool pinned; /* D */
	bool exclusive; /* e */
	unsigned int precise; /* number of p */
};

struct event_spec {
	/*
	 * What its file is called: the name before '=', else a term `name=`, else the spec as written
	 * with every '/' that is not the last turned into ':' and the last '/' dropped, so that
	 * armv8_pmuv3/l2d_cache/ is the file armv8_pmuv3:l2d_cache.
	 */
	char name[EVENT_NAME_MAX];
	char text[EVENT_SPEC_MAX]; /* the spec as written, modifiers included, without "name=" */
	enum event_kind kind;
	struct event_modifiers modifiers;
	char *head; /* symbol, PMU, or tracepoint system */
	char *tail; /* tracepoint name, else NULL */
	uint64_t raw; /* EVENT_RAW */
	struct event_term terms[EVENT_TERMS_MAX];
	size_t term_count;
};

/*
 * Finds the next event in a list: *cursor moves behind it; the word is [*start, *start + *length).
 * Separators inside '/…/' belong to the word. 0, or -ENOENT at the end of the list.
 */
int event_list_next(const char **cursor, const char *end, const char **start, size_t *length);

/*
 * Parses one event. -EINVAL with the bad word named: a NUL byte or a control character, an empty
 * name, a name that is "." or ".." or holds '/', or is too long, an unclosed '/', an unknown or
 * repeated modifier, too many terms, a name that the tree uses itself ("stat", "enable").
 * On failure nothing needs freeing.
 */
int event_spec_parse(const char *word, size_t length, struct event_spec *spec, struct refusal *why);
void event_spec_free(struct event_spec *spec);

#endif
