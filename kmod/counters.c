// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel counters, one pinned perf event for each CPU and event.
 *
 * The hotplug callbacks only note that a CPU came or went; a work makes and releases its counters.
 * Making or releasing a software event takes cpu_hotplug_lock, which whoever waits for a callback
 * holds. Until the work has come by, perf itself has taken the events off a CPU that went, and
 * their counts stand.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/ctype.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <asm/barrier.h>

#include "arch/arch.h"
#include "area.h"
#include "counters.h"
#include "publish.h"

/* How often counters that lost their register try to get it back. */
#define TEND_INTERVAL HZ

/* An event that is counted: id 0: none. */
struct event {
	u32 id;
	struct perf_event_attr attr;
};

struct generic {
	const char *name;
	u32 type;
	u64 config;
};

/* perf's names of the generic events. */
static const struct generic generics[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
};

/* Guards the events, and which perf events there are for them. */
static DEFINE_MUTEX(counters_mutex);
static struct event events[PMUCTL_EVENTS_MAX];
static u32 last_id;
/*
 * A number is not given again before the others were, so that a program that was not told is not
 * soon misled.
 */
static unsigned int next_number;
static int hotplug_state;

static void tend(struct work_struct *work);
static DECLARE_DELAYED_WORK(tend_work, tend);

/* ---- One counter ---- */

/* What is to become of a counter; see struct counter. */
struct change {
	struct counter *counter;
	struct perf_event *event;
	bool used;
	int error;
};

static void change_here(void *argument)
{
	struct change *change = argument;
	struct counter *counter = change->counter;

	if (counter->event && counter->event != change->event)
		counter->base += local64_read(&counter->event->count);
	WRITE_ONCE(counter->event, change->event);
	counter->used = change->used;
	counter->error = change->error;
	if (!change->used) {
		counter->base = 0;
		counter->enabled = 0;
		counter->running = 0;
	}
	publish_refresh(counter);
}

static void change(struct counter *counter, struct perf_event *event, bool used, int error)
{
	struct change change = { .counter = counter, .event = event, .used = used, .error = error };

	publish_call(counter->cpu, change_here, &change);
}

static void refresh_here(void *counter)
{
	publish_refresh(counter);
}

static struct perf_event *create(struct perf_event_attr *attr, struct counter *counter)
{
	struct perf_event *event;

	event = perf_event_create_kernel_counter(attr, counter->cpu, NULL, publish_marker, counter);
	if (IS_ERR(event) || event->cpu == counter->cpu)
		return event;
	/* A PMU outside the CPU has a CPU of its own choice look after it. */
	perf_event_release_kernel(event);
	return ERR_PTR(-EOPNOTSUPP);
}

static struct perf_event *create_wide(const struct event *definition, struct counter *counter)
{
	struct perf_event_attr attr = definition->attr;
	struct perf_event *event;

	if (attr.type < PERF_TYPE_MAX) {
		if (attr.type != PERF_TYPE_SOFTWARE)
			arch_event_attr(&attr);
		return create(&attr, counter);
	}
	/* Only the event can tell whether that PMU is the CPU's. */
	event = create(&attr, counter);
	if (IS_ERR(event) || !publish_is_cpu_pmu(event))
		return event;
	arch_event_attr(&attr);
	if (attr.config1 == definition->attr.config1)
		return event;
	perf_event_release_kernel(event);
	return create(&attr, counter);
}

static void make(struct counter *counter, const struct event *definition)
{
	struct perf_event *event = create_wide(definition, counter);
	int error = PTR_ERR_OR_ZERO(event);

	/* It went offline meanwhile. */
	if (error == -ENODEV && !READ_ONCE(publish_cpu(counter->cpu)->online))
		error = 0;
	change(counter, IS_ERR(event) ? NULL : event, true, error);
}

static void drop(struct counter *counter, bool used)
{
	struct perf_event *event = counter->event;

	/* From here on its count stands. */
	perf_event_disable(event);
	change(counter, NULL, used, 0);
	perf_event_release_kernel(event);
}

/* Pinned events that found no register are in an error state until they are enabled again. */
static void switch_counting(struct counter *counter, bool count)
{
	struct perf_event *event = counter->event;
	bool on = READ_ONCE(event->state) >= PERF_EVENT_STATE_INACTIVE;

	if (count == on)
		return;
	if (count)
		perf_event_enable(event);
	else
		perf_event_disable(event);
	publish_call(counter->cpu, refresh_here, counter);
}

/* Brings one counter to where it should be. */
static void settle(unsigned int cpu, unsigned int number)
{
	struct counter_cpu *own = publish_cpu(cpu);
	struct counter *counter = &own->counters[number];
	const struct event *definition = &events[number];
	unsigned int plugged = READ_ONCE(own->plugged);
	bool online = READ_ONCE(own->online);
	bool fresh = counter->plugged != plugged;

	if (counter->event && (!online || fresh || !definition->id))
		drop(counter, definition->id);
	else if (counter->used != !!definition->id)
		change(counter, NULL, definition->id, 0);
	if (!definition->id || !online)
		return;
	counter->plugged = plugged;
	if (!counter->event && (fresh || !counter->error))
		make(counter, definition);
	if (counter->event)
		switch_counting(counter, own->counting);
}

static void settle_event(unsigned int number)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		settle(cpu, number);
}

static void settle_cpu(unsigned int cpu)
{
	unsigned int number;

	for (number = 0; number < PMUCTL_EVENTS_MAX; number++) {
		if (events[number].id || publish_cpu(cpu)->counters[number].used)
			settle(cpu, number);
	}
}

static void tend(struct work_struct *work)
{
	unsigned int cpu;

	mutex_lock(&counters_mutex);
	for_each_possible_cpu(cpu)
		settle_cpu(cpu);
	mutex_unlock(&counters_mutex);
	queue_delayed_work(system_power_efficient_wq, &tend_work, TEND_INTERVAL);
}

/* ---- The event table ---- */

static void write_table(unsigned int number, const struct pmuctl_event *entry, int difference)
{
	struct pmuctl_area *header = area_header();

	area_write_begin(&header->events_sequence);
	*area_event(number) = *entry;
	header->events += difference;
	area_write_end(&header->events_sequence);
}

static bool name_is_good(const char *name)
{
	size_t i, length = strnlen(name, PMUCTL_NAME_MAX);

	if (!length || length == PMUCTL_NAME_MAX)
		return false;
	for (i = 0; i < length; i++) {
		if (!isascii(name[i]) || !isgraph(name[i]))
			return false;
	}
	return true;
}

static bool name_is_taken(const char *name)
{
	unsigned int i;

	for (i = 0; i < PMUCTL_EVENTS_MAX; i++) {
		if (events[i].id && !strcmp(area_event(i)->name, name))
			return true;
	}
	return false;
}

static int free_number(void)
{
	unsigned int i;

	for (i = 0; i < PMUCTL_EVENTS_MAX; i++) {
		unsigned int number = (next_number + i) % PMUCTL_EVENTS_MAX;

		if (!events[number].id) {
			next_number = (number + 1) % PMUCTL_EVENTS_MAX;
			return number;
		}
	}
	return -ENOSPC;
}

static void fill_attr(struct perf_event_attr *attr, const struct pmuctl_event_add *added)
{
	*attr = (struct perf_event_attr){
		.type = added->type,
		.size = sizeof(*attr),
		.config = added->config,
		.config1 = added->config1,
		.config2 = added->config2,
		.disabled = 1,
		.pinned = 1,
		.exclude_user = !!(added->exclude & PMUCTL_EXCLUDE_USER),
		.exclude_kernel = !!(added->exclude & PMUCTL_EXCLUDE_KERNEL),
		.exclude_hv = !!(added->exclude & PMUCTL_EXCLUDE_HV),
		.exclude_idle = !!(added->exclude & PMUCTL_EXCLUDE_IDLE),
		.exclude_host = !!(added->exclude & PMUCTL_EXCLUDE_HOST),
		.exclude_guest = !!(added->exclude & PMUCTL_EXCLUDE_GUEST),
	};
}

/* 0 when at least one CPU counts it, else the error of the last that does not. */
static int settled_error(unsigned int number)
{
	unsigned int cpu;
	int error = 0;

	for_each_possible_cpu(cpu) {
		const struct counter *counter = &publish_cpu(cpu)->counters[number];

		if (counter->event)
			return 0;
		if (counter->error)
			error = counter->error;
	}
	return error;
}

static void show_event(unsigned int number, const struct pmuctl_event_add *added)
{
	struct pmuctl_event entry = {
		.id = events[number].id,
		.type = added->type,
		.config = added->config,
		.config1 = added->config1,
		.config2 = added->config2,
		.exclude = added->exclude,
	};

	strscpy(entry.name, added->name, sizeof(entry.name));
	write_table(number, &entry, 1);
}

/* must: fails when no CPU can count it; otherwise the slots say so. */
static int add(struct pmuctl_event_add *added, bool must)
{
	int number, error;

	if (name_is_taken(added->name))
		return -EEXIST;
	number = free_number();
	if (number < 0)
		return number;
	fill_attr(&events[number].attr, added);
	events[number].id = ++last_id;
	settle_event(number);
	error = settled_error(number);
	if (error && must) {
		events[number].id = 0;
		settle_event(number);
		return error;
	}
	show_event(number, added);
	added->event = number;
	added->id = last_id;
	return 0;
}

/* Events that are there to be counted; breakpoints and tracepoints have rules of their own. */
static bool type_is_good(u32 type)
{
	return type != PERF_TYPE_BREAKPOINT && type != PERF_TYPE_TRACEPOINT;
}

int counters_add(struct pmuctl_event_add *added)
{
	int ret;

	if (!name_is_good(added->name) || !type_is_good(added->type))
		return -EINVAL;
	mutex_lock(&counters_mutex);
	ret = add(added, true);
	mutex_unlock(&counters_mutex);
	return ret;
}

int counters_remove(u32 number, u32 id)
{
	const struct pmuctl_event unused = {};
	int ret = -ENOENT;

	if (number >= PMUCTL_EVENTS_MAX)
		return -ENOENT;
	mutex_lock(&counters_mutex);
	if (events[number].id && (!id || events[number].id == id)) {
		write_table(number, &unused, -1);
		events[number].id = 0;
		settle_event(number);
		ret = 0;
	}
	mutex_unlock(&counters_mutex);
	return ret;
}

static void flags_here(void *own)
{
	publish_flags(((struct counter_cpu *)own)->counters[0].cpu);
}

int counters_enable(u32 cpu, bool enable)
{
	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENXIO;
	mutex_lock(&counters_mutex);
	WRITE_ONCE(publish_cpu(cpu)->counting, enable);
	settle_cpu(cpu);
	publish_call(cpu, flags_here, publish_cpu(cpu));
	mutex_unlock(&counters_mutex);
	return 0;
}

/* ---- Reading ---- */

struct reading {
	unsigned int cpu;
	unsigned int first;
	unsigned int end;
	unsigned int count;
	struct pmuctl_value *values;
};

static void copy_slot(const struct pmuctl_slot *slot, struct pmuctl_value *value, u32 number)
{
	u32 before;

	do {
		before = READ_ONCE(slot->sequence);
		smp_rmb(); /* pairs with the barrier in area_write_end() */
		*value = (struct pmuctl_value){
			.value = READ_ONCE(slot->value),
			.time = READ_ONCE(slot->time),
			.enabled = READ_ONCE(slot->enabled),
			.running = READ_ONCE(slot->running),
			.reason = READ_ONCE(slot->reason),
			.error = READ_ONCE(slot->error),
			.event = number,
		};
		smp_rmb(); /* pairs with the barrier in area_write_begin() */
	} while (before & 1 || before != READ_ONCE(slot->sequence));
}

static void copy_slots(struct reading *reading)
{
	unsigned int i;

	reading->count = 0;
	for (i = reading->first; i < reading->end; i++) {
		if (READ_ONCE(publish_cpu(reading->cpu)->counters[i].used))
			copy_slot(area_slot(reading->cpu, i), &reading->values[reading->count++],
				  i);
	}
}

static void read_here(void *argument)
{
	struct reading *reading = argument;
	struct counter *counters = publish_cpu(reading->cpu)->counters;
	unsigned int i;

	for (i = reading->first; i < reading->end; i++) {
		if (counters[i].used)
			publish_refresh(&counters[i]);
	}
	copy_slots(reading);
}

static void read_slots(struct reading *reading)
{
	/* An offline CPU's slots stand still. */
	if (smp_call_function_single(reading->cpu, read_here, reading, true))
		copy_slots(reading);
}

int counters_read(u32 cpu, u32 event, struct pmuctl_value *value)
{
	struct reading reading = { cpu, event, event + 1, 0, value };

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENXIO;
	if (event >= PMUCTL_EVENTS_MAX)
		return -ENOENT;
	read_slots(&reading);
	if (!reading.count)
		return -ENOENT;
	if (value->reason == PMUCTL_UNSUPPORTED)
		return value->error;
	return value->reason == PMUCTL_NOT_SCHEDULED ? -EBUSY : 0;
}

int counters_read_cpu(u32 cpu, struct pmuctl_value *values)
{
	struct reading reading = { cpu, 0, PMUCTL_EVENTS_MAX, 0, values };

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -ENXIO;
	read_slots(&reading);
	return reading.count;
}

/* ---- Coming and going ---- */

static int cpu_comes(unsigned int cpu)
{
	struct counter_cpu *own = publish_cpu(cpu);

	WRITE_ONCE(own->plugged, own->plugged + 1);
	WRITE_ONCE(own->online, true);
	publish_flags(cpu);
	publish_cpu_up(cpu);
	mod_delayed_work(system_power_efficient_wq, &tend_work, 0);
	return 0;
}

static int cpu_goes(unsigned int cpu)
{
	WRITE_ONCE(publish_cpu(cpu)->online, false);
	publish_flags(cpu);
	publish_cpu_down(cpu);
	mod_delayed_work(system_power_efficient_wq, &tend_work, 0);
	return 0;
}

static const struct generic *find_generic(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(generics); i++) {
		if (!strcmp(generics[i].name, name))
			return &generics[i];
	}
	return NULL;
}

static int add_generic(const char *name)
{
	const struct generic *generic = find_generic(name);
	struct pmuctl_event_add added = {};

	if (!generic) {
		pr_err("events: '%s' is no generic event such as cycles or branch-misses\n", name);
		return -EINVAL;
	}
	added.type = generic->type;
	added.config = generic->config;
	strscpy(added.name, name, sizeof(added.name));
	return add(&added, false);
}

static int add_generics(char *names)
{
	char *name;
	int ret = 0;

	mutex_lock(&counters_mutex);
	while (!ret && (name = strsep(&names, ",")))
		ret = *name ? add_generic(name) : 0;
	mutex_unlock(&counters_mutex);
	return ret;
}

int counters_init(const char *names)
{
	unsigned int cpu;
	char *copy;
	int ret;

	for_each_possible_cpu(cpu)
		publish_cpu(cpu)->counting = true;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "pmuctl:online", cpu_comes, cpu_goes);
	if (ret < 0)
		return ret;
	hotplug_state = ret;
	copy = kstrdup(names, GFP_KERNEL);
	ret = copy ? add_generics(copy) : -ENOMEM;
	kfree(copy);
	if (ret)
		counters_exit();
	return ret;
}

void counters_exit(void)
{
	unsigned int cpu;

	/* Takes every CPU for gone, so that settling releases what it has. */
	cpuhp_remove_state(hotplug_state);
	cancel_delayed_work_sync(&tend_work);
	mutex_lock(&counters_mutex);
	for_each_possible_cpu(cpu)
		settle_cpu(cpu);
	mutex_unlock(&counters_mutex);
}
