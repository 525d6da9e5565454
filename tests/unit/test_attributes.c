// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event name comes to, compared with what the real `perf stat -vv -a` prints for it. perf
 * prints its attributes even where the kernel refuses them, so that no hardware PMU is needed: ours
 * are resolved on a made-up machine that has one, with the real machine's other PMUs and tracefs.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cmocka.h>

#include "event/resolve.h"
#include "fake_tree.h"

#define PMU	"/sys/bus/event_source/devices/"
#define TRACEFS "/sys/kernel/tracing"

static const struct fake_file machine_files[] = {
	{ "/sys/devices/system/cpu/possible", "0\n" },
	{ "/sys/devices/system/cpu/online", "0\n" },
	{ PMU "cpu/type", "4\n" },
	{ NULL, NULL },
};

static char *root;
static struct cpus cpus;
static struct pmus pmus;
static struct event_resolver *resolver;
static bool have_perf, have_tracefs;
static char perf_version[64];

/* The fields that a name decides; all others of perf's are of its use. */
enum {
	TYPE,
	CONFIG,
	CONFIG1,
	CONFIG2,
	EXCLUDE_USER,
	EXCLUDE_KERNEL,
	EXCLUDE_HV,
	EXCLUDE_HOST,
	EXCLUDE_GUEST,
	EXCLUDE_IDLE,
	PINNED,
	EXCLUSIVE,
	PRECISE_IP,
	FIELDS,
};

static const char *const field_names[FIELDS] = {
	"type",		  "config",	"config1",	"config2",	 "exclude_user",
	"exclude_kernel", "exclude_hv", "exclude_host", "exclude_guest", "exclude_idle",
	"pinned",	  "exclusive",	"precise_ip",
};

/* "  config   0x3c" or "  { bp_addr, config1 }   0x2" */
static void take_line(const char *line, uint64_t fields[FIELDS])
{
	char name[32], value[32];

	if (sscanf(line, " { %*[^,], %31[a-z0-9_] } %31s", name, value) != 2 &&
	    sscanf(line, " %31[a-z0-9_] %31s", name, value) != 2)
		return;
	for (size_t i = 0; i < FIELDS; i++) {
		if (!strcmp(name, field_names[i]))
			fields[i] = strtoull(value, NULL, 0);
	}
}

/*
 * The last attributes that perf tried: it drops what the kernel refuses one by one. False when it
 * printed none.
 */
static bool ask_perf(const char *name, uint64_t fields[FIELDS])
{
	char command[512], line[512];
	bool seen = false, inside = false;
	FILE *perf;

	snprintf(command, sizeof(command), "perf stat -vv -e '%s' -a true 2>&1", name);
	perf = popen(command, "re");
	assert_non_null(perf);
	while (fgets(line, sizeof(line), perf)) {
		if (!strncmp(line, "perf_event_attr:", 16)) {
			memset(fields, 0, FIELDS * sizeof(fields[0]));
			seen = inside = true;
		} else if (line[0] == '-') {
			inside = false;
		} else if (inside) {
			take_line(line, fields);
		}
	}
	pclose(perf);
	return seen;
}

static void ask_ourselves(const char *name, uint64_t fields[FIELDS])
{
	struct refusal why = { 0 };
	struct event_spec spec;
	struct event_attr out;
	const struct perf_event_attr *a = &out.attr;

	if (event_spec_parse(name, strlen(name), &spec, &why) ||
	    event_resolve(resolver, &spec, 0, &out, &why))
		fail_msg("'%s' was refused: %s", name, why.message);
	event_spec_free(&spec);
	fields[TYPE] = a->type;
	fields[CONFIG] = a->config;
	fields[CONFIG1] = a->config1;
	fields[CONFIG2] = a->config2;
	fields[EXCLUDE_USER] = a->exclude_user;
	fields[EXCLUDE_KERNEL] = a->exclude_kernel;
	fields[EXCLUDE_HV] = a->exclude_hv;
	fields[EXCLUDE_HOST] = a->exclude_host;
	fields[EXCLUDE_GUEST] = a->exclude_guest;
	fields[EXCLUDE_IDLE] = a->exclude_idle;
	fields[PINNED] = a->pinned;
	fields[EXCLUSIVE] = a->exclusive;
	fields[PRECISE_IP] = a->precise_ip;
}

static void assert_same_as_perf(const char *const *names, size_t count)
{
	/* which modifiers bring guests in has changed between versions of perf; ours are 6.1's */
	bool same_guests = !strncmp(perf_version, "perf version 6.1.", 17);

	if (!have_perf) {
		print_message("# skip: perf is not installed\n");
		skip();
	}
	for (size_t i = 0; i < count; i++) {
		uint64_t perf[FIELDS] = { 0 }, ours[FIELDS];

		if (!ask_perf(names[i], perf))
			fail_msg("perf printed no attributes for '%s'", names[i]);
		ask_ourselves(names[i], ours);
		for (size_t f = 0; f < FIELDS; f++) {
			if (perf[f] == ours[f] || (f == EXCLUDE_GUEST && !same_guests))
				continue;
			fail_msg("'%s': %s is 0x%llx, perf's is 0x%llx", names[i], field_names[f],
				 (unsigned long long)ours[f], (unsigned long long)perf[f]);
		}
	}
	print_message("# %zu names agree with %s", count, perf_version);
}

#define SAME(...)                                                             \
	do {                                                                  \
		static const char *const names[] = { __VA_ARGS__ };           \
		assert_same_as_perf(names, sizeof(names) / sizeof(names[0])); \
	} while (0)

static void generic_hardware_events_are_perfs(void **state)
{
	(void)state;
	SAME("cycles", "cpu-cycles", "instructions", "cache-references", "cache-misses", "branches",
	     "branch-instructions", "branch-misses", "bus-cycles", "ref-cycles",
	     "stalled-cycles-frontend", "idle-cycles-frontend", "stalled-cycles-backend",
	     "idle-cycles-backend");
}

static void cache_events_and_their_aliases_are_perfs(void **state)
{
	(void)state;
	SAME("L1-dcache-loads", "L1-dcache-load-misses", "L1-dcache-stores",
	     "L1-dcache-store-misses", "L1-dcache-prefetches", "L1-dcache-prefetch-misses",
	     "L1-icache-loads", "L1-icache-load-misses", "L1-icache-prefetches", "LLC-loads",
	     "LLC-load-misses", "LLC-stores", "LLC-store-misses", "LLC-prefetches",
	     "LLC-prefetch-misses", "dTLB-loads", "dTLB-load-misses", "dTLB-stores",
	     "dTLB-store-misses", "iTLB-loads", "iTLB-load-misses", "branch-loads",
	     "branch-load-misses", "node-loads", "node-load-misses", "node-stores",
	     "node-prefetches", "l1d", "l1-d-read", "l1d-loads", "L1-data-write-miss",
	     "L1-dcache-misses", "L1-dcache-misses-load", "l1i-speculative-read", "L2-loads",
	     "d-tlb-read-miss", "Data-TLB-access", "i-tlb-ops", "Instruction-TLB-read", "bpu-refs",
	     "btb-load-misses", "bpc", "branch-Reference", "node-speculative-load-miss");
}

static void software_events_are_perfs(void **state)
{
	(void)state;
	SAME("cpu-clock", "task-clock", "page-faults", "faults", "context-switches", "cs",
	     "cpu-migrations", "migrations", "minor-faults", "major-faults", "alignment-faults",
	     "emulation-faults", "dummy", "bpf-output", "cgroup-switches");
}

static void raw_events_are_perfs(void **state)
{
	(void)state;
	SAME("r0", "r11", "r1a3", "re", "r1A8:u", "rffffffffffffffff", "r11/name=x/");
}

static void modifiers_are_perfs(void **state)
{
	(void)state;
	SAME("cycles:u", "cycles:k", "cycles:h", "cycles:uk", "cycles:kh", "cycles:ukh", "cycles:G",
	     "cycles:H", "cycles:GH", "cycles:uG", "cycles:uGH", "cycles:kG", "cycles:p",
	     "cycles:pp", "cycles:ppp", "cycles:P", "cycles:kp", "cycles:upp", "cycles:Hp",
	     "cycles:pG", "cycles:D", "cycles:Du", "cycles:e", "cycles:I", "cycles:kI",
	     "cycles:ukD", "instructions:Ip", "page-faults:p", "cpu-clock:G", "cs:h", "LLC-loads:u",
	     "task-clock:ppp");
}

static void terms_behind_generic_names_are_perfs(void **state)
{
	(void)state;
	SAME("cycles/name=x/", "cycles/config1=5/", "cpu-clock/config=3/", "cycles/name=x/u");
}

static void pmu_events_of_this_machine_are_perfs(void **state)
{
	(void)state;
	if (access(PMU "msr/format/event", F_OK)) {
		print_message("# skip: this machine has no msr PMU\n");
		skip();
	}
	SAME("msr/tsc/", "msr/TSC/", "tsc", "msr/event=0x1/", "msr/event=010/", "msr/r1/",
	     "msr/config=0x1,config1=2,config2=0x3/", "msr/tsc,name=foo/", "software/config=1/");
}

static void tracepoints_are_perfs(void **state)
{
	(void)state;
	if (!have_tracefs) {
		print_message("# skip: tracefs cannot be mounted here\n");
		skip();
	}
	SAME("sched:sched_switch", "sched:sched_switch:u", "raw_syscalls:sys_enter:k",
	     "raw_syscalls:sys_exit", "irq:softirq_entry", "timer:timer_start:D");
}

static void what_perf_refuses_is_refused(void **state)
{
	static const char *const names[] = {
		"CYCLES",
		"LLC-Loads",
		"l2-loads",
		"L1-D-loads",
		"branches-load",
		"cycles:uu",
		"cycles:pppp",
		"cycles:x",
		"R11",
		"r12345678901234567",
		"L1-icache-stores",
		"iTLB-stores",
		"cpu/cycles",
		"cycels",
		"nosuchpmu/event=1/",
		"msr/event=1,nosuchterm=2/",
		"msr/nosuchevent/",
	};

	(void)state;
	if (!have_perf) {
		print_message("# skip: perf is not installed\n");
		skip();
	}
	/* newer versions take the cases of letters for the same */
	for (size_t i = strncmp(perf_version, "perf version 6.1.", 17) ? 4 : 0;
	     i < sizeof(names) / sizeof(names[0]); i++) {
		uint64_t fields[FIELDS];
		struct event_spec spec;
		struct refusal why = { 0 };
		int error;

		if (ask_perf(names[i], fields))
			fail_msg("perf takes '%s'", names[i]);
		error = event_spec_parse(names[i], strlen(names[i]), &spec, &why);
		if (!error) {
			error = event_check(resolver, &spec, &why);
			event_spec_free(&spec);
		}
		if (!error || !why.message[0])
			fail_msg("'%s' is taken, perf refuses it", names[i]);
	}
}

/* Mounts tracefs where it is not, in a mount namespace that nobody else sees. */
static bool provide_tracefs(void)
{
	if (!access(TRACEFS "/events", R_OK | X_OK))
		return true;
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tracefs", TRACEFS, "tracefs", 0, NULL) &&
	       !access(TRACEFS "/events", R_OK | X_OK);
}

static int setup_all(void **state)
{
	static const char *const links[] = { PMU "msr", PMU "software" };
	FILE *version = popen("perf --version 2>/dev/null", "re");

	(void)state;
	have_perf = version && fgets(perf_version, sizeof(perf_version), version);
	if (version)
		pclose(version);
	have_tracefs = provide_tracefs();
	root = fake_tree_new(machine_files);
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (!access(links[i], F_OK))
			fake_tree_link(root, links[i], links[i]);
	}
	if (have_tracefs)
		fake_tree_link(root, TRACEFS, TRACEFS);
	assert_int_equal(cpus_read(root, &cpus, NULL), 0);
	assert_int_equal(pmus_read(root, &cpus, &pmus, NULL), 0);
	return event_resolver_new(root, &pmus, &resolver);
}

static int teardown_all(void **state)
{
	(void)state;
	event_resolver_free(resolver);
	pmus_free(&pmus);
	fake_tree_remove(root);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_hardware_events_are_perfs),
		cmocka_unit_test(cache_events_and_their_aliases_are_perfs),
		cmocka_unit_test(software_events_are_perfs),
		cmocka_unit_test(raw_events_are_perfs),
		cmocka_unit_test(modifiers_are_perfs),
		cmocka_unit_test(terms_behind_generic_names_are_perfs),
		cmocka_unit_test(pmu_events_of_this_machine_are_perfs),
		cmocka_unit_test(tracepoints_are_perfs),
		cmocka_unit_test(what_perf_refuses_is_refused),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup_all, teardown_all);
}
