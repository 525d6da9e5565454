// SPDX-License-Identifier: GPL-2.0-only
/* See random.h. */
#include "random.h"

/* xorshift64. */
static uint64_t seed = 0x9e3779b97f4a7c15;

uint64_t random64(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}
