/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The read functions for x86-64. They stand on nothing but their arguments, so that they run
 * wherever a program has them. What each does is told in uapi/pmuctl_code.h, and why it is right in
 * uapi/pmuctl_read.h, whose sequence pmuctl_read is.
 */
	.text

	.macro function name
	.balign	16
	.globl	\name
	.type	\name, @function
\name:
	endbr64
	.endm

	.macro end name
	.size	\name, . - \name
	.endm

	/* rdi: the place. Returns the count, or a negative errno. */
	function pmuctl_read
5:	movq	(%rdi), %rsi
	movq	8(%rdi), %r8
	movq	16(%rdi), %rax
	movq	%rax, 8(%r8)
	.globl	pmuctl_read_begin
pmuctl_read_begin:
	movl	4(%r8), %eax
	shlq	$12, %rax
	addq	%rax, %rsi
	movq	(%rsi), %r9
	movq	8(%rsi), %r10
	xorl	%eax, %eax
	movzbl	%r9b, %ecx
	subl	$1, %ecx
	jb	7f
	cmpl	$64, %ecx
	jb	6f
	addl	$0x3fffffc0, %ecx	/* fixed counter n - 64: 0x40000000 + n - 64 */
6:	rdpmc
	shlq	$32, %rdx
	orq	%rdx, %rax
	/* Sign-extended from its width. */
	movl	$64, %ecx
	movl	%r9d, %edx
	shrl	$8, %edx
	subb	%dl, %cl
	shlq	%cl, %rax
	sarq	%cl, %rax
7:	cmpq	%r9, (%rsi)
	jne	5b
	.globl	pmuctl_read_end
pmuctl_read_end:
	addq	%r10, %rax
	/* Nobody shall look for this sequence when the page or the caller's memory is gone. */
	movq	$0, 8(%r8)
	ret
	/* An instruction around the signature that glibc registers. */
	.byte	0x0f, 0xb9, 0x3d
	.long	0x53053053
	.globl	pmuctl_read_abort
pmuctl_read_abort:
	jmp	5b
	end pmuctl_read

	function pmuctl_thread_pointer
	movq	%fs:0, %rax
	ret
	end pmuctl_thread_pointer

	.section .rodata
	.balign	4
	.globl	pmuctl_code_version
	.type	pmuctl_code_version, @object
pmuctl_code_version:
	.long	1
	.size	pmuctl_code_version, 4
