// SPDX-License-Identifier: GPL-2.0-only
/* See source_perf_open.h. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "counter/source_perf_open.h"

/* The kernel's errno, ours, and the condition (perf_event_open(2) and kernel/events/core.c). */
static const struct condition {
	int error;
	int meaning;
	const char *text;
} conditions[] = {
	{ ENOENT, EOPNOTSUPP, "no PMU here counts it" },
	{ EOPNOTSUPP, EOPNOTSUPP, "the PMU lacks what it asks for" },
	{ EINVAL, EOPNOTSUPP, "the PMU does not take its configuration" },
	{ E2BIG, EOPNOTSUPP, "it needs a newer kernel" },
	{ ENODEV, EOPNOTSUPP, "the hardware lacks what it asks for" },
	{ ENOSYS, EOPNOTSUPP,
	  "this kernel has no perf events, or a system call filter is in the way" },
	{ EBUSY, EBUSY, "somebody else holds the PMU" },
	{ ENOSPC, EBUSY, "all of the hardware's places for it are taken" },
	{ ENOMEM, ENOMEM, "out of memory" },
};

/* kernel.perf_event_paranoid, or INT_MAX where it cannot be read. */
static int paranoid_level(void)
{
	char text[16] = "";
	char *end;
	long level;
	int fd = open("/proc/sys/kernel/perf_event_paranoid", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return INT_MAX;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	level = strtol(text, &end, 10);
	return end == text ? INT_MAX : (int)level;
}

static int refuse_permission(int error, struct refusal *why)
{
	int paranoid = paranoid_level();

	if (paranoid == INT_MAX)
		return refuse(why, -EACCES,
			      "not permitted (%s): it takes CAP_PERFMON, and no system call filter",
			      strerrorname_np(error));
	return refuse(
		why, -EACCES,
		"not permitted (%s): kernel.perf_event_paranoid is %d, counting whole CPUs takes "
		"0 or less, or CAP_PERFMON and at most 2",
		strerrorname_np(error), paranoid);
}

static int refuse_descriptors(int error, struct refusal *why)
{
	struct rlimit limit;

	if (error == ENFILE || getrlimit(RLIMIT_NOFILE, &limit))
		return refuse(why, -EMFILE, "the system's limit of open files is reached");
	return refuse(why, -EMFILE, "the limit of %llu open files is reached",
		      (unsigned long long)limit.rlim_cur);
}

int perf_open_error(int error, bool cpu_online, struct refusal *why)
{
	if (error == EACCES || error == EPERM)
		return refuse_permission(error, why);
	if (error == EMFILE || error == ENFILE)
		return refuse_descriptors(error, why);
	if (error == ENODEV && !cpu_online)
		return refuse(why, -ENODEV, "the CPU is not online");
	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		const struct condition *condition = &conditions[i];

		if (condition->error == error)
			return refuse(why, -condition->meaning, "%s (%s)", condition->text,
				      strerrorname_np(error));
	}
	return refuse(why, -EIO, "perf_event_open: %s", strerror(error));
}

static int sys_perf_event_open(const struct perf_event_attr *attr, unsigned int cpu, int leader)
{
	long fd;
	int tries = 0;

	/* EAGAIN is a race inside the kernel; it has never been seen to last. */
	do {
		fd = syscall(SYS_perf_event_open, attr, -1, (int)cpu, leader,
			     (unsigned long)PERF_FLAG_FD_CLOEXEC);
	} while (fd < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < 10)));
	return fd < 0 ? -errno : (int)fd;
}

/* Asks the same authority that refused: anything that counts on every CPU does for a probe. */
static bool cpu_is_online(unsigned int cpu)
{
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(dummy),
		.config = PERF_COUNT_SW_DUMMY,
		.disabled = 1,
	};
	int fd = sys_perf_event_open(&dummy, cpu, -1);

	if (fd >= 0)
		close(fd);
	return fd != -ENODEV;
}

int perf_open(const struct perf_event_attr *attr, unsigned int cpu, int leader, struct refusal *why)
{
	int fd = sys_perf_event_open(attr, cpu, leader);

	if (fd >= 0)
		return fd;
	return perf_open_error(-fd, fd != -ENODEV || cpu_is_online(cpu), why);
}
