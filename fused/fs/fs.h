/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The FUSE side: requests of the kernel to nodes of a tree and back. One thread; the owner of the
 * event loop calls fs_serve when fs_descriptor is readable.
 */
#ifndef PMUFS_FS_FS_H
#define PMUFS_FS_FS_H

#include "base/refusal.h"
#include "control/control.h"
#include "tree/tree.h"

struct fs;

struct fs_config {
	const char *mount_point;
	const char *options; /* of FUSE, as after -o; NULL: none */
	/* others than this user may come in; file modes decide who reads what */
	bool for_all_users;
};

/*
 * Mounts. tree and control must outlive the file system. -EINVAL with the bad option named,
 * otherwise what mount(2) said.
 */
int fs_mount(const struct fs_config *config, const struct tree *tree, struct control *control,
	     struct fs **ret, struct refusal *why);

/* Unmounts if it still stands (lazily: open files do not hold it up) and frees; NULL is fine. */
void fs_unmount(struct fs *fs);

/* The mount point's absolute path. */
const char *fs_path(const struct fs *fs);

/* Non-blocking. */
int fs_descriptor(const struct fs *fs);

/*
 * Answers requests that are waiting. 0; 1 when somebody else has unmounted the file system and
 * there will be no more; -EPROTO when kernel and libfuse do not come to terms.
 */
int fs_serve(struct fs *fs);

/*
 * What the node stands for came or went: the kernel asks again before it trusts what it has cached.
 * (Only attributes are dropped. They take no lock of the kernel's, so that the one thread that also has
 * to answer look-ups can say it; a cached name that leads to a gone node is found out by ESTALE on
 * its next use, upon which the VFS looks the whole path up again.)
 */
void fs_invalidate(struct fs *fs, struct node node);

#endif
