// SPDX-License-Identifier: GPL-2.0-only
/* Flags of a mapping are changed by functions that know which lock it takes. */
#include <linux/mm.h>

void probe(struct vm_area_struct *vma);

void probe(struct vm_area_struct *vma)
{
	vm_flags_mod(vma, VM_DONTCOPY, VM_MAYWRITE);
}
