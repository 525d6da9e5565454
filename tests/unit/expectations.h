/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of what event/resolve.h makes of words on the machine at hand (machine.h), and of what it
 * refuses them with.
 */
#ifndef PMUFS_TESTS_EXPECTATIONS_H
#define PMUFS_TESTS_EXPECTATIONS_H

#include "event/resolve.h"
#include "machine.h"

struct expectation {
	const char *word;
	unsigned int cpu;
	uint32_t type;
	uint64_t config, config1, config2;
	const char *backing; /* NULL: whatever */
};

void assert_resolves(const struct expectation *list, size_t count);
#define RESOLVES(list) assert_resolves(list, sizeof(list) / sizeof((list)[0]))

struct refused {
	const char *word;
	unsigned int cpu;
	int error; /* of event_resolve */
	int check; /* of event_check */
	const char *says; /* part of the message */
};

void assert_refuses(const struct refused *list, size_t count);
#define REFUSES(list) assert_refuses(list, sizeof(list) / sizeof((list)[0]))

/* event_resolve for a word, whose answer it gives; fails the test when the word does not parse. */
int resolve(const char *word, unsigned int cpu, struct event_attr *attr, struct refusal *why);

/*
 * The setup of a group of tests: libpfm4 knows the events of the model it runs on; let that be the
 * same everywhere.
 */
int the_model_is_skylake(void **state);

#define TEST(name) cmocka_unit_test_teardown(name, machine_shut_down)

#endif
