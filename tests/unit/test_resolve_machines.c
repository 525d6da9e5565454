// SPDX-License-Identifier: GPL-2.0-only
/* event/resolve.h on machines of other kinds: hybrid, arm64, uncore PMUs, no PMU, no tracefs. */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "expectations.h"

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
	machine_boot(fake_hybrid);
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
	machine_boot(fake_big_little);
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
	machine_boot(fake_arm64);
	RESOLVES(list);
}

static void a_field_named_long_elsewhere_is_left_alone(void **state)
{
	static const struct expectation cycles[] = { { "cycles", 0, 0, 0, 0, 0, NULL } };

	(void)state;
	machine_boot(fake_x86);
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
	machine_boot(fake_uncore);
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
	machine_boot(fake_guest);
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
	machine_boot(fake_guest);
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
	machine_boot(fake_guest);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hybrid_cpus_get_their_own_pmus_type),
		TEST(big_little_needs_no_type_for_generic_events),
		TEST(only_cycles_ask_for_a_64_bit_counter),
		TEST(a_field_named_long_elsewhere_is_left_alone),
		TEST(uncore_events_are_counted_on_the_cpus_of_the_mask),
		TEST(a_guest_without_a_pmu_knows_the_names_and_cannot_count_them),
		TEST(tracepoints_say_when_tracefs_is_missing_or_closed),
		TEST(tracepoints_say_when_this_user_may_not_read_tracefs),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, the_model_is_skylake, NULL);
}
