// SPDX-License-Identifier: GPL-2.0-only
/*
 * `stat` rows from made-up readings, and `metrics` from real counters: software events of this kernel,
 * one of them under the name of a made-up PMU that gives it a unit and a scale.
 */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "counter/counters.h"
#include "view/metrics.h"

/* stat */

static const struct counter_event plain = { 1, "cpu-clock", "cpu-clock", "", 1.0 };
static const struct counter_event energy = { 2, "pkg", "power/energy-pkg/", "Joules", 0.25 };

static void assert_row(const struct counter_stat *row, const char *want)
{
	struct text text = { 0 };

	stat_render(row, 1, &text);
	text_add_char(&text, '\0');
	assert_int_equal(text_error(&text), 0);
	assert_string_equal(text.data, want);
	text_free(&text);
}

static void a_stat_row_has_all_figures_and_what_backs_them(void **state)
{
	(void)state;
	assert_row(&(struct counter_stat){ &plain, 1, 2, 3, 4, COUNTER_EXACT, 0, "software" },
		   "cpu-clock 1 2 3 4 exact software\n");
	assert_row(&(struct counter_stat){ &plain, UINT64_MAX, 0, 7, 5, COUNTER_SCALED, 0, "" },
		   "cpu-clock 18446744073709551615 0 7 5 scaled -\n");
	assert_row(&(struct counter_stat){ &energy, 8, 8, 9, 9, COUNTER_EXACT, 0, "power/x/" },
		   "pkg 8 8 9 9 exact power/x/ 0.25 Joules\n");
}

static void what_is_not_known_is_no_number(void **state)
{
	(void)state;
	assert_row(&(struct counter_stat){ &plain, 1, 2, 3, 4, COUNTER_UNAVAILABLE, -EBUSY, "" },
		   "cpu-clock - - - - unavailable -\n");
}

static void rows_come_in_their_order(void **state)
{
	const struct counter_stat rows[] = {
		{ &energy, 1, 1, 1, 1, COUNTER_EXACT, 0, "a" },
		{ &plain, 2, 2, 2, 2, COUNTER_EXACT, 0, "b" },
	};
	struct text text = { 0 };

	(void)state;
	stat_render(rows, 0, &text);
	assert_int_equal(text.length, 0);
	stat_render(rows, 2, &text);
	text_add_char(&text, '\0');
	assert_string_equal(text.data, "pkg 1 1 1 1 exact a 0.25 Joules\n"
				       "cpu-clock 2 2 2 2 exact b\n");
	text_free(&text);
}

/* metrics */

struct machine {
	char root[64];
	struct cpus cpus;
	struct pmus pmus;
	struct event_resolver *resolver;
	struct counter_source *source;
	struct counters *counters;
	struct counter_stat *rows;
	struct text text; /* what was rendered, terminated */
};

static void put(const char *root, const char *path, const char *text)
{
	char full[256];
	FILE *file;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *c = strchr(full + 1, '/'); c; c = strchr(c + 1, '/')) {
		*c = '\0';
		mkdir(full, 0755);
		*c = '/';
	}
	file = fopen(full, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Type 1 is the kernel's software PMU, whose event 0 is cpu-clock in ns (linux/perf_event.h). */
static void make_pmu(const char *root)
{
#define PMU "sys/bus/event_source/devices/clocks/"
	put(root, PMU "type", "1\n");
	put(root, PMU "format/event", "config:0-63\n");
	put(root, PMU "events/time", "event=0x0\n");
	put(root, PMU "events/time.scale", "1e-9\n");
	put(root, PMU "events/time.unit", "\"s\"\\\n");
#undef PMU
}

static int setup(void **state)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	struct refusal why = { "" };

	assert_non_null(machine);
	strcpy(machine->root, "/tmp/pmufs-metrics.XXXXXX");
	assert_non_null(mkdtemp(machine->root));
	make_pmu(machine->root);
	assert_int_equal(cpus_read("", &machine->cpus, &why), 0);
	assert_int_equal(pmus_read(machine->root, &machine->cpus, &machine->pmus, &why), 0);
	assert_int_equal(event_resolver_new(machine->root, &machine->pmus, &machine->resolver), 0);
	assert_int_equal(source_perf_new(&machine->source), 0);
	assert_int_equal(counters_new(&machine->cpus, machine->resolver, machine->source,
				      &machine->counters),
			 0);
	*state = machine;
	return 0;
}

static int teardown(void **state)
{
	struct machine *machine = *state;
	char command[128];

	counters_free(machine->counters);
	machine->source->ops->free(machine->source);
	event_resolver_free(machine->resolver);
	pmus_free(&machine->pmus);
	free(machine->rows);
	text_free(&machine->text);
	snprintf(command, sizeof(command), "rm -r %s", machine->root);
	assert_int_equal(system(command), 0);
	free(machine);
	return 0;
}

static void change(struct machine *machine, const char *words)
{
	struct refusal why = { "" };

	if (counters_change(machine->counters, words, strlen(words), NULL, NULL, &why))
		fail_msg("%s: %s", words, why.message);
}

static const char *render(struct machine *machine)
{
	size_t rows = counters_count(machine->counters) * cpu_mask_count(&machine->cpus.online);

	free(machine->rows);
	machine->rows = calloc(rows + 1, sizeof(*machine->rows));
	assert_non_null(machine->rows);
	text_clear(&machine->text);
	metrics_render(machine->counters, machine->rows, &machine->text);
	text_add_char(&machine->text, '\0');
	assert_int_equal(text_error(&machine->text), 0);
	return machine->text.data;
}

static unsigned int first_cpu(const struct machine *machine)
{
	return cpu_mask_next(&machine->cpus.online, 0);
}

/* How often a text stands at the beginning of a line. */
static size_t lines_with(const char *text, const char *head)
{
	size_t count = 0;

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		count += strncmp(line, head, strlen(head)) == 0;
	}
	return count;
}

static void each_cpu_and_event_has_one_sample_of_each_family(void **state)
{
	struct machine *machine = *state;
	const char *text;

	change(machine, "+cpu-clock +page-faults");
	text = render(machine);
	cpu_mask_for_each(cpu, &machine->cpus.online)
	{
		static const char *const families[] = { "pmufs_events_total",
							"pmufs_event_available",
							"pmufs_event_enabled_seconds_total",
							"pmufs_event_running_seconds_total" };
		static const char *const events[] = { "cpu-clock", "page-faults" };
		char head[128];

		for (size_t f = 0; f < 4; f++) {
			for (size_t e = 0; e < 2; e++) {
				snprintf(head, sizeof(head), "%s{cpu=\"%u\",event=\"%s\"} ",
					 families[f], cpu, events[e]);
				assert_int_equal(lines_with(text, head), 1);
			}
		}
		snprintf(head, sizeof(head), "pmufs_cpu_counting{cpu=\"%u\"} 1\n", cpu);
		assert_int_equal(lines_with(text, head), 1);
	}
	assert_int_equal(lines_with(text, "pmufs_build_info{version=\"" PMUFS_VERSION "\"} 1\n"),
			 1);
}

/* The format wants a family in one piece: HELP, TYPE, then its samples and nothing in between. */
static void a_family_stands_together_under_its_heading(void **state)
{
	struct machine *machine = *state;
	char family[64] = "", seen[2048] = "", *line, *rest;

	change(machine, "+cpu-clock +clocks/time/ +page-faults");
	render(machine);
	rest = machine->text.data;
	while ((line = strsep(&rest, "\n")) && *line) {
		char name[64], mark[72];

		if (sscanf(line, "# HELP %63s", name) == 1) {
			snprintf(mark, sizeof(mark), "|%s|", name);
			assert_null(strstr(seen, mark));
			strcat(seen, mark);
			strcpy(family, name);
			line = strsep(&rest, "\n");
			assert_non_null(line);
			assert_int_equal(sscanf(line, "# TYPE %63s", name), 1);
		} else {
			assert_int_equal(sscanf(line, "%63[a-z_]", name), 1);
		}
		assert_string_equal(name, family);
	}
	assert_true(rest == NULL); /* the text ends with a newline, and none is empty before it */
}

static void labels_are_escaped(void **state)
{
	struct machine *machine = *state;
	char head[128];

	change(machine, "+a\"b\\c=cpu-clock");
	snprintf(head, sizeof(head), "pmufs_events_total{cpu=\"%u\",event=\"a\\\"b\\\\c\"} ",
		 first_cpu(machine));
	assert_int_equal(lines_with(render(machine), head), 1);
}

static void a_unit_makes_a_quantity_and_is_escaped_too(void **state)
{
	struct machine *machine = *state;
	unsigned int cpu = first_cpu(machine);
	uint64_t total;
	double quantity;
	char head[160];
	const char *text, *found;

	change(machine, "+time=clocks/time/ +page-faults");
	text = render(machine);
	snprintf(head, sizeof(head),
		 "pmufs_event_quantity_total{cpu=\"%u\",event=\"time\",unit=\"\\\"s\\\"\\\\\"} ",
		 cpu);
	found = strstr(text, head);
	assert_non_null(found);
	quantity = strtod(found + strlen(head), NULL);
	snprintf(head, sizeof(head), "pmufs_events_total{cpu=\"%u\",event=\"time\"} ", cpu);
	found = strstr(text, head);
	assert_non_null(found);
	total = strtoull(found + strlen(head), NULL, 10);
	assert_true(total > 0);
	assert_true(quantity == (double)total * 1e-9);
	assert_int_equal(lines_with(text, "pmufs_event_quantity_total"),
			 cpu_mask_count(&machine->cpus.online));
}

static void a_family_without_a_sample_has_no_heading(void **state)
{
	struct machine *machine = *state;
	const char *text = render(machine);

	assert_null(strstr(text, "pmufs_event"));
	change(machine, "+page-faults");
	text = render(machine);
	assert_non_null(strstr(text, "# TYPE pmufs_events_total counter\n"));
	assert_null(strstr(text, "pmufs_event_quantity"));
}

/* The made-up machine has no hardware PMU, whatever the real one has. */
static void a_counter_without_a_value_has_no_sample_and_says_so(void **state)
{
	struct machine *machine = *state;
	unsigned int cpu = first_cpu(machine);
	char head[128];
	const char *text;

	change(machine, "+cycles +page-faults");
	text = render(machine);
	snprintf(head, sizeof(head), "pmufs_event_available{cpu=\"%u\",event=\"cycles\"} 0\n", cpu);
	assert_int_equal(lines_with(text, head), 1);
	snprintf(head, sizeof(head), "pmufs_event_available{cpu=\"%u\",event=\"page-faults\"} 1\n",
		 cpu);
	assert_int_equal(lines_with(text, head), 1);
	snprintf(head, sizeof(head), "pmufs_events_total{cpu=\"%u\",event=\"cycles\"}", cpu);
	assert_int_equal(lines_with(text, head), 0);
	snprintf(head, sizeof(head), "pmufs_event_enabled_seconds_total{cpu=\"%u\",event=\"cyc",
		 cpu);
	assert_int_equal(lines_with(text, head), 0);
}

static void a_cpu_that_does_not_count_is_told(void **state)
{
	struct machine *machine = *state;
	unsigned int cpu = first_cpu(machine);
	char head[64];

	assert_int_equal(counters_cpu_enable(machine->counters, cpu, false), 0);
	snprintf(head, sizeof(head), "pmufs_cpu_counting{cpu=\"%u\"} 0\n", cpu);
	assert_int_equal(lines_with(render(machine), head), 1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stat_row_has_all_figures_and_what_backs_them),
		cmocka_unit_test(what_is_not_known_is_no_number),
		cmocka_unit_test(rows_come_in_their_order),
		TEST(each_cpu_and_event_has_one_sample_of_each_family),
		TEST(a_family_stands_together_under_its_heading),
		TEST(labels_are_escaped),
		TEST(a_unit_makes_a_quantity_and_is_escaped_too),
		TEST(a_family_without_a_sample_has_no_heading),
		TEST(a_counter_without_a_value_has_no_sample_and_says_so),
		TEST(a_cpu_that_does_not_count_is_told),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("metrics", tests, NULL, NULL);
}
