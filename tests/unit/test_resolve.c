// SPDX-License-Identifier: GPL-2.0-only
/* event/resolve.h: attributes of events on made-up machines, and what is refused there. */
#include <errno.h>
#include <limits.h>
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

#include "base/log.h"
#include "event/format.h"
#include "event/near.h"
#include "event/resolve.h"
#include "fake_tree.h"

#define PMU "/sys/bus/event_source/devices/"

struct machine {
	char *root;
	struct cpus cpus;
	struct pmus pmus;
	struct event_resolver *resolver;
};

static struct machine machine;

static void boot(const struct fake_file *files)
{
	machine.root = fake_tree_new(files);
	fake_tree_add(machine.root, fake_tracefs);
	assert_int_equal(cpus_read(machine.root, &machine.cpus, NULL), 0);
	assert_int_equal(pmus_read(machine.root, &machine.cpus, &machine.pmus, NULL), 0);
	assert_int_equal(event_resolver_new(machine.root, &machine.pmus, &machine.resolver), 0);
}

static int setup(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	event_resolver_free(machine.resolver);
	pmus_free(&machine.pmus);
	fake_tree_remove(machine.root);
	return 0;
}

static int resolve(const char *word, unsigned int cpu, struct event_attr *attr, struct refusal *why)
{
	struct event_spec spec;
	int error;

	if (event_spec_parse(word, strlen(word), &spec, why))
		fail_msg("'%s' does not parse: %s", word, why ? why->message : "");
	error = event_resolve(machine.resolver, &spec, cpu, attr, why);
	event_spec_free(&spec);
	return error;
}

static int check(const char *word, struct refusal *why)
{
	struct event_spec spec;
	int error;

	if (event_spec_parse(word, strlen(word), &spec, why))
		fail_msg("'%s' does not parse: %s", word, why ? why->message : "");
	error = event_check(machine.resolver, &spec, why);
	event_spec_free(&spec);
	return error;
}

struct expectation {
	const char *word;
	unsigned int cpu;
	uint32_t type;
	uint64_t config, config1, config2;
	const char *backing;
};

static void assert_resolves(const struct expectation *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct expectation *e = &list[i];
		struct refusal why = { 0 };
		struct event_attr out;

		if (resolve(e->word, e->cpu, &out, &why))
			fail_msg("'%s' on CPU %u was refused: %s", e->word, e->cpu, why.message);
		if (out.attr.type != e->type || out.attr.config != e->config ||
		    out.attr.config1 != e->config1 || out.attr.config2 != e->config2)
			fail_msg("'%s' on CPU %u is type %u, config 0x%llx, 0x%llx, 0x%llx",
				 e->word, e->cpu, out.attr.type,
				 (unsigned long long)out.attr.config,
				 (unsigned long long)out.attr.config1,
				 (unsigned long long)out.attr.config2);
		assert_int_equal(out.attr.size, sizeof(out.attr));
		assert_string_equal(why.message, "");
		if (e->backing)
			assert_string_equal(out.backing, e->backing);
		assert_int_equal(check(e->word, NULL), 0);
	}
}

#define RESOLVES(list) assert_resolves(list, sizeof(list) / sizeof((list)[0]))

struct refused {
	const char *word;
	unsigned int cpu;
	int error; /* of event_resolve */
	int check; /* of event_check */
	const char *says;
};

static void assert_refuses(const struct refused *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct refused *r = &list[i];
		struct refusal why = { 0 };
		struct event_attr out;
		int error = resolve(r->word, r->cpu, &out, &why);

		if (error != r->error)
			fail_msg("'%s' on CPU %u: answer %d: %s", r->word, r->cpu, error,
				 why.message);
		if (!strstr(why.message, r->says))
			fail_msg("'%s': \"%s\" does not say \"%s\"", r->word, why.message, r->says);
		why.message[0] = '\0';
		error = check(r->word, &why);
		if (error != r->check)
			fail_msg("check of '%s': answer %d: %s", r->word, error, why.message);
		if (error ? !strstr(why.message, r->says) : why.message[0] != '\0')
			fail_msg("check of '%s' says: %s", r->word, why.message);
	}
}

#define REFUSES(list) assert_refuses(list, sizeof(list) / sizeof((list)[0]))

static void terms_go_to_the_bits_of_their_fields(void **state)
{
	static const struct expectation list[] = {
		{ "cpu/event=0x3c,umask=1/", 0, 4, 0x13c, 0, 0, "cpu/event=0x3c,umask=0x1/" },
		/* config:0-7,32-35: the upper four bits of the value go to bit 32 */
		{ "cpu/event=0xfff/", 0, 4, 0xf000000ff, 0, 0, NULL },
		{ "cpu/event=0xa5c/", 0, 4, 0xa0000005c, 0, 0, NULL },
		{ "cpu/event=16/", 0, 4, 0x10, 0, 0, NULL },
		{ "cpu/event=010/", 0, 4, 0xa, 0, 0, NULL },
		{ "cpu/event=1,edge,inv,cmask=255/", 0, 4, 0xff840001, 0, 0, NULL },
		{ "cpu/event=1,edge=0/", 0, 4, 1, 0, 0, NULL },
		{ "cpu/event=1,ldat=0xffff/", 0, 4, 1, 0xffff, 0, NULL },
		{ "cpu/event=1,offcore_rsp=0xffffffffffffffff/", 0, 4, 1, ~0ULL, 0, NULL },
		{ "cpu/event=1,frontend=0x123456/", 0, 4, 1, 0, 0x123456, NULL },
		{ "cpu/config=0x1ff,config1=2,config2=3/", 0, 4, 0x1ff, 2, 3, NULL },
		/* what comes later takes the place of what stood there */
		{ "cpu/config=0x1ff,event=1/", 0, 4, 0x101, 0, 0, NULL },
		{ "cpu/r1a3/", 0, 4, 0x1a3, 0, 0, "cpu/config=0x1a3/" },
		{ "r1a3", 0, 4, 0x1a3, 0, 0, "cpu/config=0x1a3/" },
		{ "r1a3/name=x/", 0, 4, 0x1a3, 0, 0, NULL },
	};

	(void)state;
	boot(fake_x86);
	RESOLVES(list);
}

static void named_events_are_found_with_and_without_their_pmu(void **state)
{
	static const struct expectation list[] = {
		{ "cpu/cpu-cycles/", 0, 4, 0x3c, 0, 0, "cpu/event=0x3c/" },
		{ "cpu/cycles/", 0, 4, 0x3c, 0, 0, "cpu/event=0x3c/" },
		{ "cpu/CPU-CYCLES/", 0, 4, 0x3c, 0, 0, NULL },
		{ "topdown-retiring", 3, 4, 0x8000, 0, 0, "cpu/event=0x0,umask=0x80/" },
		{ "cpu/slots/", 0, 4, 0x840004, 0, 0, "cpu/event=0x4,edge=0x1,inv=0x1/" },
		{ "cpu/mem-loads,ldat=30/", 0, 4, 0x1cd, 30, 0, NULL },
		{ "cpu/cpu-cycles,umask=2,cmask=1/", 0, 4, 0x0100023c, 0, 0, NULL },
		/* the user's term instead of the event's own */
		{ "cpu/topdown-retiring,umask=0x81/", 0, 4, 0x8100, 0, 0,
		  "cpu/event=0x0,umask=0x81/" },
		/* a period is for sampling */
		{ "cpu/sampled/", 0, 4, 0xd0, 0, 0, NULL },
		{ "energy-pkg", 0, 12, 2, 0, 0, "power/event=0x2/" },
	};

	(void)state;
	boot(fake_x86);
	RESOLVES(list);
}

static void bad_terms_are_refused_and_the_field_named(void **state)
{
	static const struct refused list[] = {
		{ "cpu/umask=0x100/", 0, -EINVAL, -EINVAL,
		  "0x100 is too large for 'umask' of PMU 'cpu', which has 8 bits (0xff at most)" },
		{ "cpu/event=0x1000/", 0, -EINVAL, -EINVAL,
		  "'event' of PMU 'cpu', which has 12 bits" },
		{ "cpu/event=1,edge=2/", 0, -EINVAL, -EINVAL, "1 bits" },
		{ "cpu/config=0x10000000000000000/", 0, -EINVAL, -EINVAL, "64 bits" },
		{ "cpu/event=0x/", 0, -EINVAL, -EINVAL, "'0x' is no value for 'event'" },
		{ "cpu/event=three/", 0, -EINVAL, -EINVAL, "'three'" },
		{ "cpu/event=-1/", 0, -EINVAL, -EINVAL, "'-1'" },
		{ "cpu/event=1.5/", 0, -EINVAL, -EINVAL, "'1.5'" },
		{ "cpu/event=?/", 0, -EINVAL, -EINVAL, "'?'" },
		{ "cpu/event=1,umsk=1/", 0, -ENOENT, -ENOENT, "'umsk': did you mean umask?" },
		{ "cpu/cpu-cycels/", 0, -ENOENT, -ENOENT, "did you mean cpu-cycles?" },
		{ "cpu/nothing-like-it/", 0, -ENOENT, -ENOENT,
		  "PMU 'cpu' has no event or term 'nothing-like-it'" },
		{ "cpu/energy-pkg/", 0, -ENOENT, -ENOENT, "'energy-pkg'" },
		{ "power/energy-pkg.unit/", 0, -ENOENT, -ENOENT, "'energy-pkg.unit'" },
		{ "cpu/event=1,period=1000/", 0, -EINVAL, -EINVAL, "'period' means nothing" },
		{ "cpu/event=1,freq=99/", 0, -EINVAL, -EINVAL, "'freq' means nothing" },
		{ "cpu/mem-loads/", 0, -EINVAL, -EINVAL, "needs a value for 'ldat'" },
		{ "cpu/mem-loads,ldat/", 0, -EINVAL, -EINVAL, "needs a value for 'ldat'" },
		{ "mem-loads", 0, -EINVAL, -EINVAL, "needs a value for 'ldat'" },
		{ "cpu/cpu-cycles,branch-misses/", 0, -EINVAL, -EINVAL, "two events" },
		{ "cpu/broken=1/", 0, -EIO, -EIO, "format/broken is broken" },
		{ "cpu/wrong-term/", 0, -EIO, -EIO, "events/wrong-term is broken at 'flavour'" },
		{ "cpu/empty/", 0, -EIO, -EIO, "events/empty is broken" },
		{ "power/energy-bad/", 0, -EIO, -EIO, "no factor: 'much'" },
		{ "cycles/umask=1/", 0, -EINVAL, -EINVAL, "'umask' means nothing to 'cycles'" },
		{ "cycles/config=x/", 0, -EINVAL, -EINVAL, "'x' is no value for 'config'" },
		{ "cpu/name=x/", 0, -EINVAL, -EINVAL, "no event" },
	};

	(void)state;
	boot(fake_x86);
	REFUSES(list);
}

static void unknown_names_get_near_ones(void **state)
{
	static const struct refused list[] = {
		{ "cycels", 0, -ENOENT, -ENOENT, "unknown event 'cycels': did you mean cycles" },
		{ "instructionz:u", 0, -ENOENT, -ENOENT,
		  "'instructionz': did you mean instructions?" },
		{ "L1-dcache-load-mises", 0, -ENOENT, -ENOENT,
		  "did you mean L1-dcache-load-misses" },
		{ "l1_dcache_loads", 0, -ENOENT, -ENOENT, "did you mean L1-dcache-loads" },
		{ "topdown-retirng", 0, -ENOENT, -ENOENT, "did you mean topdown-retiring?" },
		{ "sched_switch", 0, -ENOENT, -ENOENT, "did you mean sched:sched_switch?" },
		{ "L1-dcache-load-m", 0, -ENOENT, -ENOENT, "did you mean L1-dcache-load-misses" },
		{ "LLC-", 0, -ENOENT, -ENOENT, "did you mean LLC-loads" },
		{ "cpu", 0, -ENOENT, -ENOENT, "did you mean cpu-cycles, cpu-clock" },
		{ "LLC-loads-loads", 0, -ENOENT, -ENOENT, "'LLC-loads-loads'" },
		{ "CYCLESS", 0, -ENOENT, -ENOENT, "did you mean cycles" },
		{ "zzzzqqqq", 0, -ENOENT, -ENOENT, "unknown event 'zzzzqqqq'" },
		{ "cpy/cycles/", 0, -ENOENT, -ENOENT,
		  "no PMU 'cpy' on this machine: did you mean cpu?" },
		{ "zzzz/cycles/", 0, -ENOENT, -ENOENT, "no PMU 'zzzz' on this machine" },
		{ "sched:sched_swich", 0, -ENOENT, -ENOENT,
		  "unknown tracepoint 'sched_swich' in sched: did you mean sched_switch?" },
		{ "shced:sched_switch", 0, -ENOENT, -ENOENT,
		  "unknown tracepoint system 'shced': did you mean sched?" },
		{ "sched:enable", 0, -ENOENT, -ENOENT, "unknown tracepoint 'enable'" },
		{ "sched:broken", 0, -EIO, -EIO, "broken" },
		{ "sched:sched_switch:z", 0, -EINVAL, -EINVAL, "unknown modifier 'z'" },
		{ "zz::YY:XX", 0, -ENOENT, -ENOENT, "unknown event 'zz::YY:XX'" },
		{ "L1-icache-stores", 0, -EINVAL, -EINVAL, "no cache has" },
		{ "duration_time", 0, -EINVAL, -EINVAL, "'duration_time'" },
		{ "mem:0x1000:rw", 0, -EINVAL, -EINVAL, "breakpoint" },
		{ "mem:0x1000", 0, -EINVAL, -EINVAL, "breakpoint" },
	};

	(void)state;
	boot(fake_x86);
	REFUSES(list);
}

static void at_most_three_names_are_offered(void **state)
{
	static const char *const names[] = { "abcdx", "abcdy", "abcde", "abcdz", "abxde", NULL };
	char text[NEAR_TEXT_MAX];
	struct near near;

	(void)state;
	near_start(&near, "abcde1");
	for (size_t i = 0; names[i]; i++)
		near_offer(&near, names[i]);
	near_offer(&near, "abcde");
	near_text(&near, text);
	assert_string_equal(text, ": did you mean abcde, abcdx or abcdy?");
	/* swapped neighbours are one slip, and four letters allow no more */
	near_start(&near, "abdc");
	near_offer(&near, "abcd");
	near_offer(&near, "bbcc");
	near_text(&near, text);
	assert_string_equal(text, ": did you mean abcd?");
	near_start(&near, "far");
	near_offer(&near, "away");
	near_text(&near, text);
	assert_string_equal(text, "");
}

static void units_and_scales_come_from_sysfs(void **state)
{
	struct event_attr out;

	(void)state;
	boot(fake_x86);
	assert_int_equal(resolve("power/energy-pkg/", 0, &out, NULL), 0);
	assert_string_equal(out.unit, "Joules");
	assert_true(out.scale == 2.3283064365386962890625e-10);
	assert_int_equal(resolve("cycles", 0, &out, NULL), 0);
	assert_string_equal(out.unit, "");
	assert_true(out.scale == 1.0);
}

static void hybrid_cpus_get_their_own_pmus_type(void **state)
{
	static const struct expectation list[] = {
		{ "cycles", 0, 0, 4ULL << 32, 0, 0, "cpu_core/cycles/" },
		{ "cycles", 4, 0, 10ULL << 32, 0, 0, "cpu_atom/cycles/" },
		{ "LLC-load-misses", 3, 3, 4ULL << 32 | 0x10002, 0, 0, NULL },
		{ "LLC-load-misses", 7, 3, 10ULL << 32 | 0x10002, 0, 0, NULL },
		{ "r11", 0, 4, 0x11, 0, 0, NULL },
		{ "r11", 5, 10, 0x11, 0, 0, NULL },
		{ "cpu_core/cycles/", 3, 4, 0x3c, 0, 0, NULL },
		{ "cpu_atom/cycles/", 4, 10, 0x3c, 0, 0, NULL },
		{ "cpu_atom/LLC-loads/", 4, 3, 10ULL << 32 | 2, 0, 0, "cpu_atom/LLC-loads/" },
		{ "mem-stores", 0, 4, 0x2cd, 0, 0, NULL },
		{ "mem-stores", 7, 10, 0x6d0, 0, 0, NULL },
		{ "topdown-retiring", 0, 4, 0x8000, 0, 0, NULL },
		{ "cpu-clock", 5, 1, 0, 0, 0, "software/cpu-clock/" },
		{ "sched:sched_switch", 5, 2, 314, 0, 0, "tracepoint/sched:sched_switch/" },
	};
	static const struct refused elsewhere[] = {
		{ "cpu_core/cycles/", 4, -EOPNOTSUPP, 0, "on CPUs 0-3, not on CPU 4" },
		{ "cpu_atom/cycles/", 0, -EOPNOTSUPP, 0, "on CPUs 4-7, not on CPU 0" },
		{ "cpu_core/LLC-loads/", 6, -EOPNOTSUPP, 0, "cpu_core" },
		{ "topdown-retiring", 4, -EOPNOTSUPP, 0, "'cpu_core', which does not serve" },
		{ "cpu_atom/topdown-retiring/", 4, -ENOENT, -ENOENT, "'topdown-retiring'" },
		{ "cycles", 8, -EOPNOTSUPP, 0, "no hardware PMU" },
	};

	(void)state;
	boot(fake_hybrid);
	RESOLVES(list);
	REFUSES(elsewhere);
}

static void big_little_needs_no_type_for_generic_events(void **state)
{
	static const struct expectation list[] = {
		{ "cycles", 0, 0, 0, 1, 0, "armv8_cortex_a53/cycles/" },
		{ "cycles", 5, 0, 0, 1, 0, "armv8_cortex_a72/cycles/" },
		{ "r11", 5, 4, 0x11, 0, 0, NULL },
		{ "armv8_cortex_a72/cycles/", 4, 0, 0, 1, 0, NULL },
		{ "armv8_cortex_a53/event=0x11/", 0, 8, 0x11, 0, 0, NULL },
		{ "l2d_cache", 4, 9, 0x16, 0, 0, NULL },
	};
	static const struct refused elsewhere[] = {
		{ "armv8_cortex_a72/cycles/", 0, -EOPNOTSUPP, 0, "armv8_cortex_a72" },
		{ "l2d_cache", 0, -EOPNOTSUPP, 0, "armv8_cortex_a72" },
	};

	(void)state;
	boot(fake_big_little);
	RESOLVES(list);
	REFUSES(elsewhere);
}

static void only_cycles_ask_for_a_64_bit_counter(void **state)
{
	static const struct expectation list[] = {
		{ "cycles", 0, 0, 0, 1, 0, "armv8_pmuv3/cycles/" },
		{ "cpu-cycles:u", 0, 0, 0, 1, 0, NULL },
		{ "armv8_pmuv3/cycles/", 0, 0, 0, 1, 0, "armv8_pmuv3/cycles/" },
		{ "instructions", 0, 0, 1, 0, 0, NULL },
		{ "LLC-loads", 0, 3, 2, 0, 0, NULL },
		{ "armv8_pmuv3/l2d_cache/", 0, 8, 0x16, 0, 0, "armv8_pmuv3/event=0x16/" },
		{ "l2d_cache", 0, 8, 0x16, 0, 0, NULL },
		{ "armv8_pmuv3/inst_retired,long/", 0, 8, 8, 1, 0, NULL },
	};

	(void)state;
	boot(fake_arm64);
	RESOLVES(list);
}

static void a_field_named_long_elsewhere_is_left_alone(void **state)
{
	static const struct expectation cycles[] = { { "cycles", 0, 0, 0, 0, 0, NULL } };

	(void)state;
	boot(fake_x86);
	RESOLVES(cycles);
	fake_tree_write(machine.root, PMU "cpu/format/long", "config:40\n", 10);
	RESOLVES(cycles);
}

static void uncore_events_are_counted_on_the_cpus_of_the_mask(void **state)
{
	static const struct expectation list[] = {
		{ "uncore_imc_0/cas_count_read/", 0, 14, 0x304, 0, 0, NULL },
		{ "uncore_imc_0/cas_count_read/", 4, 14, 0x304, 0, 0, NULL },
		{ "uncore_imc_1/event=4,umask=3/", 4, 15, 0x304, 0, 0, NULL },
		{ "energy-pkg", 4, 16, 2, 0, 0, NULL },
		{ "only_here", 0, 14, 9, 0, 0, NULL },
	};
	static const struct refused elsewhere[] = {
		{ "uncore_imc_0/cas_count_read/", 1, -EOPNOTSUPP, 0, "on CPUs 0,4, not on CPU 1" },
		{ "energy-pkg", 7, -EOPNOTSUPP, 0, "on CPUs 0,4" },
		{ "cas_count_read", 0, -EINVAL, -EINVAL,
		  "2 PMUs, say which: uncore_imc_0/cas_count_read/, uncore_imc_1/cas_count_read/" },
		{ "uncore_imc/cas_count_read/", 0, -ENOENT, -ENOENT,
		  "did you mean uncore_imc_0 or uncore_imc_1?" },
	};

	(void)state;
	boot(fake_uncore);
	RESOLVES(list);
	REFUSES(elsewhere);
}

static void a_guest_without_a_pmu_knows_the_names_and_cannot_count_them(void **state)
{
	static const struct expectation list[] = {
		{ "cpu-clock", 0, 1, 0, 0, 0, NULL },
		{ "faults", 1, 1, 2, 0, 0, NULL },
		{ "tsc", 1, 9, 0, 0, 0, NULL },
		{ "software/config=3/", 0, 1, 3, 0, 0, NULL },
	};
	static const struct refused hardware[] = {
		{ "cycles", 0, -EOPNOTSUPP, 0, "no hardware PMU" },
		{ "LLC-loads", 1, -EOPNOTSUPP, 0, "no hardware PMU" },
		{ "r11", 0, -EOPNOTSUPP, 0, "no hardware PMU" },
		{ "cycles/config1=1/", 0, -EOPNOTSUPP, 0, "no hardware PMU" },
		{ "cpu/cycles/", 0, -ENOENT, -ENOENT, "no PMU 'cpu'" },
	};

	(void)state;
	boot(fake_guest);
	RESOLVES(list);
	REFUSES(hardware);
}

static void tracepoints_say_when_tracefs_is_missing_or_closed(void **state)
{
	static const struct refused missing[] = {
		{ "sched:sched_switch", 0, -ENOENT, -ENOENT,
		  "tracefs, and it is not mounted at /tmp/" },
	};
	static const struct expectation old_place[] = {
		{ "sched:sched_switch", 0, 2, 99, 0, 0, NULL },
	};

	(void)state;
	boot(fake_guest);
	fake_tree_delete(machine.root, "/sys/kernel/tracing");
	fake_tree_add(machine.root, (const struct fake_file[]){ { "/sys/kernel/tracing", NULL },
								{ NULL, NULL } });
	REFUSES(missing);
	fake_tree_write(machine.root, "/sys/kernel/debug/tracing/events/sched/sched_switch/id",
			"99\n", 3);
	RESOLVES(old_place);
}

static void tracepoints_say_when_this_user_may_not_read_tracefs(void **state)
{
	struct refusal why = { 0 };
	struct event_spec spec;
	char path[PATH_MAX];
	int error;

	(void)state;
	boot(fake_guest);
	snprintf(path, sizeof(path), "%s/sys/kernel/tracing/events", machine.root);
	assert_int_equal(chmod(machine.root, 0755), 0);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(event_spec_parse("sched:sched_switch", 18, &spec, NULL), 0);
	/* root may read everything */
	if (!geteuid())
		assert_int_equal(seteuid(65534), 0);
	error = event_check(machine.resolver, &spec, &why);
	if (!getuid())
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(path, 0755), 0);
	event_spec_free(&spec);
	assert_int_equal(error, -EACCES);
	assert_non_null(strstr(why.message, "may not read"));
}

static void modifiers_set_what_perf_stat_sets(void **state)
{
	static const struct {
		const char *word;
		bool user, kernel, hv, host, guest, idle, pinned, exclusive;
		unsigned int precise;
	} list[] = {
		{ "cycles", 0, 0, 0, 0, 1, 0, 0, 0, 0 },
		{ "cycles:u", 0, 1, 1, 0, 1, 0, 0, 0, 0 },
		{ "cycles:k", 1, 0, 1, 0, 0, 0, 0, 0, 0 },
		{ "cycles:uG", 0, 1, 1, 1, 0, 0, 0, 0, 0 },
		{ "cycles:GH", 0, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "cycles:ppI", 0, 0, 0, 0, 1, 1, 0, 0, 2 },
		{ "cycles:De", 0, 0, 0, 0, 0, 0, 1, 1, 0 },
		/* what refuses every exclude_* bit is not asked for one */
		{ "power/energy-pkg/", 0, 0, 0, 0, 0, 0, 0, 0, 0 },
		{ "power/energy-pkg/u", 0, 1, 1, 0, 0, 0, 0, 0, 0 },
	};

	(void)state;
	boot(fake_x86);
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++) {
		struct event_attr out;

		assert_int_equal(resolve(list[i].word, 0, &out, NULL), 0);
		assert_int_equal(out.attr.exclude_user, list[i].user);
		assert_int_equal(out.attr.exclude_kernel, list[i].kernel);
		assert_int_equal(out.attr.exclude_hv, list[i].hv);
		assert_int_equal(out.attr.exclude_host, list[i].host);
		assert_int_equal(out.attr.exclude_guest, list[i].guest);
		assert_int_equal(out.attr.exclude_idle, list[i].idle);
		assert_int_equal(out.attr.pinned, list[i].pinned);
		assert_int_equal(out.attr.exclusive, list[i].exclusive);
		assert_int_equal(out.attr.precise_ip, list[i].precise);
		assert_int_equal(out.attr.disabled, 0);
		assert_int_equal(out.attr.inherit, 0);
		assert_int_equal(out.attr.sample_type, 0);
		assert_int_equal(out.attr.read_format, 0);
	}
}

static void config3_is_set_or_refused(void **state)
{
	struct refusal why = { 0 };
	struct event_attr out;

	(void)state;
	boot(fake_x86);
#ifdef PERF_ATTR_SIZE_VER8
	assert_int_equal(resolve("cpu/event=1,acr_mask=7/", 0, &out, &why), 0);
	assert_int_equal(out.attr.config3, 7);
#else
	assert_int_equal(resolve("cpu/event=1,acr_mask=7/", 0, &out, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.message, "config3"));
#endif
}

static void vendor_names_are_encoded_for_the_cpus_model(void **state)
{
	static const struct expectation list[] = {
		{ "INST_RETIRED", 0, 4, 0xc0, 0, 0, NULL },
		{ "INST_RETIRED:ANY_P", 0, 4, 0xc0, 0, 0, NULL },
		{ "skl::MEM_LOAD_RETIRED:L1_HIT:u", 0, 4, 0x1d1, 0, 0, NULL },
		{ "MEM_LOAD_RETIRED:L1_HIT:c=2", 0, 4, 0x20001d1, 0, 0, NULL },
	};
	static const struct refused bad[] = {
		{ "MEM_LOAD_RETIRED", 0, -EINVAL, -EINVAL, "unit mask" },
		{ "MEM_LOAD_RETIRED:L9_HIT", 0, -EINVAL, -EINVAL, "MEM_LOAD_RETIRED:L9_HIT" },
		{ "INST_RETIRED:period=3", 0, -EINVAL, -EINVAL, "no period" },
		{ "INST_RETIERD", 0, -ENOENT, -ENOENT, "did you mean INST_RETIRED?" },
	};
	struct event_attr out;

	(void)state;
	boot(fake_x86);
	RESOLVES(list);
	REFUSES(bad);
	assert_int_equal(resolve("skl::MEM_LOAD_RETIRED:L1_HIT:u", 0, &out, NULL), 0);
	assert_int_equal(out.attr.exclude_kernel, 1);
	assert_int_equal(out.attr.exclude_user, 0);
	assert_non_null(strstr(out.backing, "skl::MEM_LOAD_RETIRED:L1_HIT"));
	assert_int_equal(resolve("MEM_LOAD_RETIRED:L1_HIT:u=1:c=1", 0, &out, NULL), 0);
	assert_int_equal(out.attr.exclude_kernel, 1);
	assert_int_equal(out.attr.exclude_user, 0);
}

static void formats_are_parsed_or_refused(void **state)
{
	static const struct {
		const char *line;
		int error;
		unsigned int word;
		uint64_t bits;
	} lines[] = {
		{ "config:0-7", 0, 0, 0xff },
		{ "config:0-7,32-35", 0, 0, 0xf000000ff },
		{ "config1:0", 0, 1, 1 },
		{ "config2:63", 0, 2, 1ULL << 63 },
		{ "config3:0-63", 0, 3, ~0ULL },
		{ "config:0-64", -EINVAL, 0, 0 },
		{ "config:64", -EINVAL, 0, 0 },
		{ "config:7-0", -EINVAL, 0, 0 },
		{ "config:", -EINVAL, 0, 0 },
		{ "config", -EINVAL, 0, 0 },
		{ "config4:0", -EINVAL, 0, 0 },
		{ "confi:0", -EINVAL, 0, 0 },
		{ "config:0-7,", -EINVAL, 0, 0 },
		{ "config:0-7 ", -EINVAL, 0, 0 },
		{ "", -EINVAL, 0, 0 },
		{ ":", -EINVAL, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct format_field field = { 0 };

		if (format_parse(lines[i].line, &field) != lines[i].error)
			fail_msg("'%s'", lines[i].line);
		assert_int_equal(field.word, lines[i].word);
		assert_int_equal(field.bits, lines[i].bits);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(terms_go_to_the_bits_of_their_fields),
		TEST(named_events_are_found_with_and_without_their_pmu),
		TEST(bad_terms_are_refused_and_the_field_named),
		TEST(unknown_names_get_near_ones),
		TEST(at_most_three_names_are_offered),
		TEST(units_and_scales_come_from_sysfs),
		TEST(hybrid_cpus_get_their_own_pmus_type),
		TEST(big_little_needs_no_type_for_generic_events),
		TEST(only_cycles_ask_for_a_64_bit_counter),
		TEST(a_field_named_long_elsewhere_is_left_alone),
		TEST(uncore_events_are_counted_on_the_cpus_of_the_mask),
		TEST(a_guest_without_a_pmu_knows_the_names_and_cannot_count_them),
		TEST(tracepoints_say_when_tracefs_is_missing_or_closed),
		TEST(tracepoints_say_when_this_user_may_not_read_tracefs),
		TEST(modifiers_set_what_perf_stat_sets),
		TEST(config3_is_set_or_refused),
		TEST(vendor_names_are_encoded_for_the_cpus_model),
		TEST(formats_are_parsed_or_refused),
	};

	/* libpfm4 knows the events of the model it runs on; let that be the same everywhere */
	setenv("LIBPFM_FORCE_PMU", "skl", 1);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
