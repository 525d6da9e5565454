// SPDX-License-Identifier: GPL-2.0-only
/*
 * Counting through perf_event_open: one descriptor for each CPU and slot.
 *
 * Events that are added together are opened as one group of the kernel, so that they are on the
 * PMU together and one system call reads them at one moment. The first event leads. Each member's
 * own descriptor reads this member alone (the cheap single read); a dummy software event at the
 * end of the group is the handle that reads them all. The leader is opened switched off and
 * switched on when the group is complete: so all members have the same times, to the nanosecond,
 * and switching the leader switches the group.
 *
 * A group must not cost an event its counter:
 * - Software events never lack a counter and stay among themselves.
 * - The kernel checks at opening that a group fits on an empty PMU; what does not fit starts another
 *   group.
 * - Yet a group may never fit, when others keep counters for themselves (NMI watchdog, pinned
 *   events). A reading shows that: enabled time passes and running does not. Then it is taken apart.
 * - When a leader is closed, the kernel turns its siblings into single events that go on
 *   counting. This serves for taking apart too: only the leader needs opening anew.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "counter/source.h"
#include "counter/source_perf_open.h"

/* Far more than a PMU has counters; bounds the buffer of a group read. */
#define GROUP_MAX 32

/*
 * Enabled time without running after which a group is taken apart. Flexible groups take turns
 * every 1 to 10 ms; half of a second may pass before a reader gets EBUSY (COUNTER_WAIT_MAX).
 */
#define GROUP_WAIT_MAX 250000000ULL /* ns */

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

struct group {
	struct group *next;
	uint32_t key; /* events of different keys never share a group */
	int handle; /* reads all members; -1 as long as nothing but the leader is in it */
	bool started;
	unsigned int count;
	unsigned int members[GROUP_MAX]; /* slots in the order of opening; the first leads */
	uint64_t running; /* of the newest reading, and the enabled time at which it was last */
	uint64_t ran; /* seen to grow */
};

/* A counter in its slot. */
struct opened {
	int fd; /* -1: empty slot, or error */
	int error; /* why a counter that was there could not be opened again; 0 */
	bool started;
	uint64_t id; /* the kernel's, unique among all events */
	struct group *group; /* NULL: counts alone */
	struct count base; /* what descriptors before this one counted */
	struct perf_event_attr attr;
};

struct perf_cpu {
	struct opened *slots;
	size_t count;
	struct group *groups;
	bool disabled;
};

struct source_perf {
	struct counter_source source; /* first: the ops get a pointer to it */
	struct perf_cpu *cpus;
	size_t count;
};

static struct perf_cpu *find_cpu(struct counter_source *source, unsigned int cpu)
{
	struct source_perf *perf = (struct source_perf *)source;

	return cpu < perf->count ? &perf->cpus[cpu] : NULL;
}

/* NULL for an empty slot. */
static struct opened *find_opened(struct perf_cpu *cpu, unsigned int slot)
{
	struct opened *opened = cpu && slot < cpu->count ? &cpu->slots[slot] : NULL;

	return opened && (opened->fd >= 0 || opened->error) ? opened : NULL;
}

static struct perf_cpu *grow_cpus(struct source_perf *perf, unsigned int cpu)
{
	if (cpu >= perf->count) {
		struct perf_cpu *cpus = realloc(perf->cpus, (cpu + 1) * sizeof(*cpus));

		if (!cpus)
			return NULL;
		memset(cpus + perf->count, 0, (cpu + 1 - perf->count) * sizeof(*cpus));
		perf->cpus = cpus;
		perf->count = cpu + 1;
	}
	return &perf->cpus[cpu];
}

static struct opened *grow_slots(struct perf_cpu *cpu, unsigned int slot)
{
	if (slot >= cpu->count) {
		size_t count = slot + 8;
		struct opened *slots = realloc(cpu->slots, count * sizeof(*slots));

		if (!slots)
			return NULL;
		for (size_t i = cpu->count; i < count; i++)
			slots[i] = (struct opened){ .fd = -1 };
		cpu->slots = slots;
		cpu->count = count;
	}
	return &cpu->slots[slot];
}

/* Groups. */

/*
 * Which events may share a group: software events, or those of one PMU. False where an event has
 * to be alone: the kernel takes pinned and exclusive ones only as leaders, breakpoints have
 * places of their own.
 */
static bool group_key(const struct perf_event_attr *attr, uint32_t *key)
{
	uint32_t pmu = attr->config >> PERF_PMU_TYPE_SHIFT;

	if (attr->pinned || attr->exclusive)
		return false;
	switch (attr->type) {
	case PERF_TYPE_SOFTWARE:
	case PERF_TYPE_TRACEPOINT:
		*key = PERF_TYPE_SOFTWARE;
		return true;
	case PERF_TYPE_HARDWARE:
	case PERF_TYPE_HW_CACHE:
		*key = pmu ? pmu : PERF_TYPE_RAW;
		return true;
	case PERF_TYPE_BREAKPOINT:
		return false;
	default:
		*key = attr->type;
		return true;
	}
}

static bool leads(const struct perf_cpu *cpu, const struct opened *opened)
{
	return opened == &cpu->slots[opened->group->members[0]];
}

/* Switched as a group or alone? Members follow their leader. */
static bool has_switch(const struct perf_cpu *cpu, const struct opened *opened)
{
	return opened->fd >= 0 && (!opened->group || leads(cpu, opened));
}

static void free_group(struct perf_cpu *cpu, struct group *group)
{
	for (struct group **link = &cpu->groups; *link; link = &(*link)->next) {
		if (*link == group) {
			*link = group->next;
			break;
		}
	}
	if (group->handle >= 0)
		close(group->handle);
	free(group);
}

/*
 * From now on the members count alone; the caller is about to close the leader, or it is the only
 * one. Siblings of a leader that is off are on by themselves, and would start to count.
 */
static void dissolve(struct perf_cpu *cpu, struct group *group)
{
	bool off = cpu->disabled || !group->started;

	for (unsigned int i = 0; i < group->count; i++) {
		struct opened *member = &cpu->slots[group->members[i]];

		if (off && i > 0)
			ioctl(member->fd, PERF_EVENT_IOC_DISABLE, 0);
		member->group = NULL;
	}
	free_group(cpu, group);
}

static void leave_group(struct perf_cpu *cpu, struct opened *opened)
{
	struct group *group = opened->group;
	unsigned int slot = opened - cpu->slots, i = 0;

	if (leads(cpu, opened)) {
		dissolve(cpu, group);
		return;
	}
	while (group->members[i] != slot)
		i++;
	group->count--;
	memmove(&group->members[i], &group->members[i + 1],
		(group->count - i) * sizeof(*group->members));
	opened->group = NULL;
	if (group->started && group->count == 1)
		dissolve(cpu, group);
}

/* A group of one that others may join until it is started. */
static int found_group(struct perf_cpu *cpu, struct opened *opened, uint32_t key)
{
	struct group *group = calloc(1, sizeof(*group));

	if (!group)
		return -ENOMEM;
	group->key = key;
	group->handle = -1;
	group->members[group->count++] = opened - cpu->slots;
	group->next = cpu->groups;
	cpu->groups = group;
	opened->group = group;
	return 0;
}

/* Opening. */

static int open_leader(struct perf_cpu *cpu, unsigned int number, struct opened *opened,
		       struct refusal *why)
{
	struct perf_event_attr attr = opened->attr;
	uint32_t key;
	int r;

	attr.disabled = 1;
	/*
	 * Means nothing for whole CPUs, but without it arm_pmu.c leaves a leader that is off out of
	 * account when it checks that the group fits.
	 */
	attr.enable_on_exec = 1;
	r = perf_open(&attr, number, -1, why);
	if (r < 0)
		return r;
	opened->fd = r;
	return group_key(&opened->attr, &key) ? found_group(cpu, opened, key) : 0;
}

/* Opens it in a group that is not started yet, if one has room and the kernel agrees. */
static bool open_sibling(struct perf_cpu *cpu, unsigned int number, struct opened *opened)
{
	uint32_t key;

	if (!group_key(&opened->attr, &key))
		return false;
	for (struct group *group = cpu->groups; group; group = group->next) {
		if (group->started || group->key != key || group->count == GROUP_MAX)
			continue;
		opened->fd =
			perf_open(&opened->attr, number, cpu->slots[group->members[0]].fd, NULL);
		if (opened->fd >= 0) {
			group->members[group->count++] = opened - cpu->slots;
			opened->group = group;
			return true;
		}
	}
	return false;
}

static void close_opened(struct opened *opened)
{
	if (opened->fd >= 0)
		close(opened->fd);
	*opened = (struct opened){ .fd = -1 };
}

static int perf_add(struct counter_source *source, unsigned int number, unsigned int slot,
		    const struct event_attr *attr, struct refusal *why)
{
	struct perf_cpu *cpu = grow_cpus((struct source_perf *)source, number);
	struct opened *opened = cpu ? grow_slots(cpu, slot) : NULL;
	int r = 0;

	if (!opened)
		return refuse(why, -ENOMEM, "out of memory");
	opened->attr = attr->attr;
	opened->attr.size = sizeof(opened->attr);
	opened->attr.read_format = TIMES;
	if (!open_sibling(cpu, number, opened))
		r = open_leader(cpu, number, opened, why);
	if (!r && ioctl(opened->fd, PERF_EVENT_IOC_ID, &opened->id))
		r = refuse(why, -EIO, "the kernel gives it no id: %s", strerror(errno));
	if (r) {
		if (opened->group)
			leave_group(cpu, opened);
		close_opened(opened);
	}
	return r;
}

/* Without its handle (no descriptor left) a group counts as well and is read one by one. */
static void open_handle(const struct perf_cpu *cpu, unsigned int number, struct group *group)
{
	const struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(dummy),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = TIMES | PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};

	group->handle = perf_open(&dummy, number, cpu->slots[group->members[0]].fd, NULL);
}

static void perf_start(struct counter_source *source, unsigned int number)
{
	struct perf_cpu *cpu = find_cpu(source, number);

	if (!cpu)
		return;
	for (struct group *group = cpu->groups, *next; group; group = next) {
		next = group->next;
		if (group->started)
			continue;
		group->started = true;
		if (group->count == 1)
			dissolve(cpu, group);
		else
			open_handle(cpu, number, group);
	}
	for (size_t i = 0; i < cpu->count; i++) {
		struct opened *opened = &cpu->slots[i];

		if (!opened->started && !cpu->disabled && has_switch(cpu, opened))
			ioctl(opened->fd, PERF_EVENT_IOC_ENABLE, 0);
		opened->started = opened->fd >= 0;
	}
}

static void perf_remove(struct counter_source *source, unsigned int number, unsigned int slot)
{
	struct perf_cpu *cpu = find_cpu(source, number);
	struct opened *opened = find_opened(cpu, slot);

	if (!opened)
		return;
	if (opened->group)
		leave_group(cpu, opened);
	close_opened(opened);
}

/* Reading. */

/* read(2) of a perf descriptor: the number of bytes, or an error; 0 bytes: a pinned event is out. */
static ssize_t read_values(int fd, uint64_t *values, size_t size)
{
	ssize_t n;
	int tries = 0;

	do {
		n = read(fd, values, size);
	} while (n < 0 && (errno == EINTR || (errno == EAGAIN && ++tries < 10)));
	if (n < 0)
		return errno == EAGAIN ? -EBUSY : -errno;
	return n ? n : -EBUSY;
}

static int read_opened(const struct opened *opened, struct count *count)
{
	uint64_t values[3];
	ssize_t n;

	if (opened->fd < 0)
		return opened->error ? opened->error : -ENOENT;
	n = read_values(opened->fd, values, sizeof(values));
	if (n != sizeof(values))
		return n < 0 ? (int)n : -EIO;
	*count = (struct count){ values[0], values[1], values[2] };
	return 0;
}

static void add_base(const struct opened *opened, struct count *count)
{
	count->raw += opened->base.raw;
	count->enabled += opened->base.enabled;
	count->running += opened->base.running;
}

/* Only the leader's descriptor has to go for all to be single; see the top. */
static void take_apart(struct perf_cpu *cpu, unsigned int number, struct group *group)
{
	struct opened *leader = &cpu->slots[group->members[0]];
	struct perf_event_attr attr = leader->attr;
	struct count last;

	if (read_opened(leader, &last))
		return;
	dissolve(cpu, group);
	add_base(leader, &last);
	leader->base = last;
	close(leader->fd);
	attr.disabled = cpu->disabled;
	leader->fd = perf_open(&attr, number, -1, NULL);
	leader->error = leader->fd < 0 ? leader->fd : 0;
}

/* Software events cannot be without a counter. True when the group is no more. */
static bool watch_group(struct perf_cpu *cpu, unsigned int number, struct group *group,
			const struct count *count)
{
	if (count->running != group->running) {
		group->running = count->running;
		group->ran = count->enabled;
		return false;
	}
	if (group->key == PERF_TYPE_SOFTWARE || count->enabled - group->ran < GROUP_WAIT_MAX)
		return false;
	take_apart(cpu, number, group);
	return true;
}

static int perf_read(struct counter_source *source, unsigned int number, unsigned int slot,
		     struct source_reading *reading)
{
	struct perf_cpu *cpu = find_cpu(source, number);
	struct opened *opened = find_opened(cpu, slot);

	if (!opened)
		return reading->error = -ENOENT;
	reading->error = read_opened(opened, &reading->count);
	if (reading->error)
		return reading->error;
	if (opened->group && watch_group(cpu, number, opened->group, &reading->count))
		reading->error = read_opened(opened, &reading->count);
	if (!reading->error)
		add_base(opened, &reading->count);
	return reading->error;
}

/*
 * What the kernel sends is taken only if it is the group as we know it: a CPU that went offline
 * has had its groups broken up. PERF_FORMAT_GROUP: nr, times, then value and id of each.
 */
static int read_group(const struct perf_cpu *cpu, const struct group *group,
		      struct source_reading *readings, size_t count)
{
	uint64_t values[3 + 2 * (GROUP_MAX + 1)];
	ssize_t n;

	if (group->handle < 0)
		return -ENOENT;
	n = read_values(group->handle, values, sizeof(values));
	if (n < 0)
		return (int)n;
	if (values[0] != group->count + 1 || n != (ssize_t)((3 + 2 * values[0]) * sizeof(*values)))
		return -ENODEV;
	for (unsigned int i = 0; i < group->count; i++) {
		if (values[4 + 2 * i] != cpu->slots[group->members[i]].id)
			return -EIO;
	}
	for (unsigned int i = 0; i < group->count; i++) {
		unsigned int slot = group->members[i];

		if (slot >= count)
			continue;
		readings[slot].error = 0;
		readings[slot].count = (struct count){ values[3 + 2 * i], values[1], values[2] };
		add_base(&cpu->slots[slot], &readings[slot].count);
	}
	return 0;
}

static void perf_read_cpu(struct counter_source *source, unsigned int number,
			  struct source_reading *readings, size_t count)
{
	struct perf_cpu *cpu = find_cpu(source, number);

	for (size_t i = 0; i < count; i++)
		readings[i].error = -ENOENT;
	for (struct group *group = cpu ? cpu->groups : NULL, *next; group; group = next) {
		unsigned int leader = group->members[0];

		next = group->next;
		/* those that stay -ENOENT are read one by one below */
		if (group->started && !read_group(cpu, group, readings, count) && leader < count)
			watch_group(cpu, number, group, &readings[leader].count);
	}
	for (size_t i = 0; i < count; i++) {
		if (readings[i].error == -ENOENT)
			perf_read(source, number, i, &readings[i]);
	}
}

static int perf_enable(struct counter_source *source, unsigned int number, bool on)
{
	struct perf_cpu *cpu = grow_cpus((struct source_perf *)source, number);
	int r = 0;

	if (!cpu)
		return -ENOMEM;
	cpu->disabled = !on;
	for (size_t i = 0; i < cpu->count; i++) {
		struct opened *opened = &cpu->slots[i];

		if (!opened->started || !has_switch(cpu, opened))
			continue;
		if (ioctl(opened->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0))
			r = -errno;
	}
	return r;
}

static void perf_cpu_gone(struct counter_source *source, unsigned int number)
{
	struct perf_cpu *cpu = find_cpu(source, number);

	if (!cpu)
		return;
	while (cpu->groups)
		free_group(cpu, cpu->groups);
	for (size_t i = 0; i < cpu->count; i++)
		close_opened(&cpu->slots[i]);
	free(cpu->slots);
	*cpu = (struct perf_cpu){ 0 };
}

static void perf_free(struct counter_source *source)
{
	struct source_perf *perf = (struct source_perf *)source;

	for (size_t i = 0; i < perf->count; i++)
		perf_cpu_gone(source, i);
	free(perf->cpus);
	free(perf);
}

static const struct counter_source_ops perf_ops = {
	.name = "perf_event_open",
	.add = perf_add,
	.start = perf_start,
	.remove = perf_remove,
	.read = perf_read,
	.read_cpu = perf_read_cpu,
	.enable = perf_enable,
	.cpu_gone = perf_cpu_gone,
	.free = perf_free,
};

/* 256 CPUs with 22 events take more than the customary 1024. The hard limit is the admin's word. */
static void raise_descriptor_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

int source_perf_new(struct counter_source **ret)
{
	struct source_perf *perf = calloc(1, sizeof(*perf));

	if (!perf)
		return -ENOMEM;
	raise_descriptor_limit();
	perf->source.ops = &perf_ops;
	*ret = &perf->source;
	return 0;
}
