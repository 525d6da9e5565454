/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * vm_flags_mod() for kernels where the flags of a mapping that is being made are simply assigned.
 */
#ifndef PMUCTL_COMPAT_VM_FLAGS_MOD_H
#define PMUCTL_COMPAT_VM_FLAGS_MOD_H

#include <linux/mm.h>

#ifndef HAVE_VM_FLAGS_MOD
static inline void vm_flags_mod(struct vm_area_struct *vma, unsigned long set, unsigned long clear)
{
	vma->vm_flags = (vma->vm_flags | set) & ~clear;
}
#endif

#endif /* PMUCTL_COMPAT_VM_FLAGS_MOD_H */
