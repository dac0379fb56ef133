/*
 * ASSEMBLY(name) begins a function of assembly that only this program sees, for ELF and for Mach-O.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ASSEMBLY_H
#define ASSEMBLY_H

#if defined(__APPLE__)
#define ASSEMBLY(name) ".text\n\t.p2align 2\n\t.globl _" #name "\n\t.private_extern _" #name "\n_" #name ":\n\t"
#else
#define ASSEMBLY(name)                                                                                     \
  ".text\n\t.p2align 2\n\t.globl " #name "\n\t.hidden " #name "\n\t.type " #name ",%function\n" #name ":\n\t"
#endif

#endif /* ASSEMBLY_H */
