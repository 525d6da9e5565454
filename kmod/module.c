// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmuctl: every CPU's performance counters, to be read without a system call. Loads and unloads the
 * parts in order.
 *
 * Locks, outermost first:
 *	mmap_lock		the kernel's; mmap and munmap take none of ours below it: they
 *				count, and leave the rest to a work
 *	counters_mutex		counters.c: the events, and which perf events there are; perf's own
 *				locks come below it
 *	ring_mutex		ring_control.c: who owns the recorder; with none of the others
 *	cpu_hotplug_lock	the kernel's, for reading; hotplug callbacks take none of ours
 *	interrupts off		publish.c: what belongs to a CPU's slots, on that CPU
 * Nothing is copied to or from user space with one of ours held.
 *
 * Lifetimes: the area, the slots' private side and the probe live from load to unload; each open
 * file and each mapping holds the module. Perf events live in counters.c from settling to settling.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/time64.h>

#include "area.h"
#include "codepage.h"
#include "counters.h"
#include "device.h"
#include "publish.h"
#include "ring_control.h"

static char *events = "cycles,instructions";
module_param(events, charp, 0444);
MODULE_PARM_DESC(events, "Generic events to count from the start (cycles,instructions)");

static unsigned int period = 10;
module_param(period, uint, 0444);
MODULE_PARM_DESC(period, "How often values are published, in ms; 0: only when asked for (10)");

static int __init pmuctl_init(void)
{
	u64 nanoseconds = (u64)period * NSEC_PER_MSEC;
	int ret;

	ret = area_init(nanoseconds);
	if (ret)
		return ret;
	ret = ring_init();
	if (ret)
		goto free_area;
	ret = codepage_init();
	if (ret)
		goto free_ring;
	ret = publish_init(nanoseconds);
	if (ret)
		goto free_codepage;
	ret = counters_init(events);
	if (ret)
		goto free_publish;
	ret = device_init();
	if (ret)
		goto free_counters;
	return 0;

free_counters:
	counters_exit();
free_publish:
	publish_exit();
free_codepage:
	codepage_exit();
free_ring:
	ring_exit();
free_area:
	area_exit();
	return ret;
}

static void __exit pmuctl_exit(void)
{
	device_exit();
	counters_exit();
	publish_exit();
	codepage_exit();
	ring_exit();
	area_exit();
}

module_init(pmuctl_init);
module_exit(pmuctl_exit);

MODULE_DESCRIPTION("Performance counters of every CPU, to be read without a system call");
MODULE_AUTHOR("pmufs developers");
MODULE_LICENSE("GPL");
MODULE_VERSION("0.1.0");
