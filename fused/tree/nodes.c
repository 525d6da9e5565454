// SPDX-License-Identifier: GPL-2.0-only
/* See nodes.h. */
#include "tree/nodes.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/metrics.h"

#define CPU_DIRECTORY "cpu"

void nodes_release(struct nodes *nodes)
{
	free(nodes->rows);
	nodes->rows = NULL;
	nodes->row_capacity = 0;
}

/* Makes room for that many CPUs' rows; 0 or -ENOMEM. */
static int nodes_reserve_rows(struct nodes *nodes, size_t cpu_count)
{
	size_t need = counters_count(nodes->counters) * cpu_count;
	struct counter_stat *rows;

	if (need <= nodes->row_capacity)
		return 0;
	rows = reallocarray(nodes->rows, need, sizeof(*rows));
	if (!rows)
		return -ENOMEM;
	nodes->rows = rows;
	nodes->row_capacity = need;
	return 0;
}

/* The root: cpuN for each online CPU. */

static bool cpu_online(const struct nodes *nodes, unsigned int cpu)
{
	return cpu_mask_has(&counters_cpus(nodes->counters)->online, cpu);
}

static int root_find(void *context, struct node directory, const char *name, struct node *child)
{
	const size_t prefix = strlen(CPU_DIRECTORY);
	char canonical[NODE_NAME_MAX];
	unsigned long cpu;

	(void)directory;
	if (strncmp(name, CPU_DIRECTORY, prefix) != 0)
		return -ENOENT;
	cpu = strtoul(name + prefix, NULL, 10);
	if (cpu >= CPUS_MAX || !cpu_online(context, (unsigned int)cpu))
		return -ENOENT;
	/* cpu01, cpu+1 and cpu1x are not names of cpu1 */
	snprintf(canonical, sizeof(canonical), CPU_DIRECTORY "%lu", cpu);
	if (strcmp(canonical, name) != 0)
		return -ENOENT;
	*child = (struct node){ .kind = KIND_CPU, .cpu = (uint32_t)cpu };
	return 0;
}

static bool root_next(void *context, struct node directory, uint32_t after, uint32_t *cookie,
		      struct node *child, char name[NODE_NAME_MAX])
{
	const struct nodes *nodes = context;
	unsigned int cpu = cpu_mask_next(&counters_cpus(nodes->counters)->online, after);

	(void)directory;
	if (cpu >= CPUS_MAX)
		return false;
	*cookie = cpu + 1;
	*child = (struct node){ .kind = KIND_CPU, .cpu = cpu };
	snprintf(name, NODE_NAME_MAX, CPU_DIRECTORY "%u", cpu);
	return true;
}

/* cpuN/ */

static int cpu_check(void *context, struct node node)
{
	return cpu_online(context, node.cpu) ? 0 : -ESTALE;
}

static int cpu_find(void *context, struct node directory, const char *name, struct node *child)
{
	const struct nodes *nodes = context;
	const struct counter_event *event = counters_find(nodes->counters, name);

	if (!event || !counters_has(nodes->counters, directory.cpu, event->id))
		return -ENOENT;
	*child = (struct node){ KIND_CPU_EVENT, directory.cpu, event->id };
	return 0;
}

static bool cpu_next(void *context, struct node directory, uint32_t after, uint32_t *cookie,
		     struct node *child, char name[NODE_NAME_MAX])
{
	const struct nodes *nodes = context;
	const struct counter_event *event = counters_next(nodes->counters, after);

	while (event && !counters_has(nodes->counters, directory.cpu, event->id))
		event = counters_next(nodes->counters, event->id);
	if (!event)
		return false;
	*cookie = event->id;
	*child = (struct node){ KIND_CPU_EVENT, directory.cpu, event->id };
	snprintf(name, NODE_NAME_MAX, "%s", event->name);
	return true;
}

static int cpu_event_check(void *context, struct node node)
{
	const struct nodes *nodes = context;

	return counters_has(nodes->counters, node.cpu, node.event) ? 0 : -ESTALE;
}

static int cpu_event_open(void *context, struct node node)
{
	const struct nodes *nodes = context;

	return counters_check(nodes->counters, node.cpu, node.event);
}

/* The hot path: one counter's value, no formatting library. */
static int add_value(struct text *text, int error, uint64_t value)
{
	if (error)
		return error;
	text_add_u64(text, value);
	text_add_char(text, '\n');
	return 0;
}

static int cpu_event_read(void *context, struct node node, struct text *text)
{
	struct nodes *nodes = context;
	uint64_t value = 0;
	int r = counters_read(nodes->counters, node.cpu, node.event, &value);

	return add_value(text, r, value);
}

static int cpu_stat_read(void *context, struct node node, struct text *text)
{
	struct nodes *nodes = context;
	int r = nodes_reserve_rows(nodes, 1);

	if (r)
		return r;
	r = counters_stat(nodes->counters, node.cpu, nodes->rows);
	if (r < 0)
		return r;
	stat_render(nodes->rows, (size_t)r, text);
	return 0;
}

static int cpu_enable_read(void *context, struct node node, struct text *text)
{
	const struct nodes *nodes = context;
	int r = counters_cpu_enabled(nodes->counters, node.cpu);

	return r < 0 ? r : add_value(text, 0, (uint64_t)r);
}

static int cpu_enable_write(void *context, struct node node, const char *data, size_t length)
{
	struct nodes *nodes = context;

	return control_write_enable(nodes->control, node.cpu, data, length);
}

/* all/ */

static int all_find(void *context, struct node directory, const char *name, struct node *child)
{
	const struct nodes *nodes = context;
	const struct counter_event *event = counters_find(nodes->counters, name);

	(void)directory;
	if (!event)
		return -ENOENT;
	*child = (struct node){ .kind = KIND_ALL_EVENT, .event = event->id };
	return 0;
}

static bool all_next(void *context, struct node directory, uint32_t after, uint32_t *cookie,
		     struct node *child, char name[NODE_NAME_MAX])
{
	const struct nodes *nodes = context;
	const struct counter_event *event = counters_next(nodes->counters, after);

	(void)directory;
	if (!event)
		return false;
	*cookie = event->id;
	*child = (struct node){ .kind = KIND_ALL_EVENT, .event = event->id };
	snprintf(name, NODE_NAME_MAX, "%s", event->name);
	return true;
}

static int all_event_check(void *context, struct node node)
{
	const struct nodes *nodes = context;

	return counters_event(nodes->counters, node.event) ? 0 : -ESTALE;
}

static int all_event_open(void *context, struct node node)
{
	const struct nodes *nodes = context;

	return counters_check_all(nodes->counters, node.event);
}

static int all_event_read(void *context, struct node node, struct text *text)
{
	struct nodes *nodes = context;
	uint64_t value = 0;
	int r = counters_read_all(nodes->counters, node.event, &value);

	return add_value(text, r, value);
}

static int all_stat_read(void *context, struct node node, struct text *text)
{
	struct nodes *nodes = context;
	int r = nodes_reserve_rows(nodes, 1);

	(void)node;
	if (r)
		return r;
	r = counters_stat_all(nodes->counters, nodes->rows);
	if (r < 0)
		return r;
	stat_render(nodes->rows, (size_t)r, text);
	return 0;
}

/* Files of the root. */

static int events_read(void *context, struct node node, struct text *text)
{
	const struct nodes *nodes = context;

	(void)node;
	for (const struct counter_event *event = counters_next(nodes->counters, 0); event;
	     event = counters_next(nodes->counters, event->id)) {
		text_add_string(text, event->name);
		if (strcmp(event->name, event->spec) != 0) {
			text_add_char(text, '=');
			text_add_string(text, event->spec);
		}
		text_add_char(text, '\n');
	}
	return 0;
}

static int events_write(void *context, struct node node, const char *data, size_t length)
{
	struct nodes *nodes = context;

	(void)node;
	return control_write_events(nodes->control, data, length);
}

static int metrics_read(void *context, struct node node, struct text *text)
{
	struct nodes *nodes = context;
	unsigned int cpu_count = cpu_mask_count(&counters_cpus(nodes->counters)->online);
	int r = nodes_reserve_rows(nodes, cpu_count);

	(void)node;
	if (r)
		return r;
	metrics_render(nodes->counters, nodes->rows, text);
	return 0;
}

static int status_read(void *context, struct node node, struct text *text)
{
	const struct nodes *nodes = context;

	(void)node;
	status_render(nodes->status, text);
	return 0;
}

static int last_error_read(void *context, struct node node, struct text *text)
{
	const struct nodes *nodes = context;

	(void)node;
	control_read_last_error(nodes->control, text);
	return 0;
}

static int version_read(void *context, struct node node, struct text *text)
{
	(void)context;
	(void)node;
	text_add_string(text, "pmufs " PMUFS_VERSION "\n");
	return 0;
}

const struct node_kind node_kinds[KIND_COUNT] = {
	[KIND_ROOT] = { .directory = true, .find = root_find, .next = root_next },

	[KIND_CPU] = { .parent = KIND_ROOT,
		       .directory = true,
		       .check = cpu_check,
		       .find = cpu_find,
		       .next = cpu_next },
	[KIND_CPU_STAT] = { .name = "stat",
			    .long_text = true,
			    .parent = KIND_CPU,
			    .check = cpu_check,
			    .read = cpu_stat_read },
	[KIND_CPU_ENABLE] = { .name = "enable",
			      .parent = KIND_CPU,
			      .audience = AUDIENCE_CONTROL,
			      .check = cpu_check,
			      .read = cpu_enable_read,
			      .write = cpu_enable_write },
	[KIND_CPU_EVENT] = { .parent = KIND_CPU,
			     .check = cpu_event_check,
			     .open = cpu_event_open,
			     .read = cpu_event_read },

	[KIND_ALL] = { .name = "all",
		       .parent = KIND_ROOT,
		       .directory = true,
		       .find = all_find,
		       .next = all_next },
	[KIND_ALL_STAT] = { .name = "stat",
			    .long_text = true,
			    .parent = KIND_ALL,
			    .read = all_stat_read },
	[KIND_ALL_EVENT] = { .parent = KIND_ALL,
			     .check = all_event_check,
			     .open = all_event_open,
			     .read = all_event_read },

	[KIND_EVENTS] = { .name = "events",
			  .long_text = true,
			  .parent = KIND_ROOT,
			  .audience = AUDIENCE_CONTROL,
			  .read = events_read,
			  .write = events_write },
	[KIND_METRICS] = { .name = "metrics",
			   .long_text = true,
			   .parent = KIND_ROOT,
			   .read = metrics_read },
	[KIND_STATUS] = { .name = "status",
			  .long_text = true,
			  .parent = KIND_ROOT,
			  .read = status_read },
	[KIND_LAST_ERROR] = { .name = "last_error", .parent = KIND_ROOT, .read = last_error_read },
	[KIND_VERSION] = { .name = "version", .parent = KIND_ROOT, .read = version_read },
};
