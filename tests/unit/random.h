/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers that are the same in every run, so that a failure repeats. */
#ifndef PMUFS_TESTS_RANDOM_H
#define PMUFS_TESTS_RANDOM_H

#include <stdint.h>

/* The next number of the program's series, evenly distributed over 1 to UINT64_MAX. */
uint64_t random64(void);

#endif
