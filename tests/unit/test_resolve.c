// SPDX-License-Identifier: GPL-2.0-only
/* event/resolve.h: attributes of events on a made-up x86 machine, and what is refused there. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "expectations.h"

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
	machine_boot(fake_x86);
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
	machine_boot(fake_x86);
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
	machine_boot(fake_x86);
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
	machine_boot(fake_x86);
	REFUSES(list);
}

static void units_and_scales_come_from_sysfs(void **state)
{
	struct event_attr out;

	(void)state;
	machine_boot(fake_x86);
	assert_int_equal(resolve("power/energy-pkg/", 0, &out, NULL), 0);
	assert_string_equal(out.unit, "Joules");
	assert_true(out.scale == 2.3283064365386962890625e-10);
	assert_int_equal(resolve("cycles", 0, &out, NULL), 0);
	assert_string_equal(out.unit, "");
	assert_true(out.scale == 1.0);
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
	machine_boot(fake_x86);
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
	machine_boot(fake_x86);
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
	machine_boot(fake_x86);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(terms_go_to_the_bits_of_their_fields),
		TEST(named_events_are_found_with_and_without_their_pmu),
		TEST(bad_terms_are_refused_and_the_field_named),
		TEST(unknown_names_get_near_ones),
		TEST(units_and_scales_come_from_sysfs),
		TEST(modifiers_set_what_perf_stat_sets),
		TEST(config3_is_set_or_refused),
		TEST(vendor_names_are_encoded_for_the_cpus_model),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, the_model_is_skylake, NULL);
}
