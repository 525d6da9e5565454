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

/*
 * Is the topmost mount on this path one of ours? 1 or 0 (also when nothing is mounted there), or an error when
 * the list of mounts cannot be read.
 */
static int is_ours(const char *path, struct refusal *why)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	const struct mntent *entry;
	int ours = 0;

	if (!mounts)
		return refuse(why, -errno, "/proc/self/mounts: %s", strerror(errno));
	while ((entry = getmntent(mounts))) {
		if (strcmp(entry->mnt_dir, path) == 0)
			ours = strcmp(entry->mnt_type, MOUNT_TYPE) == 0;
	}
	endmntent(mounts);
	return ours;
}

static int detach(const char *path, struct refusal *why)
{
	int r = is_ours(path, why);

	if (r < 0)
		return r;
	if (!r)
		return refuse(why, -EBUSY,
			      "mount point %s: a dead mount of another program is there", path);
	if (umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW))
		return refuse(why, -errno,
			      "mount point %s: dead mount: %s; try fusermount3 -u -z %s", path,
			      strerror(errno), path);
	log_line(LOG_NOTICE, "detached the dead mount that was left on %s", path);
	return 0;
}

/* Detaches what a crashed pmufs has left here; 0 when nothing (more) of that kind is. */
static int detach_stale(const char *path, struct refusal *why)
{
	struct statfs st;

	for (int i = 0; i < STALE_MAX; i++) {
		int r;

		/* statfs asks the daemon; stat might be answered from the kernel's cache */
		if (statfs(path, &st) == 0)
			return 0;
		if (errno == ECONNABORTED)
			continue; /* the daemon died while we asked it: from now on it is ENOTCONN */
		if (errno != ENOTCONN)
			return refuse(why, -errno, "mount point %s: %s", path, strerror(errno));
		r = detach(path, why);
		if (r)
			return r;
	}
	return refuse(why, -EBUSY, "mount point %s: still dead after %d detached mounts", path,
		      STALE_MAX);
}

/* Locks the directory and looks whether it is free. */
static int claim(int fd, const char *path, struct refusal *why)
{
	int r;

	/*
	 * The lock first: who mounted before that open is in the list by now, who mounts after it
	 * holds the lock.
	 */
	if (flock(fd, LOCK_EX | LOCK_NB))
		return refuse(why, -EBUSY, "mount point %s: another pmufs is starting there", path);
	r = is_ours(path, why);
	if (r > 0)
		return refuse(why, -EBUSY, "mount point %s: a running pmufs is mounted there",
			      path);
	return r;
}

int mount_point_prepare(const char *path, struct refusal *why)
{
	int fd, r = detach_stale(path, why);

	if (r)
		return r;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return refuse(why, -errno, "mount point %s: %s", path, strerror(errno));
	r = claim(fd, path, why);
	if (!r)
		return fd;
	close(fd);
	return r;
}
