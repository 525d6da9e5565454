/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Made-up machines: a directory below /tmp with the files of sysfs and tracefs that pmufs reads,
 * given to it as its root directory. Every function fails the test when it cannot do its job.
 */
#ifndef PMUFS_TESTS_FAKE_TREE_H
#define PMUFS_TESTS_FAKE_TREE_H

#include <stddef.h>

/* content is written as it stands, so it needs its own final newline; NULL makes a directory. */
struct fake_file {
	const char *path;
	const char *content;
};

/* A table ends with a NULL path. The directory's name is the caller's to give to fake_tree_remove. */
char *fake_tree_new(const struct fake_file *files);
/* Removes the tree and frees its name; NULL does nothing. */
void fake_tree_remove(char *root);

/* Adds or replaces; directories in between are made. */
void fake_tree_add(const char *root, const struct fake_file *files);
void fake_tree_write(const char *root, const char *path, const void *content, size_t length);
void fake_tree_link(const char *root, const char *path, const char *target);
void fake_tree_delete(const char *root, const char *path);

/* Two CPUs, no hardware PMU: software, tracepoint, breakpoint and msr, as in a small guest. */
extern const struct fake_file fake_guest[];
/* Four CPUs, `cpu` of x86 with named events, formats of several ranges and placeholders. */
extern const struct fake_file fake_x86[];
/* CPUs 0-3 are cpu_core's (type 4), 4-7 cpu_atom's (type 10). */
extern const struct fake_file fake_hybrid[];
/* Four CPUs, armv8_pmuv3 with `long`. */
extern const struct fake_file fake_arm64[];
/* big.LITTLE: armv8_cortex_a53 on 0-3, armv8_cortex_a72 on 4-5, no type of 4. */
extern const struct fake_file fake_big_little[];
/* Eight CPUs in two packages: two memory controllers and an energy PMU, read on CPUs 0 and 4. */
extern const struct fake_file fake_uncore[];
/* Adds tracefs with two systems. */
extern const struct fake_file fake_tracefs[];

#endif
