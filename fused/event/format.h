/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a PMU's terms go: sysfs files PMU/format/TERM with lines such as "config:0-7,32-35".
 */
#ifndef PMUFS_EVENT_FORMAT_H
#define PMUFS_EVENT_FORMAT_H

#include <stdint.h>

#include "base/refusal.h"
#include "cpu/pmus.h"

/* config, config1, config2, config3 of perf_event_attr. */
#define CONFIG_WORDS 4

struct format_field {
	unsigned int word; /* which config word */
	uint64_t bits; /* which bits of it; the value's lowest bit goes to the lowest of them */
};

/* -EINVAL for anything that is not config[1-3] ':' ranges within 0-63. */
int format_parse(const char *line, struct format_field *field);

/*
 * The field of a PMU's term. -ENOENT without a word when the PMU has no such term; -EIO when its
 * file is broken.
 */
int format_find(const struct pmu *pmu, const char *term, struct format_field *field,
		struct refusal *why);

/* Puts the value in place of what stood in the field. -ERANGE when it has more bits than the field. */
int format_place(const struct format_field *field, uint64_t value, uint64_t words[CONFIG_WORDS]);

/* The largest value that fits. */
uint64_t format_most(const struct format_field *field);

#endif
