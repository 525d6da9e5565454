// SPDX-License-Identifier: GPL-2.0-only
/* See tree.h. */
#include "tree/tree.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define KIND_SHIFT 56
#define CPU_SHIFT  32
#define CPU_LIMIT  (1u << (KIND_SHIFT - CPU_SHIFT))

#define STAT_BLOCK 512 /* bytes, see stat(2) */

/* "." and ".." stand before the children named in the table, those before the ones named at run time. */
#define WALK_SELF     0
#define WALK_PARENT   1
#define WALK_FIXED    2
#define WALK_RUN_TIME (1ull << 32)

uint64_t node_id(struct node node)
{
	return (uint64_t)node.kind << KIND_SHIFT | (uint64_t)node.cpu << CPU_SHIFT | node.event;
}

struct node node_from_id(uint64_t id)
{
	return (struct node){
		.kind = (uint8_t)(id >> KIND_SHIFT),
		.cpu = (uint32_t)(id >> CPU_SHIFT) % CPU_LIMIT,
		.event = (uint32_t)id,
	};
}

/* The kind behind an id if the id stands for something, else NULL. */
static const struct node_kind *tree_kind(const struct tree *tree, uint64_t id, struct node *node)
{
	const struct node_kind *kind;

	*node = node_from_id(id);
	if (node->kind >= tree->kind_count || (!node->kind && id != NODE_ROOT_ID))
		return NULL;
	kind = &tree->kinds[node->kind];
	if (kind->check && kind->check(tree->context, *node))
		return NULL;
	return kind;
}

static struct node node_parent(const struct tree *tree, struct node node)
{
	uint8_t parent = tree->kinds[node.kind].parent;

	return parent ? (struct node){ .kind = parent, .cpu = node.cpu } : NODE_ROOT;
}

static struct node node_fixed_child(struct node directory, size_t kind)
{
	return (struct node){ .kind = (uint8_t)kind, .cpu = directory.cpu };
}

static bool is_fixed_child(const struct tree *tree, size_t kind, struct node directory)
{
	return kind && tree->kinds[kind].name && tree->kinds[kind].parent == directory.kind;
}

int tree_lookup(const struct tree *tree, uint64_t directory, const char *name, struct node *child)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, directory, &node);

	if (!kind)
		return -ESTALE;
	if (!kind->directory)
		return -ENOTDIR;
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
		*child = name[1] ? node_parent(tree, node) : node;
		return 0;
	}
	for (size_t i = 1; i < tree->kind_count; i++) {
		if (is_fixed_child(tree, i, node) && strcmp(tree->kinds[i].name, name) == 0) {
			*child = node_fixed_child(node, i);
			return 0;
		}
	}
	return kind->find ? kind->find(tree->context, node, name, child) : -ENOENT;
}

static mode_t kind_mode(const struct tree *tree, const struct node_kind *kind)
{
	if (kind->directory)
		return S_IFDIR | 0555;
	if (kind->audience == AUDIENCE_CONTROL)
		return S_IFREG | 0640;
	return S_IFREG | (tree->open_to_all ? 0444 : 0440);
}

static void set_size(struct stat *st, off_t size)
{
	st->st_size = size;
	/* with fewer blocks than its size wants a file looks to cp(1) as if it had holes */
	st->st_blocks = (size + STAT_BLOCK - 1) / STAT_BLOCK;
}

static void fill_stat(const struct tree *tree, const struct node_kind *kind, uint64_t id,
		      struct stat *st)
{
	*st = (struct stat){
		.st_ino = id,
		.st_mode = kind_mode(tree, kind),
		.st_nlink = 1, /* 2 would tell find(1) that there is no directory in this one */
		.st_uid = tree->owner,
		.st_gid = tree->group,
		.st_blksize = 4096,
		.st_atim = tree->made,
		.st_mtim = tree->made,
		.st_ctim = tree->made,
	};
	set_size(st, kind->directory ? 0 : NODE_SIZE);
}

int tree_stat(const struct tree *tree, uint64_t id, struct stat *st)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, id, &node);

	if (!kind)
		return -ESTALE;
	fill_stat(tree, kind, id, st);
	return 0;
}

int tree_stat_open(const struct tree *tree, uint64_t id, struct stat *st)
{
	struct node node = node_from_id(id);

	if (node.kind >= tree->kind_count)
		return -ESTALE;
	fill_stat(tree, &tree->kinds[node.kind], id, st);
	st->st_nlink = 0;
	return 0;
}

bool tree_is_long(const struct tree *tree, uint64_t id)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, id, &node);

	return kind && kind->long_text;
}

void tree_measure(const struct tree *tree, uint64_t id, struct stat *st)
{
	struct text text = { 0 };

	if (tree_read(tree, id, &text) == 0 && text.length)
		set_size(st, (off_t)text.length);
	text_free(&text);
}

/* Entries of the table that lie in this directory, from the kind in offset on. */
static bool walk_fixed(const struct tree *tree, struct node directory, uint64_t offset,
		       struct node *child, char *name, uint64_t *next)
{
	for (uint64_t i = offset - WALK_FIXED + 1; i < tree->kind_count; i++) {
		if (!is_fixed_child(tree, i, directory))
			continue;
		*child = node_fixed_child(directory, i);
		snprintf(name, NODE_NAME_MAX, "%s", tree->kinds[i].name);
		*next = i + WALK_FIXED;
		return true;
	}
	return false;
}

int tree_walk(const struct tree *tree, uint64_t directory, uint64_t offset, struct node *child,
	      char name[NODE_NAME_MAX], uint64_t *next)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, directory, &node);
	uint32_t cookie;

	if (!kind)
		return -ESTALE;
	if (!kind->directory)
		return -ENOTDIR;
	if (offset < WALK_FIXED) {
		*child = offset == WALK_SELF ? node : node_parent(tree, node);
		snprintf(name, NODE_NAME_MAX, "%s", offset == WALK_SELF ? "." : "..");
		*next = offset + 1;
		return 1;
	}
	if (offset < WALK_RUN_TIME) {
		if (walk_fixed(tree, node, offset, child, name, next))
			return 1;
		offset = WALK_RUN_TIME;
	}
	if (!kind->next || !kind->next(tree->context, node, (uint32_t)offset, &cookie, child, name))
		return 0;
	*next = WALK_RUN_TIME | cookie;
	return 1;
}

int tree_open(const struct tree *tree, uint64_t id, bool write)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, id, &node);

	if (!kind)
		return -ESTALE;
	if (kind->directory)
		return -EISDIR;
	if (write && !kind->write)
		return -EACCES;
	return kind->open ? kind->open(tree->context, node) : 0;
}

int tree_read(const struct tree *tree, uint64_t id, struct text *text)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, id, &node);
	int r;

	if (!kind)
		return -ENODEV;
	if (!kind->read)
		return -EINVAL;
	r = kind->read(tree->context, node, text);
	return r ? r : text_error(text);
}

int tree_write(const struct tree *tree, uint64_t id, const char *data, size_t length)
{
	struct node node;
	const struct node_kind *kind = tree_kind(tree, id, &node);

	if (!kind)
		return -ENODEV;
	if (!kind->write)
		return -EBADF;
	return kind->write(tree->context, node, data, length);
}
