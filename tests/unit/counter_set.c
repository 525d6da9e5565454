// SPDX-License-Identifier: GPL-2.0-only
/* See counter_set.h. */
#include "counter_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"

struct counter_set on;

static void boot(const struct fake_file *files, struct counter_source *source)
{
	on.source = source;
	machine_boot(files);
	assert_int_equal(counters_new(&machine.cpus, machine.resolver, source, &on.counters), 0);
}

void boot_with_kernel(const struct fake_file *files)
{
	struct counter_source *source;

	assert_int_equal(source_perf_new(&source), 0);
	boot(files, source);
}

void boot_with_fake_source(const struct fake_file *files)
{
	on.fake = fake_source_new();
	boot(files, &on.fake->source);
}

int shut_down(void **state)
{
	counters_free(on.counters);
	if (on.fake && on.fake->open)
		fail_msg("%u counters were left open", on.fake->open);
	if (on.source)
		on.source->ops->free(on.source);
	memset(&on, 0, sizeof(on));
	return machine_shut_down(state);
}

int change(const char *text)
{
	on.why.message[0] = '\0';
	return counters_change(on.counters, text, strlen(text), NULL, NULL, &on.why);
}

void assert_changed(const char *text)
{
	int r = change(text);

	if (r)
		fail_msg("%s: %s (%s)", text, strerror(-r), on.why.message);
}

void assert_refused(const char *text, int error, const char *word)
{
	assert_int_equal(change(text), error);
	if (!strstr(on.why.message, word))
		fail_msg("%s: \"%s\" does not say \"%s\"", text, on.why.message, word);
}

uint32_t id_of(const char *name)
{
	const struct counter_event *event = counters_find(on.counters, name);

	assert_non_null(event);
	return event->id;
}

uint64_t read_value(unsigned int cpu, const char *name)
{
	uint64_t value;
	int r = counters_read(on.counters, cpu, id_of(name), &value);

	if (r)
		fail_msg("cpu%u/%s: %s", cpu, name, strerror(-r));
	return value;
}

uint64_t read_all(const char *name)
{
	uint64_t value;

	assert_int_equal(counters_read_all(on.counters, id_of(name), &value), 0);
	return value;
}

int read_error(unsigned int cpu, const char *name)
{
	uint64_t value;

	return counters_read(on.counters, cpu, id_of(name), &value);
}

int read_all_error(const char *name)
{
	uint64_t value;

	return counters_read_all(on.counters, id_of(name), &value);
}

bool has(unsigned int cpu, const char *name)
{
	return counters_has(on.counters, cpu, id_of(name));
}

void assert_names(const char *expected)
{
	struct text names = { 0 };

	for (const struct counter_event *event = counters_next(on.counters, 0); event;
	     event = counters_next(on.counters, event->id)) {
		text_add_string(&names, event->name);
		text_add_char(&names, ' ');
	}
	text_add_char(&names, '\0');
	assert_int_equal(text_error(&names), 0);
	assert_string_equal(names.data, expected);
	text_free(&names);
}

void run(unsigned int cpu, unsigned int slot)
{
	fake_source_run(on.fake, cpu, slot, 10 * MS, 10 * MS, 1);
}
