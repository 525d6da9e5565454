// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMU drivers call perf_event_update_userpage() whenever an event gets, loses or moves its register
 * or starts a new period. A probe there publishes our own events' registers at once, so that they
 * are right whenever a program can run.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/workqueue.h>

#include "area.h"
#include "arch/arch.h"
#include "compat/hrtimer_setup.h"
#include "publish.h"
#include "ring_control.h"

/* What a slot shall say of the register. */
struct registration {
	u16 code;
	s16 error;
	enum pmuctl_reason reason;
	u64 offset;
	u32 prev;
};

static struct counter_cpu __percpu *cpus;
static DEFINE_PER_CPU(struct hrtimer, timers);
static u64 timer_period;
static bool have_probe;

/* Mappings there are; the work makes the timers follow. */
static atomic_t mappings = ATOMIC_INIT(0);
/* Whether timers run; changed and looked at only while no CPU comes or goes. */
static bool timers_run;

struct counter_cpu *publish_cpu(unsigned int cpu)
{
	return per_cpu_ptr(cpus, cpu);
}

void publish_marker(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
}

/*
 * A driver that takes an event off tells of it before it forgets the register: the state says so.
 */
static bool is_counting(const struct counter *counter, const struct perf_event *event)
{
	return event && event->state == PERF_EVENT_STATE_ACTIVE &&
	       READ_ONCE(event->oncpu) == counter->cpu && !(event->hw.state & PERF_HES_STOPPED);
}

/*
 * Only these have events in the context for hardware: uncore and tracing units have other ones or
 * none.
 */
bool publish_is_cpu_pmu(const struct perf_event *event)
{
	return event->pmu->task_ctx_nr == perf_hw_context;
}

static u64 count_of(const struct counter *counter, struct perf_event *event)
{
	return counter->base + (event ? local64_read(&event->count) : 0);
}

/*
 * Offset for the register as the driver left it. An NMI between the reads may fold the register
 * into the count without telling; then prev_count has changed.
 */
static void fill_offset(struct registration *reg, struct counter *counter, struct perf_event *event)
{
	unsigned int width = PMUCTL_TAG_WIDTH(reg->code);
	u64 prev, count;

	do {
		prev = local64_read(&event->hw.prev_count);
		barrier(); /* against an NMI on this CPU */
		count = count_of(counter, event);
		barrier(); /* the same */
	} while (prev != local64_read(&event->hw.prev_count));
	if (width == 64) {
		reg->offset = count - prev;
	} else if (IS_ENABLED(CONFIG_ARM64)) {
		reg->offset = count;
		reg->prev = prev;
	} else {
		reg->offset = count - sign_extend64(prev, width - 1);
	}
}

static enum pmuctl_reason reason_standing(const struct counter *counter)
{
	const struct counter_cpu *cpu = publish_cpu(counter->cpu);

	if (!counter->used)
		return PMUCTL_UNUSED;
	if (counter->error)
		return PMUCTL_UNSUPPORTED;
	if (!READ_ONCE(cpu->online))
		return PMUCTL_OFFLINE;
	if (!READ_ONCE(cpu->counting))
		return PMUCTL_DISABLED;
	return PMUCTL_NOT_SCHEDULED;
}

static u64 offset_standing(const struct counter *counter, struct perf_event *event,
			   enum pmuctl_reason reason)
{
	switch (reason) {
	case PMUCTL_UNUSED:
		return -ENOENT;
	case PMUCTL_UNSUPPORTED:
		return counter->error;
	case PMUCTL_NOT_SCHEDULED:
		return -EBUSY;
	default:
		return count_of(counter, event);
	}
}

static void find_registration(struct registration *reg, struct counter *counter,
			      struct perf_event *event)
{
	*reg = (struct registration){ .reason = PMUCTL_DIRECT };
	if (!is_counting(counter, event)) {
		reg->reason = reason_standing(counter);
		reg->error = reg->reason == PMUCTL_UNSUPPORTED ? counter->error : 0;
		reg->offset = offset_standing(counter, event, reg->reason);
		return;
	}
	if (is_software_event(event) || !publish_is_cpu_pmu(event)) {
		reg->reason = PMUCTL_SOFTWARE;
	} else if (!have_probe) {
		reg->reason = PMUCTL_UNPUBLISHED;
	} else {
		reg->code = arch_event_register(event, &reg->reason);
		if (reg->code) {
			reg->reason = PMUCTL_DIRECT;
			fill_offset(reg, counter, event);
			return;
		}
	}
	reg->offset = -EAGAIN;
}

/* Whether the slot already says the same, or at least leads to the same counts. */
static bool is_registered(const struct pmuctl_slot *slot, const struct registration *reg)
{
	u32 moved = (u32)reg->offset - (u32)slot->offset;

	if ((u16)slot->tag != reg->code || slot->reason != reg->reason)
		return false;
	if (!reg->code)
		return true;
	if (PMUCTL_TAG_WIDTH(reg->code) == 32)
		return reg->prev - slot->prev == moved;
	return slot->offset == reg->offset;
}

void publish_flags(unsigned int cpu)
{
	const struct counter_cpu *own = publish_cpu(cpu);

	WRITE_ONCE(area_cpu(cpu)->flags, (own->online ? PMUCTL_CPU_ONLINE : 0) |
						 (own->counting ? PMUCTL_CPU_ENABLED : 0) |
						 (own->direct ? PMUCTL_CPU_DIRECT : 0));
}

static void count_direct(struct counter *counter, bool direct)
{
	struct counter_cpu *cpu = publish_cpu(counter->cpu);

	if (counter->direct == direct)
		return;
	counter->direct = direct;
	cpu->direct += direct ? 1 : -1;
	publish_flags(counter->cpu);
}

/*
 * No program on this CPU can see the slot half-written, so that no order is needed here; the tag
 * changes with every change.
 */
static void write_registration(struct counter *counter, const struct registration *reg)
{
	struct pmuctl_slot *slot = counter->slot;
	u64 generation = (slot->tag >> PMUCTL_TAG_CODE_BITS) + 1;

	if ((u16)slot->tag == reg->code && slot->offset == reg->offset && slot->prev == reg->prev &&
	    slot->reason == reg->reason && slot->error == reg->error)
		return;
	WRITE_ONCE(slot->offset, reg->offset);
	WRITE_ONCE(slot->prev, reg->prev);
	WRITE_ONCE(slot->reason, reg->reason);
	WRITE_ONCE(slot->error, reg->error);
	WRITE_ONCE(slot->tag, generation << PMUCTL_TAG_CODE_BITS | reg->code);
	count_direct(counter, reg->code);
}

/* Times go by what was the case until now. */
static void account(struct counter *counter, struct perf_event *event, u64 now)
{
	enum pmuctl_reason standing = reason_standing(counter);

	if (counter->wanted)
		counter->enabled += now - counter->last;
	if (counter->counting)
		counter->running += now - counter->last;
	counter->last = now;
	counter->counting = is_counting(counter, event);
	counter->wanted = counter->counting || standing == PMUCTL_NOT_SCHEDULED;
}

static void write_value(struct counter *counter, struct perf_event *event)
{
	struct pmuctl_slot *slot = counter->slot;
	u64 now = ktime_get_mono_fast_ns();

	account(counter, event, now);
	area_write_begin(&slot->sequence);
	WRITE_ONCE(slot->value, counter->used ? count_of(counter, event) : 0);
	WRITE_ONCE(slot->time, counter->used && !counter->error ? now : 0);
	WRITE_ONCE(slot->enabled, counter->enabled);
	WRITE_ONCE(slot->running, counter->running);
	area_write_end(&slot->sequence);
}

/*
 * An NMI that finds the slot being written asks the interrupted writer to do it again: no program
 * can run in between. One that comes after busy was cleared does it by itself.
 */
static void publish_counter(struct counter *counter, struct perf_event *event)
{
	struct registration reg;

	if (counter->busy) {
		WRITE_ONCE(counter->again, true);
		return;
	}
	do {
		WRITE_ONCE(counter->again, false);
		WRITE_ONCE(counter->busy, true);
		barrier(); /* with an NMI on this CPU, as the next two */
		find_registration(&reg, counter, event);
		write_registration(counter, &reg);
		write_value(counter, event);
		barrier();
		WRITE_ONCE(counter->busy, false);
		barrier();
	} while (READ_ONCE(counter->again));
}

void publish_refresh(struct counter *counter)
{
	struct perf_event *event = READ_ONCE(counter->event);

	if (is_counting(counter, event))
		event->pmu->read(event);
	publish_counter(counter, event);
}

/*
 * Returns whether the slot had to be mended: the kernel skipped a hit of the probe, or something is
 * wrong with us.
 */
static bool verify(struct counter *counter)
{
	struct perf_event *event = READ_ONCE(counter->event);
	struct registration reg;

	find_registration(&reg, counter, event);
	return !is_registered(counter->slot, &reg);
}

static void tick(unsigned int cpu)
{
	struct counter_cpu *own = publish_cpu(cpu);
	struct pmuctl_cpu *shared = area_cpu(cpu);
	unsigned int i;

	for (i = 0; i < PMUCTL_EVENTS_MAX; i++) {
		struct counter *counter = &own->counters[i];

		if (!counter->used)
			continue;
		if (have_probe && counter->direct && verify(counter))
			WRITE_ONCE(shared->mismatches, shared->mismatches + 1);
		publish_refresh(counter);
	}
	publish_flags(cpu);
	WRITE_ONCE(shared->ticks, shared->ticks + 1);
}

static enum hrtimer_restart timer_ticks(struct hrtimer *timer)
{
	tick(smp_processor_id());
	ring_look_at_triggers();
	hrtimer_forward_now(timer, ns_to_ktime(timer_period));
	return HRTIMER_RESTART;
}

/* ---- The probe ---- */

#ifdef CONFIG_KPROBES
/* Every event of the machine comes through here: the first test has to be trivial. */
static int probe_hit(struct kprobe *probe, struct pt_regs *regs)
{
	struct perf_event *event = (void *)regs_get_kernel_argument(regs, 0);
	struct counter *counter;
	unsigned long flags;

	if (event->overflow_handler != publish_marker)
		return 0;
	counter = event->overflow_handler_context;
	local_irq_save(flags);
	if (counter->cpu == smp_processor_id()) {
		struct pmuctl_cpu *shared = area_cpu(counter->cpu);

		publish_counter(counter, event);
		WRITE_ONCE(shared->probes, shared->probes + 1);
	}
	local_irq_restore(flags);
	return 0;
}

NOKPROBE_SYMBOL(probe_hit);

static struct kprobe probe = {
	.symbol_name = "perf_event_update_userpage",
	.pre_handler = probe_hit,
};

static void add_probe(void)
{
	int ret = register_kprobe(&probe);

	if (ret)
		pr_warn("no probe on %s (error %d): counters are not read by register\n",
			probe.symbol_name, ret);
	have_probe = !ret;
}

static void remove_probe(void)
{
	if (have_probe)
		unregister_kprobe(&probe);
}

static void count_missed(void)
{
	if (have_probe)
		WRITE_ONCE(area_header()->probes_missed, READ_ONCE(probe.nmissed));
}
#else
static void add_probe(void)
{
	pr_warn("the kernel has no kprobes: counters are not read by register\n");
}

static void remove_probe(void)
{
}

static void count_missed(void)
{
}
#endif

/* ---- Timers, and the CPUs they run on ---- */

static void timer_start(void *unused)
{
	hrtimer_start(this_cpu_ptr(&timers), ns_to_ktime(0), HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Mapping and unmapping happen under mmap_lock, below which nothing else of ours is taken: hence a
 * work of its own.
 */
static void timers_follow(struct work_struct *work)
{
	unsigned int cpu;
	bool run;

	cpus_read_lock();
	run = timer_period && atomic_read(&mappings) > 0;
	if (run != timers_run) {
		timers_run = run;
		for_each_online_cpu(cpu) {
			if (run)
				smp_call_function_single(cpu, timer_start, NULL, true);
			else
				hrtimer_cancel(per_cpu_ptr(&timers, cpu));
		}
	}
	cpus_read_unlock();
	count_missed();
}

static DECLARE_WORK(timers_work, timers_follow);

void publish_mapped(void)
{
	if (atomic_inc_return(&mappings) == 1)
		schedule_work(&timers_work);
}

void publish_unmapped(void)
{
	if (atomic_dec_and_test(&mappings))
		schedule_work(&timers_work);
}

void publish_cpu_up(unsigned int cpu)
{
	if (timers_run)
		hrtimer_start(per_cpu_ptr(&timers, cpu), ns_to_ktime(timer_period),
			      HRTIMER_MODE_REL_PINNED_HARD);
}

void publish_cpu_down(unsigned int cpu)
{
	hrtimer_cancel(per_cpu_ptr(&timers, cpu));
}

void publish_call(unsigned int cpu, void (*function)(void *argument), void *argument)
{
	unsigned long flags;

	cpus_read_lock();
	if (cpu_online(cpu)) {
		smp_call_function_single(cpu, function, argument, true);
	} else {
		local_irq_save(flags);
		function(argument);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
}

static void init_counters(unsigned int cpu)
{
	struct counter_cpu *own = publish_cpu(cpu);
	unsigned int i;

	for (i = 0; i < PMUCTL_EVENTS_MAX; i++) {
		struct counter *counter = &own->counters[i];

		counter->cpu = cpu;
		counter->slot = area_slot(cpu, i);
	}
}

int publish_init(u64 period)
{
	unsigned int cpu;

	cpus = alloc_percpu(struct counter_cpu);
	if (!cpus)
		return -ENOMEM;
	timer_period = period;
	arch_init();
	for_each_possible_cpu(cpu) {
		init_counters(cpu);
		hrtimer_setup(per_cpu_ptr(&timers, cpu), timer_ticks, CLOCK_MONOTONIC,
			      HRTIMER_MODE_REL_PINNED_HARD);
	}
	add_probe();
	if (have_probe)
		area_header()->features |= PMUCTL_FEATURE_PROBE;
	return 0;
}

void publish_exit(void)
{
	/* The last mapping is gone, but the work that stops the timers may have yet to run. */
	flush_work(&timers_work);
	remove_probe();
	free_percpu(cpus);
}
