// SPDX-License-Identifier: GPL-2.0-only
/* See fake_source.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fake_source.h"

static struct fake_source *fake_of(struct counter_source *source)
{
	return (struct fake_source *)source;
}

static int fake_add(struct counter_source *source, unsigned int cpu, unsigned int slot,
		    const struct event_attr *attr, struct refusal *why)
{
	struct fake_source *fake = fake_of(source);
	struct fake_counter *counter;

	fake->adds++;
	if (cpu >= FAKE_CPUS || slot >= FAKE_SLOTS || fake->counters[cpu][slot].taken)
		abort(); /* the set asks for what no source could do */
	if (fake->refuses && attr->attr.type == fake->refused_type)
		return refuse(why, fake->refuses, "made-up refusal");
	if (fake->limit && fake->open >= fake->limit)
		return refuse(why, -EMFILE, "made-up limit");
	counter = &fake->counters[cpu][slot];
	*counter = (struct fake_counter){ .taken = true, .attr = attr->attr };
	fake->open++;
	return 0;
}

static void fake_start(struct counter_source *source, unsigned int cpu)
{
	struct fake_source *fake = fake_of(source);

	fake->starts++;
	for (unsigned int slot = 0; slot < FAKE_SLOTS; slot++)
		fake->counters[cpu][slot].started = fake->counters[cpu][slot].taken;
}

static void fake_remove(struct counter_source *source, unsigned int cpu, unsigned int slot)
{
	struct fake_source *fake = fake_of(source);

	if (!fake->counters[cpu][slot].taken)
		return;
	fake->removes++;
	fake->open--;
	fake->counters[cpu][slot] = (struct fake_counter){ 0 };
}

static void read_counter(const struct fake_counter *counter, struct source_reading *reading)
{
	reading->error = counter->taken ? counter->error : -ENOENT;
	if (!reading->error)
		reading->count = counter->count;
}

static int fake_read(struct counter_source *source, unsigned int cpu, unsigned int slot,
		     struct source_reading *reading)
{
	struct fake_source *fake = fake_of(source);

	fake->reads++;
	read_counter(&fake->counters[cpu][slot], reading);
	return reading->error;
}

static void fake_read_cpu(struct counter_source *source, unsigned int cpu,
			  struct source_reading *readings, size_t count)
{
	struct fake_source *fake = fake_of(source);

	fake->cpu_reads++;
	for (size_t slot = 0; slot < count; slot++)
		read_counter(&fake->counters[cpu][slot], &readings[slot]);
}

static int fake_enable(struct counter_source *source, unsigned int cpu, bool on)
{
	fake_of(source)->disabled[cpu] = !on;
	return 0;
}

static void fake_cpu_gone(struct counter_source *source, unsigned int cpu)
{
	struct fake_source *fake = fake_of(source);

	for (unsigned int slot = 0; slot < FAKE_SLOTS; slot++)
		fake_remove(source, cpu, slot);
	fake->disabled[cpu] = false;
}

static void fake_free(struct counter_source *source)
{
	free(source);
}

static const struct counter_source_ops fake_ops = {
	.name = "made-up",
	.add = fake_add,
	.start = fake_start,
	.remove = fake_remove,
	.read = fake_read,
	.read_cpu = fake_read_cpu,
	.enable = fake_enable,
	.cpu_gone = fake_cpu_gone,
	.free = fake_free,
};

struct fake_source *fake_source_new(void)
{
	struct fake_source *fake = calloc(1, sizeof(*fake));

	if (!fake)
		abort();
	fake->source.ops = &fake_ops;
	return fake;
}

void fake_source_run(struct fake_source *fake, unsigned int cpu, unsigned int slot,
		     uint64_t enabled, uint64_t running, uint64_t rate)
{
	struct fake_counter *counter = &fake->counters[cpu][slot];

	if (!counter->started || fake->disabled[cpu])
		return;
	counter->count.enabled += enabled;
	counter->count.running += running;
	counter->count.raw += running * rate;
}
