// SPDX-License-Identifier: GPL-2.0-only
/* See hotplug.h. */
#include "cpu/hotplug.h"

#include <ctype.h>
#include <errno.h>
#include <linux/netlink.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cpu/cpus.h"

/* Multicast group 1 is the kernel's own; udev re-sends what it has worked on to group 2. */
#define UEVENT_GROUP_KERNEL 1

/* The kernel's messages are at most 2 KiB of variables and a header of one path. */
#define UEVENT_MAX 8192

/* Several hundred CPUs going offline at once fit; when it overflows the caller is told. */
#define UEVENT_RECEIVE_BUFFER (1024 * 1024)

int hotplug_open(void)
{
	struct sockaddr_nl address = { .nl_family = AF_NETLINK, .nl_groups = UEVENT_GROUP_KERNEL };
	int size = UEVENT_RECEIVE_BUFFER;
	int fd, error;

	fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);
	if (fd < 0)
		return -errno;
	/* the forced form needs CAP_NET_ADMIN; without either the default size serves */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (bind(fd, (struct sockaddr *)&address, sizeof(address))) {
		error = -errno;
		close(fd);
		return error;
	}
	return fd;
}

/* The number behind prefix, which must be all that follows; CPUS_MAX if it is not that. */
static unsigned int cpu_of_path(const char *path, size_t length)
{
	static const char prefix[] = "/devices/system/cpu/cpu";
	size_t at = sizeof(prefix) - 1;
	unsigned int cpu = 0;

	if (length <= at || memcmp(path, prefix, at))
		return CPUS_MAX;
	for (; at < length; at++) {
		if (!isdigit((unsigned char)path[at]))
			return CPUS_MAX;
		cpu = cpu * 10 + (unsigned int)(path[at] - '0');
		if (cpu >= CPUS_MAX)
			return CPUS_MAX;
	}
	return cpu;
}

bool hotplug_parse(const char *message, unsigned long length, struct hotplug_event *event)
{
	static const struct {
		const char *header;
		bool online;
	} actions[] = { { "online@", true }, { "offline@", false } };
	size_t header = strnlen(message, length);

	/* the header is terminated; the variables behind it say the same in more words */
	if (header == length)
		return false;
	for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
		size_t action = strlen(actions[i].header);
		unsigned int cpu;

		if (header <= action || memcmp(message, actions[i].header, action))
			continue;
		cpu = cpu_of_path(message + action, header - action);
		if (cpu == CPUS_MAX)
			return false;
		event->cpu = cpu;
		event->online = actions[i].online;
		return true;
	}
	return false;
}

int hotplug_next(int fd, struct hotplug_event *event)
{
	for (;;) {
		char message[UEVENT_MAX];
		struct sockaddr_nl from = { 0 };
		struct iovec part = { .iov_base = message, .iov_len = sizeof(message) };
		struct msghdr header = { .msg_name = &from,
					 .msg_namelen = sizeof(from),
					 .msg_iov = &part,
					 .msg_iovlen = 1 };
		ssize_t length = recvmsg(fd, &header, 0);

		if (length < 0 && errno == EINTR)
			continue;
		if (length < 0)
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		/* port 0 is the kernel; no process can bind it */
		if (from.nl_pid != 0 || !(from.nl_groups & UEVENT_GROUP_KERNEL))
			continue;
		if (header.msg_flags & MSG_TRUNC)
			return -ENOBUFS;
		if (hotplug_parse(message, (unsigned long)length, event))
			return 1;
	}
}
