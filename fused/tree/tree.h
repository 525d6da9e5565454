/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file tree that is computed, not stored: a node is a kind, a CPU and an event packed into the
 * 64-bit id that the kernel holds, and everything else about it follows from a table of kinds.
 * Nothing is allocated for a node, none has to be forgotten, and another process with the same table
 * understands the same ids. Knows no subsystem: what a kind stands for is in its operations.
 */
#ifndef PMUFS_TREE_TREE_H
#define PMUFS_TREE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/text.h"

struct node {
	uint8_t kind; /* index into the table of kinds; 0 is the root directory */
	uint32_t cpu; /* below 2^24 */
	uint32_t event;
};

/* The kernel's fixed id of a FUSE root (FUSE_ROOT_ID in linux/fuse.h). */
#define NODE_ROOT_ID 1
#define NODE_ROOT    ((struct node){ .event = NODE_ROOT_ID })

uint64_t node_id(struct node node);
struct node node_from_id(uint64_t id);

enum node_audience {
	AUDIENCE_READERS, /* 0440, or 0444 when the tree is open to all */
	AUDIENCE_CONTROL, /* 0640: readers see it, its owner writes it */
};

#define NODE_NAME_MAX 256

/*
 * What the size of a short file is said to be, as in sysfs: its text is made when it is read, not for
 * stat(2), and tools take a whole page for an estimate and read on. 0 would do for read(2), but there
 * kernels from 6.5 on end splice(2) and sendfile(2) with nothing and no error (busybox cat). The size of
 * a long text is its length, since tail(1) looks for the end by it.
 */
#define NODE_SIZE 4096

struct node_kind {
	const char *name; /* NULL: named at run time, by the parent's find and next */
	uint8_t parent;
	bool directory;
	bool long_text; /* may be longer than NODE_SIZE */
	enum node_audience audience;

	/* Does it stand for something still? 0, or -ESTALE. NULL: always. */
	int (*check)(void *context, struct node node);

	/* Directories whose children are partly named at run time. */

	/* -ENOENT when there is no such name. */
	int (*find)(void *context, struct node directory, const char *name, struct node *child);
	/*
	 * The child after the one with the cookie `after`, 0 for the first: true and child, its cookie
	 * (above after) and its name; false at the end.
	 */
	bool (*next)(void *context, struct node directory, uint32_t after, uint32_t *cookie,
		     struct node *child, char name[NODE_NAME_MAX]);

	/* Files. */

	/* Can the file give a value now? 0 or a negative errno for open(2). NULL: as check. */
	int (*open)(void *context, struct node node);
	/* Appends what the file holds at this moment. */
	int (*read)(void *context, struct node node, struct text *text);
	/* One whole write; NULL: nobody writes. */
	int (*write)(void *context, struct node node, const char *data, size_t length);
};

struct tree {
	const struct node_kind *kinds;
	size_t kind_count;
	void *context; /* handed to the operations */
	uid_t owner;
	gid_t group;
	bool open_to_all;
	struct timespec made; /* every node's times */
};

/* All of these answer -ESTALE for an id that stands for nothing (any more): the VFS then looks the path up again. */

int tree_lookup(const struct tree *tree, uint64_t directory, const char *name, struct node *child);
/* Makes no text: the size of every file is NODE_SIZE. */
int tree_stat(const struct tree *tree, uint64_t id, struct stat *st);
/*
 * For a long text: puts its length at this moment into st. Reads what it is made of, so it is not for those who
 * may not read the file.
 */
void tree_measure(const struct tree *tree, uint64_t id, struct stat *st);
/* Has the file a long text, whose length changes by itself? */
bool tree_is_long(const struct tree *tree, uint64_t id);
/*
 * For an open file that tree_stat finds stale: as of a deleted file that is still open, no links. Its
 * readers are to learn from read(2) that it is gone, and fstat(2) goes before that.
 */
int tree_stat_open(const struct tree *tree, uint64_t id, struct stat *st);

/*
 * Walks a directory: offset 0 is the first entry ("." and ".." included), and *next is where the
 * entry after this one begins. Stays right when children come and go during the walk. 1 an entry, 0
 * the end, or an error.
 */
int tree_walk(const struct tree *tree, uint64_t directory, uint64_t offset, struct node *child,
	      char name[NODE_NAME_MAX], uint64_t *next);

/* write: the file is going to be written; -EACCES where nobody can. */
int tree_open(const struct tree *tree, uint64_t id, bool write);
/* -ENODEV instead of -ESTALE: an open file whose CPU or event is gone. */
int tree_read(const struct tree *tree, uint64_t id, struct text *text);
int tree_write(const struct tree *tree, uint64_t id, const char *data, size_t length);

#endif
