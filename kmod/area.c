// SPDX-License-Identifier: GPL-2.0-only
/*
 * The shared area. Header and event table come first, then, from a page boundary on, a block of 4
 * KiB for each CPU.
 */
#include <linux/cpumask.h>
#include <linux/mm.h>
#include <linux/vmalloc.h>
#include <asm/barrier.h>

#include "area.h"

#define CPU_SHIFT     12
#define SLOT_SHIFT    6
#define EVENTS_OFFSET 1024
#define EVENTS_END    (EVENTS_OFFSET + PMUCTL_EVENTS_MAX * sizeof(struct pmuctl_event))
#define CPUS_OFFSET   ALIGN(EVENTS_END, 1 << CPU_SHIFT)

static_assert(sizeof(struct pmuctl_area) <= EVENTS_OFFSET);
static_assert(sizeof(struct pmuctl_slot) == 1 << SLOT_SHIFT);
static_assert(sizeof(struct pmuctl_cpu) + PMUCTL_EVENTS_MAX * sizeof(struct pmuctl_slot) <=
	      1 << CPU_SHIFT);

static void *area;

struct pmuctl_area *area_header(void)
{
	return area;
}

struct pmuctl_event *area_event(unsigned int event)
{
	return area + EVENTS_OFFSET + event * sizeof(struct pmuctl_event);
}

struct pmuctl_cpu *area_cpu(unsigned int cpu)
{
	return area + CPUS_OFFSET + ((size_t)cpu << CPU_SHIFT);
}

struct pmuctl_slot *area_slot(unsigned int cpu, unsigned int event)
{
	return (void *)area_cpu(cpu) + sizeof(struct pmuctl_cpu) + (event << SLOT_SHIFT);
}

void area_write_begin(u32 *sequence)
{
	WRITE_ONCE(*sequence, *sequence + 1);
	/*
	 * Odd before any member changes; pairs with the acquire fence of a reader behind its
	 * members.
	 */
	smp_wmb();
}

void area_write_end(u32 *sequence)
{
	/*
	 * Members before even; pairs with the acquire load of the sequence in front of a reader's
	 * members.
	 */
	smp_wmb();
	WRITE_ONCE(*sequence, *sequence + 1);
}

static void fill_header(struct pmuctl_area *header, size_t size, u64 period)
{
	*header = (struct pmuctl_area){
		.magic = PMUCTL_MAGIC,
		.abi_version = PMUCTL_ABI_VERSION,
		.header_size = sizeof(*header),
		.area_size = size,
		.events_offset = EVENTS_OFFSET,
		.event_size = sizeof(struct pmuctl_event),
		.cpus_offset = CPUS_OFFSET,
		.cpu_shift = CPU_SHIFT,
		.cpus = nr_cpu_ids,
		.slots_offset = sizeof(struct pmuctl_cpu),
		.slot_shift = SLOT_SHIFT,
		.events_max = PMUCTL_EVENTS_MAX,
		.period = period,
	};
}

static void fill_cpu(unsigned int cpu)
{
	unsigned int event;

	area_cpu(cpu)->cpu = cpu;
	for (event = 0; event < PMUCTL_EVENTS_MAX; event++) {
		area_slot(cpu, event)->reason = PMUCTL_UNUSED;
		area_slot(cpu, event)->offset = -ENOENT;
	}
}

int area_init(u64 period)
{
	size_t size = PAGE_ALIGN(CPUS_OFFSET + ((size_t)nr_cpu_ids << CPU_SHIFT));
	unsigned int cpu;

	area = vmalloc_user(size);
	if (!area)
		return -ENOMEM;
	fill_header(area, size, period);
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		fill_cpu(cpu);
	return 0;
}

void area_exit(void)
{
	vfree(area);
}
