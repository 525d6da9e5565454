// SPDX-License-Identifier: GPL-2.0-only
/* See mount.h. */
#include "fs/mount.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"

#define MOUNT_TYPE "fuse.pmufs"

/* More left-overs than this on one mount point are not the work of crashes. */
#define STALE_MAX 64

bool mount_privileged(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return false;
	return data[CAP_TO_INDEX(CAP_SYS_ADMIN)].effective & CAP_TO_MASK(CAP_SYS_ADMIN);
}

/* Detaches what is mounted here and dead; 0 when nothing (more) of that kind is. */
static int detach_stale(const char *path, struct refusal *why)
{
	struct statfs st;

	for (int i = 0; i < STALE_MAX; i++) {
		/* statfs asks the daemon; stat might be answered from the kernel's cache */
		if (statfs(path, &st) == 0)
			return 0;
		if (errno != ENOTCONN)
			return refuse(why, -errno, "mount point %s: %s", path, strerror(errno));
		if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW))
			return refuse(why, -errno,
				      "mount point %s: dead mount, cannot be detached: %s", path,
				      strerror(errno));
		log_line(LOG_NOTICE, "detached the dead mount that was left on %s", path);
	}
	return refuse(why, -EBUSY, "mount point %s: still dead after %d detached mounts", path,
		      STALE_MAX);
}

/* Is a file system of ours mounted exactly here? */
static bool is_mounted(const char *path)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry;
	bool found = false;

	if (!mounts)
		return false;
	while (!found && (entry = getmntent(mounts)))
		found = strcmp(entry->mnt_dir, path) == 0 &&
			strcmp(entry->mnt_type, MOUNT_TYPE) == 0;
	endmntent(mounts);
	return found;
}

int mount_point_prepare(const char *path, struct refusal *why)
{
	int fd, r = detach_stale(path, why);

	if (r)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse(why, -errno, "mount point %s: %s", path, strerror(errno));
	/*
	 * The lock first: who mounted before that open is in the list by now, who mounts after it
	 * holds the lock.
	 */
	if (flock(fd, LOCK_EX | LOCK_NB))
		r = refuse(why, -EBUSY, "mount point %s: another pmufs is starting there", path);
	else if (is_mounted(path))
		r = refuse(why, -EBUSY, "mount point %s: a running pmufs is mounted there", path);
	if (!r)
		return fd;
	close(fd);
	return r;
}
