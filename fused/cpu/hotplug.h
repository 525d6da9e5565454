/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPUs that come and go, told by the kernel's uevents (netlink, kernel group: udev is not needed;
 * the kernel sends them to the network namespaces that the initial user namespace owns).
 */
#ifndef PMUFS_CPU_HOTPLUG_H
#define PMUFS_CPU_HOTPLUG_H

#include <stdbool.h>

struct hotplug_event {
	unsigned int cpu;
	bool online;
};

/* A non-blocking, close-on-exec descriptor that polls readable, or a negative errno. */
int hotplug_open(void);

/*
 * The next CPU event: 1 and *event filled; 0 when nothing (more) is to be had now; -ENOBUFS when
 * the socket overflowed and events were lost: the caller reads cpus_read() again and compares.
 * Messages that are not CPU events, or do not come from the kernel, are passed over. An event tells
 * when to look, not what is: the CPU may have changed again since, and root can have the kernel
 * send one for no reason (ueventd and udevadm trigger do). Ask cpus_read() what is online now.
 */
int hotplug_next(int fd, struct hotplug_event *event);

/* One uevent message ("online@/devices/system/cpu/cpu1\0ACTION=online\0…"): true if a CPU event. */
bool hotplug_parse(const char *message, unsigned long length, struct hotplug_event *event);

#endif
