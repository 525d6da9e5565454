/* SPDX-License-Identifier: GPL-2.0-only */
/* The image of read functions as data of the module; kbuild says which file it is. */
	.section .rodata, "a"
	.balign	8
	.globl	codepage_image
codepage_image:
	.incbin	CODE_IMAGE
	.globl	codepage_image_end
codepage_image_end:
	.section .note.GNU-stack, "", %progbits
