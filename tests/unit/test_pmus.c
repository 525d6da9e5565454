// SPDX-License-Identifier: GPL-2.0-only
/* cpu/pmus.h: which PMUs a machine has and which CPUs each serves, on made-up machines. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"
#include "cpu/pmus.h"
#include "fake_tree.h"

#define CPU "/sys/devices/system/cpu/"
#define PMU "/sys/bus/event_source/devices/"

struct machine {
	char *root;
	struct cpus cpus;
	struct pmus pmus;
};

static struct machine machine;
static unsigned int log_lines;
static char last_line[512];

static void count_lines(int level, const char *line)
{
	(void)level;
	log_lines++;
	snprintf(last_line, sizeof(last_line), "%s", line);
}

static void boot(const struct fake_file *files)
{
	machine.root = fake_tree_new(files);
	assert_int_equal(cpus_read(machine.root, &machine.cpus, NULL), 0);
}

static void read_pmus(void)
{
	assert_int_equal(pmus_read(machine.root, &machine.cpus, &machine.pmus, NULL), 0);
}

static int setup(void **state)
{
	(void)state;
	memset(&machine, 0, sizeof(machine));
	log_lines = 0;
	log_set_sink(count_lines);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	pmus_free(&machine.pmus);
	fake_tree_remove(machine.root);
	return 0;
}

static void assert_pmu(const char *name, uint32_t type, enum pmu_class class, const char *cpus)
{
	const struct pmu *pmu = pmus_find(&machine.pmus, name);
	char list[64];

	if (!pmu)
		fail_msg("no PMU %s", name);
	assert_int_equal(pmu->type, type);
	assert_int_equal(pmu->class, class);
	assert_int_equal(cpu_list_format(&pmu->cpus, list, sizeof(list)), 0);
	assert_string_equal(list, cpus);
	assert_ptr_equal(pmus_find_type(&machine.pmus, type), pmu);
}

static void a_guest_without_a_pmu_has_no_core_pmu(void **state)
{
	(void)state;
	boot(fake_guest);
	read_pmus();
	assert_int_equal(machine.pmus.count, 4);
	assert_pmu("msr", 9, PMU_SOFTWARE, "0-1");
	assert_pmu("software", 1, PMU_SOFTWARE, "0-1");
	assert_null(pmus_core(&machine.pmus, 0));
	assert_false(pmus_hybrid(&machine.pmus));
	assert_null(pmus_find(&machine.pmus, "cpu"));
	assert_null(pmus_find_type(&machine.pmus, 4));
}

static void one_core_pmu_serves_all_cpus(void **state)
{
	(void)state;
	boot(fake_x86);
	read_pmus();
	assert_pmu("cpu", 4, PMU_CORE, "0-3");
	assert_pmu("power", 12, PMU_UNCORE, "0");
	for (unsigned int cpu = 0; cpu < 4; cpu++)
		assert_ptr_equal(pmus_core(&machine.pmus, cpu), pmus_find(&machine.pmus, "cpu"));
	assert_null(pmus_core(&machine.pmus, 4));
	assert_false(pmus_hybrid(&machine.pmus));
}

static void hybrid_cpus_have_each_their_own_core_pmu(void **state)
{
	(void)state;
	boot(fake_hybrid);
	read_pmus();
	assert_pmu("cpu_core", 4, PMU_CORE, "0-3");
	assert_pmu("cpu_atom", 10, PMU_CORE, "4-7");
	assert_string_equal(pmus_core(&machine.pmus, 3)->name, "cpu_core");
	assert_string_equal(pmus_core(&machine.pmus, 4)->name, "cpu_atom");
	assert_true(pmus_hybrid(&machine.pmus));
	/* core PMUs first, then by name */
	assert_string_equal(machine.pmus.list[0].name, "cpu_atom");
	assert_string_equal(machine.pmus.list[1].name, "cpu_core");
	assert_string_equal(machine.pmus.list[2].name, "software");
}

static void arm64_core_pmus_are_known_by_their_cpus(void **state)
{
	(void)state;
	boot(fake_big_little);
	read_pmus();
	assert_string_equal(pmus_core(&machine.pmus, 0)->name, "armv8_cortex_a53");
	assert_string_equal(pmus_core(&machine.pmus, 5)->name, "armv8_cortex_a72");
	assert_true(pmus_hybrid(&machine.pmus));
}

static void core_pmus_of_other_machines_are_known_by_type_or_name(void **state)
{
	static const struct fake_file others[] = {
		{ CPU "possible", "0\n" },
		{ CPU "online", "0\n" },
		{ PMU "cpum_cf/type", "8\n" },
		{ PMU "cpum_sf/type", "9\n" },
		{ NULL, NULL },
	};

	(void)state;
	boot(others);
	read_pmus();
	assert_pmu("cpum_cf", 8, PMU_CORE, "0");
	assert_pmu("cpum_sf", 9, PMU_SOFTWARE, "0");
}

static void an_uncore_pmu_is_read_on_the_cpus_of_its_mask(void **state)
{
	(void)state;
	boot(fake_uncore);
	read_pmus();
	assert_pmu("uncore_imc_0", 14, PMU_UNCORE, "0,4");
	assert_pmu("uncore_imc_1", 15, PMU_UNCORE, "0,4");
}

static void a_mask_moves_with_hotplug_and_pointers_stay(void **state)
{
	static const struct fake_file after[] = {
		{ CPU "online", "1-7\n" },
		{ PMU "uncore_imc_0/cpumask", "1,4\n" },
		{ PMU "uncore_imc_1/cpumask", "rubbish\n" },
		{ NULL, NULL },
	};
	const struct pmu *moved;

	(void)state;
	boot(fake_uncore);
	read_pmus();
	moved = pmus_find(&machine.pmus, "uncore_imc_0");
	fake_tree_add(machine.root, after);
	pmus_refresh(&machine.pmus, &machine.cpus);
	assert_ptr_equal(pmus_find(&machine.pmus, "uncore_imc_0"), moved);
	assert_pmu("uncore_imc_0", 14, PMU_UNCORE, "1,4");
	/* what cannot be read keeps its old value, and one line says so */
	assert_pmu("uncore_imc_1", 15, PMU_UNCORE, "0,4");
	assert_int_equal(log_lines, 1);
	assert_non_null(strstr(last_line, "uncore_imc_1"));
	/* the core PMU has no file of CPUs and goes on serving all */
	assert_pmu("cpu", 4, PMU_CORE, "0-7");
}

static void a_broken_pmu_is_left_out_and_the_others_kept(void **state)
{
	static const struct fake_file broken[] = {
		{ PMU "no_type/format/event", "config:0-7\n" },
		{ PMU "empty_type/type", "" },
		{ PMU "cut_type/type", "1" },
		{ PMU "word_type/type", "four\n" },
		{ PMU "minus_type/type", "-1\n" },
		{ PMU "huge_type/type", "4294967296\n" },
		{ PMU "cut_mask/type", "20\n" },
		{ PMU "cut_mask/cpumask", "0-" },
		{ PMU "bad_cpus/type", "21\n" },
		{ PMU "bad_cpus/cpus", "3-1\n" },
		{ PMU "type_is_directory/type/x", "1\n" },
		{ PMU "a_file", "1\n" },
		{ NULL, NULL },
	};

	(void)state;
	boot(fake_x86);
	fake_tree_add(machine.root, broken);
	read_pmus();
	assert_int_equal(machine.pmus.count, 4);
	assert_int_equal(log_lines, 10);
	assert_pmu("cpu", 4, PMU_CORE, "0-3");
	assert_pmu("power", 12, PMU_UNCORE, "0");
}

static void masks_hold_no_cpus_that_cannot_be(void **state)
{
	static const struct fake_file wide[] = {
		{ PMU "uncore_wide/type", "30\n" },
		{ PMU "uncore_wide/cpumask", "0-4095\n" },
		{ PMU "uncore_none/type", "31\n" },
		{ PMU "uncore_none/cpumask", "\n" },
		{ NULL, NULL },
	};

	(void)state;
	boot(fake_x86);
	fake_tree_add(machine.root, wide);
	read_pmus();
	assert_pmu("uncore_wide", 30, PMU_UNCORE, "0-3");
	assert_pmu("uncore_none", 31, PMU_UNCORE, "");
}

static void a_kernel_without_perf_is_an_error(void **state)
{
	struct refusal why = { 0 };

	(void)state;
	boot(fake_x86);
	fake_tree_delete(machine.root, "/sys/bus/event_source");
	assert_int_equal(pmus_read(machine.root, &machine.cpus, &machine.pmus, &why), -ENOENT);
	assert_non_null(strstr(why.message, "no perf"));
}

static void a_bus_without_pmus_is_none(void **state)
{
	(void)state;
	boot(fake_x86);
	fake_tree_delete(machine.root, "/sys/bus/event_source");
	fake_tree_add(machine.root,
		      (const struct fake_file[]){ { "/sys/bus/event_source/devices", NULL },
						  { NULL, NULL } });
	read_pmus();
	assert_int_equal(machine.pmus.count, 0);
	assert_null(pmus_core(&machine.pmus, 0));
	assert_false(pmus_hybrid(&machine.pmus));
}

static void the_real_machine_has_software_events(void **state)
{
	(void)state;
	assert_int_equal(cpus_read("", &machine.cpus, NULL), 0);
	assert_int_equal(pmus_read("", &machine.cpus, &machine.pmus, NULL), 0);
	assert_non_null(pmus_find(&machine.pmus, "software"));
	assert_int_equal(pmus_find(&machine.pmus, "software")->type, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_guest_without_a_pmu_has_no_core_pmu, setup,
						teardown),
		cmocka_unit_test_setup_teardown(one_core_pmu_serves_all_cpus, setup, teardown),
		cmocka_unit_test_setup_teardown(hybrid_cpus_have_each_their_own_core_pmu, setup,
						teardown),
		cmocka_unit_test_setup_teardown(arm64_core_pmus_are_known_by_their_cpus, setup,
						teardown),
		cmocka_unit_test_setup_teardown(
			core_pmus_of_other_machines_are_known_by_type_or_name, setup, teardown),
		cmocka_unit_test_setup_teardown(an_uncore_pmu_is_read_on_the_cpus_of_its_mask,
						setup, teardown),
		cmocka_unit_test_setup_teardown(a_mask_moves_with_hotplug_and_pointers_stay, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_broken_pmu_is_left_out_and_the_others_kept, setup,
						teardown),
		cmocka_unit_test_setup_teardown(masks_hold_no_cpus_that_cannot_be, setup, teardown),
		cmocka_unit_test_setup_teardown(a_kernel_without_perf_is_an_error, setup, teardown),
		cmocka_unit_test_setup_teardown(a_bus_without_pmus_is_none, setup, teardown),
		cmocka_unit_test_setup_teardown(the_real_machine_has_software_events, setup,
						teardown),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
