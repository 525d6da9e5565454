/* SPDX-License-Identifier: GPL-2.0-only */
/* The configuration file, pmufs.conf(5). */
#ifndef PMUFS_CONFIG_H
#define PMUFS_CONFIG_H

#include <stdbool.h>

#include "base/refusal.h"

#define CONFIG_DEFAULT_PATH "/etc/pmufs/pmufs.conf"
#define CONFIG_DEFAULT_EVENTS                                                        \
	"cycles,instructions,branch-misses,cache-misses,cpu-clock,context-switches," \
	"cpu-migrations,page-faults"

struct config {
	char *events; /* [counters] events */
	bool events_set; /* a file has named some */
	bool access_all; /* [files] access: group or all */
	char *group; /* [files] group */
	int log_level; /* [log] level, of syslog.h */
};

/* The values that hold where the file says nothing. 0 or -ENOMEM. */
int config_init(struct config *config);
void config_free(struct config *config);

/*
 * Reads a file over the values that are set. A missing file is an error only when must_exist. A
 * section, key or value that is not known is -EINVAL, with file, line and word in why, and the values
 * are then not to be used.
 */
int config_read(struct config *config, const char *path, bool must_exist, struct refusal *why);

#endif
