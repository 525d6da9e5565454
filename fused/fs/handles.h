/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open files. Each holds the text that its reader is in the middle of, so that one reader sees one
 * consistent text however small its reads are. A handle is an index: a plain number that means the
 * same in another process.
 */
#ifndef PMUFS_FS_HANDLES_H
#define PMUFS_FS_HANDLES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/text.h"

struct handle {
	uint64_t node; /* HANDLE_FREE while nobody has it */
	struct text text;
	bool rendered; /* text belongs to this open */
	size_t charged; /* what text has of HANDLES_TEXT_MAX */
	off_t write_end; /* where the last write that was taken ended */
	uint32_t next_free;
};

struct handles {
	struct handle *list;
	uint32_t count; /* slots, used and free */
	uint32_t first_free; /* HANDLE_NONE: all are in use */
	size_t text_total; /* of all handles' charges */
};

/*
 * What all open files' texts may take together, so that a reader who opens a long text many times and reads
 * none to the end cannot make the daemon grow without bound. A thousand readers of `metrics` with 256
 * CPUs and ten events (64 KiB) fit.
 */
#define HANDLES_TEXT_MAX (64UL << 20)

#define HANDLE_NONE UINT32_MAX
#define HANDLE_FREE 0 /* no node has this id */

void handles_init(struct handles *handles);
void handles_free(struct handles *handles);

/* 0 and *index, or -ENOMEM. The handle's text keeps its memory from earlier opens. */
int handles_take(struct handles *handles, uint64_t node, uint32_t *index);
void handles_give_back(struct handles *handles, uint32_t index);
/* NULL when no such handle was ever taken. */
struct handle *handles_get(struct handles *handles, uint64_t index);

/* Counts the text of the handle as it is now; -ENOMEM, and the text is dropped, when it is too much. */
int handles_charge(struct handles *handles, struct handle *handle);

/* Has anybody this node open? A walk over all handles: for what happens rarely. */
bool handles_have(const struct handles *handles, uint64_t node);

#endif
