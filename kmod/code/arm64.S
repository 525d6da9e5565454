/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The read functions for arm64. They stand on nothing but their arguments, so that they run wherever
 * a program has them. What each does is told in uapi/pmuctl_code.h, and why it is right in
 * uapi/pmuctl_read.h, whose sequence pmuctl_read is.
 */
	.text

	.macro function name
	.balign	16
	.globl	\name
	.type	\name, %function
\name:
	.endm

	.macro end name
	.size	\name, . - \name
	.endm

	/* An entry of the table: 8 bytes. */
	.macro nothing
	mov	x6, xzr
	b	20f
	.endm

	/* x0: the place. Returns the count, or a negative errno. */
	function pmuctl_read
5:	ldp	x1, x2, [x0]
	ldr	x3, [x0, #16]
	str	x3, [x2, #8]
	.globl	pmuctl_read_begin
pmuctl_read_begin:
	ldr	w4, [x2, #4]
	add	x3, x1, x4, lsl #12
	ldp	x4, x5, [x3]
	tbnz	x4, #7, 6f
	adr	x6, 7f
	add	x6, x6, w4, uxtb #3
	br	x6
7:	nothing
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, \
		21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	mrs	x6, pmevcntr\n\()_el0
	b	20f
	.endr
	nothing
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, \
		21, 22, 23, 24, 25, 26, 27, 28, 29, 30
	mrs	x6, pmevcntr\n\()_el0
	b	21f
	.endr
	mrs	x6, pmccntr_el0
21:	ldr	w7, [x3, #16]
	sub	w6, w6, w7
	b	20f
6:	mrs	x6, pmccntr_el0
20:	ldr	x7, [x3]
	cmp	x7, x4
	b.ne	5b
	.globl	pmuctl_read_end
pmuctl_read_end:
	add	x0, x5, x6
	/* Nobody shall look for this sequence when the page or the caller's memory is gone. */
	str	xzr, [x2, #8]
	ret
	.inst	0xd428bc00		/* the signature that glibc registers */
	.globl	pmuctl_read_abort
pmuctl_read_abort:
	b	5b
	end pmuctl_read

	/* The bare cycle counter. */
	function pmuctl_cycles
	mrs	x0, pmccntr_el0
	ret
	end pmuctl_cycles

	function pmuctl_thread_pointer
	mrs	x0, tpidr_el0
	ret
	end pmuctl_thread_pointer

	.section .rodata
	.balign	4
	.globl	pmuctl_code_version
	.type	pmuctl_code_version, %object
pmuctl_code_version:
	.word	1
	.size	pmuctl_code_version, 4
