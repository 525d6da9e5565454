// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who may do what on /dev/pmuctl, and how sizes and flags are negotiated. `pmuctl-ioctls reader`: a descriptor for reading
 * only, whoever one is. `pmuctl-ioctls member`: one who may write, without CAP_PERFMON. `pmuctl-ioctls root`: sizes, flags,
 * the ring block, requests.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../kmod/uapi/pmuctl.h"
#include "tap.h"

static int open_device(int mode)
{
	int fd = open("/dev/pmuctl", mode | O_CLOEXEC);

	if (fd < 0) {
		printf("Bail out! /dev/pmuctl: %s\n", strerror(errno));
		exit(1);
	}
	return fd;
}

static struct pmuctl_event_add an_event(void)
{
	return (struct pmuctl_event_add){
		.size = sizeof(struct pmuctl_event_add),
		.type = 1,
		.name = "added",
	};
}

/* What changes anything, refused with the error. */
static void test_changes(int fd, int error, int perfmon_error)
{
	struct pmuctl_event_add add = an_event();
	struct pmuctl_event_remove removed = { .size = sizeof(removed) };
	struct pmuctl_cpu_enable enable = { .size = sizeof(enable) };
	struct pmuctl_ring_publish ring = { .size = sizeof(ring), .state = PMUCTL_RING_OFF };
	struct pmuctl_snapshot snapshot = { .size = sizeof(snapshot) };

	tap_errno(ioctl(fd, PMUCTL_IOC_EVENT_ADD, &add), perfmon_error, perfmon_error,
		  "adds no event");
	tap_errno(ioctl(fd, PMUCTL_IOC_EVENT_REMOVE, &removed), perfmon_error, perfmon_error,
		  "removes no event");
	tap_errno(ioctl(fd, PMUCTL_IOC_RING_PUBLISH, &ring), perfmon_error, perfmon_error,
		  "does not speak for the recorder");
	if (!error)
		return;
	tap_errno(ioctl(fd, PMUCTL_IOC_CPU_ENABLE, &enable), error, error, "switches no CPU off");
	tap_errno(ioctl(fd, PMUCTL_IOC_SNAPSHOT, &snapshot), error, error, "asks for no snapshot");
}

static void test_reading(int fd)
{
	struct pmuctl_read_slot read = { .size = sizeof(read) };
	struct pmuctl_read_slot before = { .size = sizeof(before) };

	tap(!ioctl(fd, PMUCTL_IOC_READ, &before) && !ioctl(fd, PMUCTL_IOC_READ, &read) &&
		    read.value.value > before.value.value,
	    "reads an event that counts on");
	read.cpu = 100000;
	tap_errno(ioctl(fd, PMUCTL_IOC_READ, &read), ENXIO, ENXIO, "a CPU that is not there");
	read.cpu = 0;
	read.event = PMUCTL_EVENTS_MAX - 1;
	tap_errno(ioctl(fd, PMUCTL_IOC_READ, &read), ENOENT, ENOENT, "an event that is not there");
	read.event = UINT32_MAX;
	tap_errno(ioctl(fd, PMUCTL_IOC_READ, &read), ENOENT, ENOENT, "a number far out");
}

/* A structure larger than the kernel's, with what lies beyond. */
struct longer {
	struct pmuctl_info info;
	uint64_t more;
};

static void test_sizes(int fd)
{
	struct longer longer = { .info.size = sizeof(longer) };
	struct pmuctl_info info = { .size = sizeof(info) - 8 };

	tap(!ioctl(fd, PMUCTL_IOC_INFO, &longer) && longer.info.abi_version == PMUCTL_ABI_VERSION &&
		    longer.info.size == sizeof(longer),
	    "a larger structure with zeros is understood");
	longer = (struct longer){ .info.size = sizeof(longer), .more = 1 };
	tap_errno(ioctl(fd, PMUCTL_IOC_INFO, &longer), E2BIG, E2BIG,
		  "a larger structure that says more is refused");
	tap_errno(ioctl(fd, PMUCTL_IOC_INFO, &info), EINVAL, EINVAL, "a smaller one is refused");
	info = (struct pmuctl_info){ .size = sizeof(info), .flags = 1 };
	tap_errno(ioctl(fd, PMUCTL_IOC_INFO, &info), EINVAL, EINVAL, "unknown flags are refused");
	tap_errno(ioctl(fd, _IOWR(PMUCTL_IOC, 200, struct pmuctl_info), &info), ENOTTY, ENOTTY,
		  "an unknown ioctl is refused");
	tap_errno(ioctl(fd, _IO('x', 0), &info), ENOTTY, ENOTTY, "one of another kind, too");
	tap_errno(ioctl(fd, PMUCTL_IOC_INFO, NULL), EFAULT, EFAULT, "no address is refused");
}

static int add_as(int fd, const char *name, uint32_t type, uint64_t config)
{
	struct pmuctl_event_add add = an_event();

	memset(add.name, 0, sizeof(add.name));
	memcpy(add.name, name, strlen(name));
	add.type = type;
	add.config = config;
	return ioctl(fd, PMUCTL_IOC_EVENT_ADD, &add) ? -1 : (int)add.event;
}

static void test_events(int fd)
{
	struct pmuctl_event_remove removed = { .size = sizeof(removed), .id = 12345 };
	struct pmuctl_event_add add = an_event();
	int number = add_as(fd, "mine", 1, 0), i, added = 0;

	tap(number >= 0, "an event is added");
	tap_errno(add_as(fd, "mine", 1, 0) < 0, EEXIST, EEXIST, "its name is taken then");
	removed.event = (uint32_t)number;
	tap_errno(ioctl(fd, PMUCTL_IOC_EVENT_REMOVE, &removed), ENOENT, ENOENT,
		  "it is not removed under another id");
	removed.id = 0;
	tap(!ioctl(fd, PMUCTL_IOC_EVENT_REMOVE, &removed), "it is removed");
	tap_errno(add_as(fd, "", 1, 0) < 0, EINVAL, EINVAL, "a name is wanted");
	tap_errno(add_as(fd, "a b", 1, 0) < 0, EINVAL, EINVAL, "one without a space");
	memset(add.name, 'x', sizeof(add.name));
	tap_errno(ioctl(fd, PMUCTL_IOC_EVENT_ADD, &add), EINVAL, EINVAL, "one that ends");
	tap_errno(add_as(fd, "breakpoint", 5, 0) < 0, EINVAL, EINVAL, "breakpoints are refused");
	tap_errno(add_as(fd, "nothing", 1, 9999) < 0, ENOENT, EINVAL,
		  "an event that no CPU has is not added");
	for (i = 0; i < PMUCTL_EVENTS_MAX + 1; i++) {
		char name[32];

		snprintf(name, sizeof(name), "fill%d", i);
		if (add_as(fd, name, 1, 3) < 0)
			break;
		added++;
	}
	tap(errno == ENOSPC && added > 50, "the table has an end (%d more fitted)", added);
	for (i = 0; i < PMUCTL_EVENTS_MAX; i++) {
		removed.event = (uint32_t)i;
		if (i > 1)
			ioctl(fd, PMUCTL_IOC_EVENT_REMOVE, &removed);
	}
	tap(add_as(fd, "again", 1, 0) >= 0, "and room again when they are removed");
}

static bool readable(int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	return poll(&poll_fd, 1, 0) == 1 && poll_fd.revents & POLLIN;
}

/* A process that waits for a snapshot; its exit status is 0 or the error. It must not hold the owner's descriptor. */
static pid_t ask_and_wait(int fd, uint32_t timeout, int owner)
{
	pid_t child = fork();

	if (!child) {
		struct pmuctl_snapshot snapshot = {
			.size = sizeof(snapshot),
			.flags = PMUCTL_SNAPSHOT_WAIT,
			.timeout = timeout,
		};

		close(owner);
		_exit(ioctl(fd, PMUCTL_IOC_SNAPSHOT, &snapshot) ? errno : 0);
	}
	return child;
}

static int result(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void test_ring(int fd)
{
	struct pmuctl_ring_publish ring = { .size = sizeof(ring), .state = PMUCTL_RING_RECORDING };
	struct pmuctl_snapshot snapshot = { .size = sizeof(snapshot) };
	int owner = open_device(O_RDWR);
	pid_t child;

	tap_errno(ioctl(fd, PMUCTL_IOC_SNAPSHOT, &snapshot), ENXIO, ENXIO,
		  "without a recorder there is no snapshot");
	tap(!ioctl(owner, PMUCTL_IOC_RING_PUBLISH, &ring), "a recorder publishes its state");
	tap_errno(ioctl(fd, PMUCTL_IOC_RING_PUBLISH, &ring), EBUSY, EBUSY, "there is only one");
	tap(!readable(owner), "nobody asks for anything yet");
	tap(!ioctl(fd, PMUCTL_IOC_SNAPSHOT, &snapshot), "a snapshot is asked for");
	tap(readable(owner) && !readable(fd), "the owner hears of it, and nobody else");
	child = ask_and_wait(fd, 0, owner);
	usleep(200000);
	ring.handled = snapshot.request + 100;
	tap_errno(ioctl(owner, PMUCTL_IOC_RING_PUBLISH, &ring), EINVAL, EINVAL,
		  "what was not asked for cannot have been handled");
	ring.handled = snapshot.request + 1;
	tap(!ioctl(owner, PMUCTL_IOC_RING_PUBLISH, &ring) && ring.requested == ring.handled,
	    "both requests are handled");
	tap(result(child) == 0, "who waited goes on");
	tap(!readable(owner), "nothing is left to do");
	tap(result(ask_and_wait(fd, 100, owner)) == ETIMEDOUT, "waiting has an end");
	child = ask_and_wait(fd, 0, owner);
	usleep(200000);
	close(owner);
	tap(result(child) == ENXIO, "who waits is told when the recorder goes");
	tap_errno(ioctl(fd, PMUCTL_IOC_SNAPSHOT, &snapshot), ENXIO, ENXIO,
		  "afterwards there is none again");
}

int main(int argc, char **argv)
{
	const char *who = argc == 2 ? argv[1] : "";
	int fd;

	if (!strcmp(who, "reader")) {
		fd = open_device(O_RDONLY);
		test_changes(fd, EBADF, EBADF);
		test_reading(fd);
	} else if (!strcmp(who, "member")) {
		fd = open_device(O_RDWR);
		test_changes(fd, 0, EACCES);
		test_reading(fd);
	} else if (!strcmp(who, "root")) {
		fd = open_device(O_RDWR);
		test_sizes(fd);
		test_reading(fd);
		test_events(fd);
		test_ring(fd);
	} else {
		fprintf(stderr, "Usage: pmuctl-ioctls reader | member | root\n");
		return 2;
	}
	close(fd);
	return tap_done();
}
