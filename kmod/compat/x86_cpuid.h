/* SPDX-License-Identifier: GPL-2.0-only */
/* cpuid() has a header of its own since it left asm/processor.h. */
#ifndef PMUCTL_COMPAT_X86_CPUID_H
#define PMUCTL_COMPAT_X86_CPUID_H

#ifdef HAVE_X86_CPUID_API
#include <asm/cpuid/api.h>
#else
#include <asm/processor.h>
#endif

#endif /* PMUCTL_COMPAT_X86_CPUID_H */
