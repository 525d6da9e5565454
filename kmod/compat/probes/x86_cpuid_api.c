// SPDX-License-Identifier: GPL-2.0-only
/* cpuid() has a header of its own. */
#include <asm/cpuid/api.h>

u32 probe(void);

u32 probe(void)
{
	return cpuid_eax(0);
}
