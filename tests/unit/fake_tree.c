// SPDX-License-Identifier: GPL-2.0-only
/* See fake_tree.h. */
#include "fake_tree.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define CPU "/sys/devices/system/cpu/"
#define PMU "/sys/bus/event_source/devices/"
#define SOFTWARE                             \
	{ PMU "software/type", "1\n" },      \
	{                                    \
		PMU "tracepoint/type", "2\n" \
	}

const struct fake_file fake_guest[] = {
	{ CPU "possible", "0-1\n" },
	{ CPU "online", "0-1\n" },
	SOFTWARE,
	{ PMU "breakpoint/type", "5\n" },
	{ PMU "msr/type", "9\n" },
	{ PMU "msr/events/tsc", "event=0x00\n" },
	{ PMU "msr/format/event", "config:0-63\n" },
	{ NULL, NULL },
};

const struct fake_file fake_x86[] = {
	{ CPU "possible", "0-3\n" },
	{ CPU "online", "0-3\n" },
	SOFTWARE,
	{ PMU "cpu/type", "4\n" },
	{ PMU "cpu/format/event", "config:0-7,32-35\n" },
	{ PMU "cpu/format/umask", "config:8-15\n" },
	{ PMU "cpu/format/edge", "config:18\n" },
	{ PMU "cpu/format/inv", "config:23\n" },
	{ PMU "cpu/format/cmask", "config:24-31\n" },
	{ PMU "cpu/format/ldat", "config1:0-15\n" },
	{ PMU "cpu/format/offcore_rsp", "config1:0-63\n" },
	{ PMU "cpu/format/frontend", "config2:0-23\n" },
	{ PMU "cpu/format/acr_mask", "config3:0-63\n" },
	{ PMU "cpu/format/broken", "config:0-\n" },
	{ PMU "cpu/events/cpu-cycles", "event=0x3c\n" },
	{ PMU "cpu/events/branch-misses", "event=0xc5\n" },
	{ PMU "cpu/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ PMU "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldat=?\n" },
	{ PMU "cpu/events/sampled", "event=0xd0,period=2000003\n" },
	{ PMU "cpu/events/slots", "event=0x4,edge,inv\n" },
	{ PMU "cpu/events/wrong-term", "event=0x4,flavour=3\n" },
	{ PMU "cpu/events/empty", "" },
	{ PMU "power/type", "12\n" },
	{ PMU "power/cpumask", "0\n" },
	{ PMU "power/format/event", "config:0-7\n" },
	{ PMU "power/events/energy-pkg", "event=0x02\n" },
	{ PMU "power/events/energy-pkg.unit", "Joules\n" },
	{ PMU "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n" },
	{ PMU "power/events/energy-bad", "event=0x03\n" },
	{ PMU "power/events/energy-bad.scale", "much\n" },
	{ NULL, NULL },
};

const struct fake_file fake_hybrid[] = {
	{ CPU "possible", "0-7\n" },
	{ CPU "online", "0-7\n" },
	SOFTWARE,
	{ PMU "cpu_core/type", "4\n" },
	{ PMU "cpu_core/cpus", "0-3\n" },
	{ PMU "cpu_core/format/event", "config:0-7\n" },
	{ PMU "cpu_core/format/umask", "config:8-15\n" },
	{ PMU "cpu_core/events/cpu-cycles", "event=0x3c\n" },
	{ PMU "cpu_core/events/topdown-retiring", "event=0x00,umask=0x80\n" },
	{ PMU "cpu_core/events/mem-stores", "event=0xcd,umask=0x2\n" },
	{ PMU "cpu_atom/type", "10\n" },
	{ PMU "cpu_atom/cpus", "4-7\n" },
	{ PMU "cpu_atom/format/event", "config:0-7\n" },
	{ PMU "cpu_atom/format/umask", "config:8-15\n" },
	{ PMU "cpu_atom/events/cpu-cycles", "event=0x3c\n" },
	{ PMU "cpu_atom/events/mem-stores", "event=0xd0,umask=0x6\n" },
	{ NULL, NULL },
};

const struct fake_file fake_arm64[] = {
	{ CPU "possible", "0-3\n" },
	{ CPU "online", "0-3\n" },
	SOFTWARE,
	{ PMU "armv8_pmuv3/type", "8\n" },
	{ PMU "armv8_pmuv3/cpus", "0-3\n" },
	{ PMU "armv8_pmuv3/format/event", "config:0-15\n" },
	{ PMU "armv8_pmuv3/format/long", "config1:0\n" },
	{ PMU "armv8_pmuv3/format/rdpmc", "config1:1\n" },
	{ PMU "armv8_pmuv3/events/cpu_cycles", "event=0x0011\n" },
	{ PMU "armv8_pmuv3/events/l2d_cache", "event=0x0016\n" },
	{ PMU "armv8_pmuv3/events/inst_retired", "event=0x0008\n" },
	{ NULL, NULL },
};

const struct fake_file fake_big_little[] = {
	{ CPU "possible", "0-5\n" },
	{ CPU "online", "0-5\n" },
	SOFTWARE,
	{ PMU "armv8_cortex_a53/type", "8\n" },
	{ PMU "armv8_cortex_a53/cpus", "0-3\n" },
	{ PMU "armv8_cortex_a53/format/event", "config:0-15\n" },
	{ PMU "armv8_cortex_a53/format/long", "config1:0\n" },
	{ PMU "armv8_cortex_a72/type", "9\n" },
	{ PMU "armv8_cortex_a72/cpus", "4-5\n" },
	{ PMU "armv8_cortex_a72/format/event", "config:0-15\n" },
	{ PMU "armv8_cortex_a72/format/long", "config1:0\n" },
	{ PMU "armv8_cortex_a72/events/l2d_cache", "event=0x0016\n" },
	{ NULL, NULL },
};

const struct fake_file fake_uncore[] = {
	{ CPU "possible", "0-7\n" },
	{ CPU "online", "0-7\n" },
	SOFTWARE,
	{ PMU "cpu/type", "4\n" },
	{ PMU "uncore_imc_0/type", "14\n" },
	{ PMU "uncore_imc_0/cpumask", "0,4\n" },
	{ PMU "uncore_imc_0/format/event", "config:0-7\n" },
	{ PMU "uncore_imc_0/format/umask", "config:8-15\n" },
	{ PMU "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ PMU "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n" },
	{ PMU "uncore_imc_0/events/cas_count_read.unit", "MiB\n" },
	{ PMU "uncore_imc_0/events/only_here", "event=0x09\n" },
	{ PMU "uncore_imc_1/type", "15\n" },
	{ PMU "uncore_imc_1/cpumask", "0,4\n" },
	{ PMU "uncore_imc_1/format/event", "config:0-7\n" },
	{ PMU "uncore_imc_1/format/umask", "config:8-15\n" },
	{ PMU "uncore_imc_1/events/cas_count_read", "event=0x04,umask=0x03\n" },
	{ PMU "power/type", "16\n" },
	{ PMU "power/cpumask", "0,4\n" },
	{ PMU "power/format/event", "config:0-7\n" },
	{ PMU "power/events/energy-pkg", "event=0x02\n" },
	{ NULL, NULL },
};

const struct fake_file fake_tracefs[] = {
	{ "/sys/kernel/tracing/events/sched/sched_switch/id", "314\n" },
	{ "/sys/kernel/tracing/events/sched/sched_wakeup/id", "317\n" },
	{ "/sys/kernel/tracing/events/sched/broken/id", "31four\n" },
	{ "/sys/kernel/tracing/events/sched/enable", "0\n" },
	{ "/sys/kernel/tracing/events/raw_syscalls/sys_enter/id", "444\n" },
	{ "/sys/kernel/tracing/available_events",
	  "sched:sched_switch\nsched:sched_wakeup\nraw_syscalls:sys_enter\n" },
	{ NULL, NULL },
};

static void full_path(char out[PATH_MAX], const char *root, const char *path)
{
	assert_true(snprintf(out, PATH_MAX, "%s%s", root, path) < PATH_MAX);
}

static void make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			fail_msg("mkdir %s: %s", path, strerror(errno));
		*slash = '/';
	}
}

void fake_tree_write(const char *root, const char *path, const void *content, size_t length)
{
	char full[PATH_MAX];
	int fd;

	full_path(full, root, path);
	make_parents(full);
	fd = open(full, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, content, length) != (ssize_t)length)
		fail_msg("write %s: %s", full, strerror(errno));
	close(fd);
}

void fake_tree_add(const char *root, const struct fake_file *files)
{
	char full[PATH_MAX];

	for (; files->path; files++) {
		if (files->content) {
			fake_tree_write(root, files->path, files->content, strlen(files->content));
			continue;
		}
		full_path(full, root, files->path);
		make_parents(full);
		if (mkdir(full, 0755) && errno != EEXIST)
			fail_msg("mkdir %s: %s", full, strerror(errno));
	}
}

void fake_tree_link(const char *root, const char *path, const char *target)
{
	char full[PATH_MAX];

	full_path(full, root, path);
	make_parents(full);
	if (symlink(target, full))
		fail_msg("symlink %s: %s", full, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *where)
{
	(void)status;
	(void)type;
	(void)where;
	return remove(path);
}

void fake_tree_delete(const char *root, const char *path)
{
	char full[PATH_MAX];

	full_path(full, root, path);
	/* links are removed, never followed: they may lead into the real machine */
	if (nftw(full, remove_entry, 16, FTW_DEPTH | FTW_PHYS))
		fail_msg("remove %s: %s", full, strerror(errno));
}

char *fake_tree_new(const struct fake_file *files)
{
	char name[] = "/tmp/pmufs-tree-XXXXXX";
	char *root;

	if (!mkdtemp(name))
		fail_msg("mkdtemp: %s", strerror(errno));
	root = strdup(name);
	assert_non_null(root);
	fake_tree_add(root, files);
	return root;
}

void fake_tree_remove(char *root)
{
	if (!root)
		return;
	fake_tree_delete(root, "");
	free(root);
}
