/*
 * Calls across two calling conventions. For Apple's systems, arguments of `…` are on the stack, eight bytes each; on
 * Linux they begin in registers. A function of system.c gets the address of the caller's stack behind the named ones.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
	.text
	.macro variadic name, named
	.globl darwin_\name
	.type darwin_\name, %function
darwin_\name:
	mov x\named, sp
	b on_\name
	.endm

	variadic printf, 1
	variadic fprintf, 2
	variadic snprintf, 3
	variadic sscanf, 2
	variadic fscanf, 2
	variadic open, 2
	variadic execl, 2
	variadic fcntl, 2
	variadic db_config, 2

	.macro generals instruction
	.irp i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17
	\instruction x\i, [sp, #8 * \i]
	.endr
	.endm
	.macro vectors instruction
	.irp i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\instruction q\i, [sp, #144 + 16 * \i]
	.endr
	.irp i, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	\instruction q\i, [sp, #144 + 16 * \i]
	.endr
	.endm

/* The place of a thread's variable, for its descriptor in x0. All other registers stay as they are. */
	.globl darwin_variable
	.type darwin_variable, %function
darwin_variable:
	stp x29, x30, [sp, #-16]!
	mov x29, sp
	sub sp, sp, #656
	generals str
	vectors str
	bl find_variable
	vectors ldr
	generals ldr
	mov sp, x29
	ldp x29, x30, [sp], #16
	ret
	.section .note.GNU-stack, "", %progbits
