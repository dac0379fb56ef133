/*
 * Runs a Swift closure on another stack. Before it returns, it zeroes `depth` bytes of that stack and the registers.
 *
 *     keyboard_on_stack(top, depth, width, closure)        Swift's calling convention; a closure is function, context
 *
 * The frame is on the caller's stack and is found through the frame pointer, so debuggers and unwinders get across.
 * `signal_frame` tells gdb that the stack pointer may jump either way. No return address is changed, so shadow stacks
 * need no care. Return registers pass through: a closure here returns nothing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#if defined(__x86_64__)
	.text
	.globl	keyboard_on_stack
	.hidden	keyboard_on_stack
	.type	keyboard_on_stack,@function
	.p2align 4
keyboard_on_stack:
	.cfi_startproc
	.cfi_signal_frame
#ifdef __CET__
	endbr64
#endif
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%r13
	pushq	%r14
	pushq	%rbx
	pushq	%rax			/* keeps the stack a multiple of 16 */
	.cfi_offset %r13, -24
	.cfi_offset %r14, -32
	.cfi_offset %rbx, -40
	movq	%rsi, %rbx
	movl	%edx, %r14d
	movq	%r8, %r13		/* a closure's context */
	movq	%rdi, %rsp
	callq	*%rcx
	movl	%r14d, %edi
	movq	%rbx, %rsi
	callq	keyboard_wipe_secret_stack
	leaq	-32(%rbp), %rsp
	popq	%rax
	popq	%rbx
	popq	%r14
	popq	%r13
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	retq
	.cfi_endproc
	.size	keyboard_on_stack, .-keyboard_on_stack
#ifdef __CET__
	.section .note.gnu.property,"a"
	.p2align 3
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 3, 0
#endif
#elif defined(__aarch64__)
#if defined(__APPLE__)
#define keyboard_on_stack _keyboard_on_stack
#define keyboard_wipe_secret_stack _keyboard_wipe_secret_stack
#define HIDDEN .private_extern
#else
#define HIDDEN .hidden
#endif
	.text
	.globl	keyboard_on_stack
	HIDDEN	keyboard_on_stack
#if defined(__ELF__)
	.type	keyboard_on_stack,%function
#endif
	.p2align 2
keyboard_on_stack:
	.cfi_startproc
	.cfi_signal_frame
	hint	#34			/* bti c */
	stp	x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	mov	x29, sp
	.cfi_def_cfa x29, 48
	stp	x19, x20, [sp, #16]
	str	x21, [sp, #32]
	.cfi_offset x19, -32
	.cfi_offset x20, -24
	.cfi_offset x21, -16
	mov	x19, x1
	mov	x21, x2
	mov	x20, x4			/* a closure's context */
	mov	sp, x0
	blr	x3
	mov	x0, x21
	mov	x1, x19
	bl	keyboard_wipe_secret_stack
	mov	sp, x29
	ldr	x21, [sp, #32]
	ldp	x19, x20, [sp, #16]
	ldp	x29, x30, [sp], #48
	.cfi_def_cfa sp, 0
	ret
	.cfi_endproc
#if defined(__ELF__)
	.size	keyboard_on_stack, .-keyboard_on_stack
#endif
#endif
#if defined(__MACH__)
	.subsections_via_symbols
#endif
#if defined(__ELF__)
	.section .note.GNU-stack,"",%progbits
#endif
