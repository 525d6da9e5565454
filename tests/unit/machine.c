// SPDX-License-Identifier: GPL-2.0-only
/* See machine.h. */
#include "machine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct machine machine;

void machine_boot(const struct fake_file *files)
{
	const char *root = "";

	if (files) {
		root = machine.root = fake_tree_new(files);
		fake_tree_add(root, fake_tracefs);
	}
	assert_int_equal(cpus_read(root, &machine.cpus, NULL), 0);
	assert_int_equal(pmus_read(root, &machine.cpus, &machine.pmus, NULL), 0);
	assert_int_equal(event_resolver_new(root, &machine.pmus, &machine.resolver), 0);
}

int machine_shut_down(void **state)
{
	(void)state;
	event_resolver_free(machine.resolver);
	pmus_free(&machine.pmus);
	fake_tree_remove(machine.root);
	memset(&machine, 0, sizeof(machine));
	return 0;
}
