// SPDX-License-Identifier: GPL-2.0-only
/* See tracepoint.h. */
#include "event/tracepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "cpu/sysfs.h"

static const char *const mount_points[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

/*
 * 0 or a negative errno. Not by access(2): that asks for the real user, without the capability that lets the
 * service read what is root's.
 */
static int try_directory(const char *path)
{
	_cleanup_(close_p) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : 0;
}

/*
 * The directory of tracefs that has events in it. Opened to see whether that may be done: access(2)
 * would answer for a process without its capabilities.
 */
static int find_tracefs(const char *root, char out[PATH_MAX], struct refusal *why)
{
	bool denied = false;
	int error;

	for (size_t i = 0; i < sizeof(mount_points) / sizeof(mount_points[0]); i++) {
		if (sysfs_path(out, PATH_MAX, "%s%s/events", root, mount_points[i]))
			return refuse(why, -ENAMETOOLONG, "root directory name is too long");
		error = try_directory(out);
		if (!error) {
			*strrchr(out, '/') = '\0';
			return 0;
		}
		if (error == -EACCES)
			denied = true;
	}
	if (denied)
		return refuse(why, -EACCES,
			      "tracepoints need tracefs, and this user may not read %s%s", root,
			      mount_points[0]);
	return refuse(why, -ENOENT, "tracepoints need tracefs, and it is not mounted at %s%s", root,
		      mount_points[0]);
}

/* Why there is no such directory or file: near names out of the directory it should be in. */
static int unknown(const char *directory, const char *what, const char *word, const char *of,
		   struct refusal *why)
{
	char near_names[NEAR_TEXT_MAX];
	struct near near;

	near_start(&near, word);
	(void)sysfs_each(directory, near_offer, &near);
	near_text(&near, near_names);
	return refuse(why, -ENOENT, "unknown %s '%s'%s%s%s", what, word, *of ? " in " : "", of,
		      near_names);
}

int tracepoint_find(const char *root, const char *system, const char *name, uint64_t *id,
		    struct refusal *why)
{
	char tracefs[PATH_MAX], path[PATH_MAX], line[32];
	int error = find_tracefs(root, tracefs, why);

	if (error)
		return error;
	if (sysfs_path(path, sizeof(path), "%s/events/%s/%s/id", tracefs, system, name))
		return refuse(why, -EINVAL, "the tracepoint '%.64s…' is too long", system);
	error = sysfs_read_line(line, sizeof(line), path);
	if (!error && number_parse(line, id))
		error = -EINVAL;
	if (error == -EINVAL)
		return refuse(why, -EIO, "%s is broken: '%s'", path, line);
	if (error == -EACCES)
		return refuse(why, error, "%s cannot be read: %s", path, strerror(-error));
	if (!error)
		return 0;
	(void)sysfs_path(path, sizeof(path), "%s/events/%s", tracefs, system);
	if (!try_directory(path))
		return unknown(path, "tracepoint", name, system, why);
	*strrchr(path, '/') = '\0';
	return unknown(path, "tracepoint system", system, "", why);
}

void tracepoint_offer(const char *root, struct near *near)
{
	_cleanup_(fclose_p) FILE *list = NULL;
	_cleanup_(free_p) char *line = NULL;
	char tracefs[PATH_MAX], path[PATH_MAX];
	size_t size = 0;

	if (find_tracefs(root, tracefs, NULL) ||
	    sysfs_path(path, sizeof(path), "%s/available_events", tracefs))
		return;
	list = fopen(path, "re");
	while (list && getline(&line, &size, list) > 0) {
		const char *name = strchr(line, ':');

		line[strcspn(line, "\n")] = '\0';
		if (name)
			near_offer_as(near, name + 1, line);
	}
}
