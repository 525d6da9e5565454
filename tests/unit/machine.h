/* SPDX-License-Identifier: GPL-2.0-only */
/* The machine of the test at hand, made up (fake_tree.h) or real: its CPUs, PMUs and events. */
#ifndef PMUFS_TESTS_MACHINE_H
#define PMUFS_TESTS_MACHINE_H

#include "cpu/cpus.h"
#include "cpu/pmus.h"
#include "event/resolve.h"
#include "fake_tree.h"

/* For tables of files. */
#define CPU "/sys/devices/system/cpu/"
#define PMU "/sys/bus/event_source/devices/"

struct machine {
	char *root; /* NULL: the real one */
	struct cpus cpus;
	struct pmus pmus;
	struct event_resolver *resolver;
};

extern struct machine machine;

/*
 * A machine of these files and of tracefs, or with NULL the one that the tests run on; fails the
 * test when it cannot be read.
 */
void machine_boot(const struct fake_file *files);
/* A teardown; harmless where nothing was booted. */
int machine_shut_down(void **state);

#endif
