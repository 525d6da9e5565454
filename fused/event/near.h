/* SPDX-License-Identifier: GPL-2.0-only */
/* Names that a misspelt word may have meant: the few with the least edit distance. */
#ifndef PMUFS_EVENT_NEAR_H
#define PMUFS_EVENT_NEAR_H

#include <stddef.h>

#define NEAR_NAMES    3
#define NEAR_NAME_MAX 128
#define NEAR_TEXT_MAX (NEAR_NAMES * (NEAR_NAME_MAX + 2) + 32)

struct near {
	const char *word; /* borrowed */
	struct {
		char name[NEAR_NAME_MAX];
		unsigned int distance;
	} best[NEAR_NAMES];
	size_t count;
};

void near_start(struct near *near, const char *word);

/* Takes a name into account; near is a struct near *, so that it fits where names are listed. Always 0. */
int near_offer(void *near, const char *name);
/* The same for a name that is to be compared by another spelling, such as its last part. */
void near_offer_as(struct near *near, const char *spelling, const char *name);

/* ": did you mean cycles, cs or faults?", or "" when nothing is near. */
void near_text(const struct near *near, char out[NEAR_TEXT_MAX]);

#endif
