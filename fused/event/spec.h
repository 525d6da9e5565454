/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of events, as `perf list` prints them and `perf stat -e` takes them. Parsing knows
 * the grammar alone, nothing of the machine; resolve.h makes a perf_event_attr of the result.
 *
 *   events := event { separator event }           separator: ',' or white space or newline
 *   event  := [ name '=' ] spec
 *   spec   := symbol [ ':' modifiers ]             cycles, L1-dcache-load-misses, cpu-clock,
 *                                                  a PMU's event name, or a libpfm4 name
 *           | 'r' hex [ ':' modifiers ]            raw event of the core PMU
 *           | pmu '/' term { ',' term } '/' [ [ ':' ] modifiers ]
 *                                                  cpu/event=0x3c,umask=1/, armv8_pmuv3/l2d_cache/
 *           | system ':' tracepoint [ ':' modifiers ]
 *                                                  sched:sched_switch
 *           | vendor [ ':' modifiers ]             libpfm4 names with unit masks:
 *                                                  skl::INST_RETIRED:ANY_P, MEM_INST:LOADS:c=1
 *   modifiers: u k h H G p P D e I as far as they mean anything to a counter; S W b R do not and
 *              are refused by name (modifiers.h)
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
	EVENT_TRACEPOINT, /* or a libpfm4 name with one unit mask: only the machine can tell */
	EVENT_VENDOR,
};

struct event_term {
	char *name;
	char *value; /* NULL: the bare name */
};

struct event_modifiers {
	bool user, kernel, hypervisor; /* any set: the others are excluded */
	bool host, guest;
	bool idle; /* I: not while idle */
	bool pinned; /* D */
	bool exclusive; /* e */
	unsigned int precise; /* number of p, at most 3 */
	bool precise_most; /* P */
};

struct event_spec {
	/*
	 * What its file is called: the name before '=', else a term `name=`, else the spec as written
	 * with each '/' and ',' turned into ':', the '/' at the end dropped: armv8_pmuv3/l2d_cache/ is
	 * the file armv8_pmuv3:l2d_cache, and no name has a separator of lists in it.
	 */
	char name[EVENT_NAME_MAX];
	char text[EVENT_SPEC_MAX]; /* the spec as written, modifiers included, without "name=" */
	enum event_kind kind;
	struct event_modifiers modifiers;
	char *head; /* symbol, PMU, tracepoint system, or the whole libpfm4 name */
	char *tail; /* tracepoint name, else NULL */
	uint64_t raw; /* EVENT_RAW */
	struct event_term terms[EVENT_TERMS_MAX]; /* without name= */
	size_t term_count;
};

/*
 * Finds the next event in a list: *cursor moves behind it; the word is [*start, *start + *length).
 * A comma inside '/…/' belongs to the word; white space ends it even there, so that a '/' that was
 * never closed spoils no more than its own word. 0, or -ENOENT at the end of the list.
 */
int event_list_next(const char **cursor, const char *end, const char **start, size_t *length);

/*
 * Parses one event. -EINVAL with the bad word named: a NUL byte or anything else that is not
 * printable ASCII, an empty name, a name that is "." or "..", begins with '+' or '-', or is too
 * long, an unclosed '/', a term without name or value, too many terms, an unknown or repeated
 * modifier, a name that the tree uses itself ("stat", "enable").
 * On failure nothing needs freeing.
 */
int event_spec_parse(const char *word, size_t length, struct event_spec *spec, struct refusal *why);
void event_spec_free(struct event_spec *spec);

#endif
