// SPDX-License-Identifier: GPL-2.0-only
/* See metrics.h. */
#include "view/metrics.h"

#include <string.h>

#define NS_PER_SECOND 1000000000ULL

/* The readings of one pass: for each online CPU its number and its stretch of rows. */
struct pass {
	struct counters *counters;
	const struct counter_stat *rows;
	const size_t *filled; /* rows of each CPU */
	size_t stride; /* rows that each CPU has room for */
};

static void add_escaped(struct text *text, const char *value)
{
	for (const char *c = value; *c; c++) {
		if (*c == '\\' || *c == '"')
			text_add_char(text, '\\');
		text_add_char(text, *c);
	}
}

static void add_labels(struct text *text, unsigned int cpu, const char *event)
{
	text_add_string(text, "{cpu=\"");
	text_add_u64(text, cpu);
	text_add_string(text, "\",event=\"");
	add_escaped(text, event);
	text_add_char(text, '"');
}

static void add_seconds(struct text *text, uint64_t ns)
{
	text_add_format(text, "%llu.%09llu", (unsigned long long)(ns / NS_PER_SECOND),
			(unsigned long long)(ns % NS_PER_SECOND));
}

/* A family of metrics that has at most one sample for each row. */
struct family {
	const char *name, *type, *help;
	bool (*has)(const struct counter_stat *row);
	void (*value)(struct text *text, const struct counter_stat *row);
	bool with_unit;
};

static bool row_known(const struct counter_stat *row)
{
	return row->state != COUNTER_UNAVAILABLE;
}

static bool row_any(const struct counter_stat *row)
{
	(void)row;
	return true;
}

static bool row_has_unit(const struct counter_stat *row)
{
	return row_known(row) && (row->event->unit[0] || row->event->scale != 1.0);
}

static void value_count(struct text *text, const struct counter_stat *row)
{
	text_add_u64(text, row->scaled);
}

static void value_available(struct text *text, const struct counter_stat *row)
{
	text_add_char(text, row_known(row) ? '1' : '0');
}

static void value_enabled(struct text *text, const struct counter_stat *row)
{
	add_seconds(text, row->enabled);
}

static void value_running(struct text *text, const struct counter_stat *row)
{
	add_seconds(text, row->running);
}

static void value_quantity(struct text *text, const struct counter_stat *row)
{
	text_add_format(text, "%.17g", (double)row->scaled * row->event->scale);
}

static const struct family families[] = {
	{ "pmufs_events_total", "counter",
	  "Events counted on a CPU, scaled where the event shared a hardware counter.", row_known,
	  value_count, false },
	{ "pmufs_event_quantity_total", "counter",
	  "The same in the unit that the kernel gives for the event.", row_has_unit, value_quantity,
	  true },
	{ "pmufs_event_available", "gauge",
	  "1 when the counter has a value at this moment, else 0.", row_any, value_available,
	  false },
	{ "pmufs_event_enabled_seconds_total", "counter",
	  "Time for which the event was to be counted.", row_known, value_enabled, false },
	{ "pmufs_event_running_seconds_total", "counter",
	  "Time for which the event was on a hardware counter.", row_known, value_running, false },
};

static void add_heading(struct text *text, const char *name, const char *type, const char *help)
{
	text_add_format(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void add_sample(struct text *text, const struct family *family, unsigned int cpu,
		       const struct counter_stat *row)
{
	text_add_string(text, family->name);
	add_labels(text, cpu, row->event->name);
	if (family->with_unit) {
		text_add_string(text, ",unit=\"");
		add_escaped(text, row->event->unit);
		text_add_char(text, '"');
	}
	text_add_string(text, "} ");
	family->value(text, row);
	text_add_char(text, '\n');
}

/* A family without a sample is left out, heading and all. */
static void add_family(struct text *text, const struct family *family, const struct pass *pass)
{
	const struct cpus *cpus = counters_cpus(pass->counters);
	bool headed = false;
	size_t i = 0;

	cpu_mask_for_each(cpu, &cpus->online)
	{
		const struct counter_stat *row = pass->rows + i * pass->stride;

		for (size_t n = pass->filled[i]; n; n--, row++) {
			if (!family->has(row))
				continue;
			if (!headed)
				add_heading(text, family->name, family->type, family->help);
			headed = true;
			add_sample(text, family, cpu, row);
		}
		i++;
	}
}

static void add_cpus(struct text *text, const struct counters *counters)
{
	const struct cpus *cpus = counters_cpus(counters);

	add_heading(text, "pmufs_build_info", "gauge", "The version of pmufs.");
	text_add_format(text, "pmufs_build_info{version=\"%s\"} 1\n", PMUFS_VERSION);
	add_heading(text, "pmufs_cpu_counting", "gauge",
		    "1 when the online CPU's counters are enabled, else 0.");
	cpu_mask_for_each(cpu, &cpus->online)
		text_add_format(text, "pmufs_cpu_counting{cpu=\"%u\"} %d\n", cpu,
				counters_cpu_enabled(counters, cpu) == 1);
}

void metrics_render(struct counters *counters, struct counter_stat *rows, struct text *text)
{
	static size_t filled[CPUS_MAX]; /* 64 KiB: kept off the stack; one thread */
	const struct cpus *cpus = counters_cpus(counters);
	struct pass pass = { counters, rows, filled, counters_count(counters) };
	size_t i = 0;

	cpu_mask_for_each(cpu, &cpus->online)
	{
		int n = counters_stat(counters, cpu, rows + i * pass.stride);

		filled[i++] = n > 0 ? (size_t)n : 0;
	}
	add_cpus(text, counters);
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		add_family(text, &families[i], &pass);
}

static const char *const state_words[] = {
	[COUNTER_EXACT] = "exact",
	[COUNTER_SCALED] = "scaled",
	[COUNTER_UNAVAILABLE] = "unavailable",
};

static void stat_add_number(struct text *text, bool known, uint64_t value)
{
	text_add_char(text, ' ');
	if (known)
		text_add_u64(text, value);
	else
		text_add_char(text, '-');
}

static void stat_add_row(struct text *text, const struct counter_stat *row)
{
	bool known = row_known(row);

	text_add_string(text, row->event->name);
	stat_add_number(text, known, row->raw);
	stat_add_number(text, known, row->scaled);
	stat_add_number(text, known, row->enabled);
	stat_add_number(text, known, row->running);
	text_add_char(text, ' ');
	text_add_string(text, state_words[row->state]);
	text_add_char(text, ' ');
	text_add_string(text, row->backing[0] ? row->backing : "-");
	if (row->event->unit[0] || row->event->scale != 1.0)
		text_add_format(text, " %.17g %s", row->event->scale, row->event->unit);
	text_add_char(text, '\n');
}

void stat_render(const struct counter_stat *rows, size_t count, struct text *text)
{
	for (size_t i = 0; i < count; i++)
		stat_add_row(text, &rows[i]);
}
