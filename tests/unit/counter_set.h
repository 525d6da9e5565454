/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A counter set on a machine (machine.h), for the tests of counter/counters.h: it counts in the
 * kernel or in a made-up source (fake_source.h). A function that returns no error fails the test
 * when it cannot do its job.
 */
#ifndef PMUFS_TESTS_COUNTER_SET_H
#define PMUFS_TESTS_COUNTER_SET_H

#include "counter/counters.h"
#include "fake_source.h"
#include "machine.h"

/* ns */
#define MS 1000000ULL

/* What the test at hand works on. */
struct counter_set {
	struct counter_source *source;
	struct fake_source *fake; /* the same as source, or NULL: the kernel */
	struct counters *counters;
	struct refusal why; /* of the last change */
};

extern struct counter_set on;

/* An empty set on the machine of these files, as machine_boot takes them. */
void boot_with_kernel(const struct fake_file *files);
void boot_with_fake_source(const struct fake_file *files);
/* A teardown; fails the test when a counter of the made-up source was left open. */
int shut_down(void **state);
#define promise(test) cmocka_unit_test_teardown(test, shut_down)

/* counters_change without anybody who is told of it. */
int change(const char *text);
void assert_changed(const char *text);
/* Refused with this error, and with the word in the message. */
void assert_refused(const char *text, int error, const char *word);
/* The names in their order, a space behind each. */
void assert_names(const char *expected);

/* name is that of an event in the set. */
uint32_t id_of(const char *name);
uint64_t read_value(unsigned int cpu, const char *name);
uint64_t read_all(const char *name);
/* What counters_read and counters_read_all answer: 0 or negative errno. */
int read_error(unsigned int cpu, const char *name);
int read_all_error(const char *name);
bool has(unsigned int cpu, const char *name);

/* In the made-up source: ten ms, all of them on the PMU, 1 count a ns. */
void run(unsigned int cpu, unsigned int slot);

#endif
