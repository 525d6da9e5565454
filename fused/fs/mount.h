/* SPDX-License-Identifier: GPL-2.0-only */
/* The mount point before anything is mounted on it: left-overs, rivals, who may mount. */
#ifndef PMUFS_FS_MOUNT_H
#define PMUFS_FS_MOUNT_H

#include <stdbool.h>

#include "base/refusal.h"

/*
 * Makes a mount point ready; path is its absolute path without symbolic links. A mount that a crashed
 * daemon left behind (statfs says ENOTCONN) is detached. Then takes a lock on the directory below, so
 * that two daemons that start at the same time cannot both mount: returns the lock's descriptor, to be
 * held as long as the mount stands. -ENOENT, -ENOTDIR, -EBUSY: another pmufs is mounted or starting
 * there, -EACCES.
 */
int mount_point_prepare(const char *path, struct refusal *why);

/* May this process mount for all users (CAP_SYS_ADMIN)? */
bool mount_privileged(void);

#endif
