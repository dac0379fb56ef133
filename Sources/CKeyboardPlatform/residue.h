/*
 * Zeroing what a computation on secrets leaves behind: the stack below the caller and the registers that a call may
 * change. This is the only place that knows how deep the library's calls go.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_RESIDUE_H
#define CUSTOM_KEYBOARD_RESIDUE_H

#include <stdint.h>

/* Bytes of stack that a call of the library may use. `make prove` computes them from the compiled code, on each path,
 * and Tests/C/walk.c measures them with a painted stack. With AES or GFNI instructions most calls take less than 1,400
 * bytes; decryptBatch with AVX-512 takes all 2,048. The portable SM4 keeps the bits of its round keys on the stack,
 * 8,300 bytes for five blocks and more. A thread may have as little as 16 KB. Multiples of 64. */
enum { KEYBOARD_STACK_DEPTH = 2048, KEYBOARD_PORTABLE_STACK_DEPTH = 8704 };

/* The same for a block cipher on at most 144 bytes, other than the portable one: 700 bytes at most. With GCM around it
 * it is 1,300, which is not for this depth. */
enum { KEYBOARD_CIPHER_STACK_DEPTH = 1024 };

/* The same for calls that seal or open: elliptic curves, RSA, and mbedTLS's AES. */
enum { KEYBOARD_DEEP_STACK_DEPTH = 10240 };

static inline uint64_t keyboard_stack_depth(void) {
  return keyboard_sm4_path() == KEYBOARD_PORTABLE ? KEYBOARD_PORTABLE_STACK_DEPTH : KEYBOARD_STACK_DEPTH;
}

#if defined(KEYBOARD_CHECKED_COPIES) && !defined(__wasm__)
/* For the address sanitizer, which checks memcpy and does not see what assembly writes. */
static inline void keyboard_copy_secret(void *to, const void *from, size_t size) { memcpy(to, from, size); }
#endif

#if defined(__x86_64__)

/* An exclusive or of a register with itself breaks every dependence and costs next to nothing. With VEX or EVEX it
 * zeroes the upper part of the wide register too. */
#define KEYBOARD_ZERO_16 \
  "vpxor %%xmm0,%%xmm0,%%xmm0\n\tvpxor %%xmm1,%%xmm1,%%xmm1\n\tvpxor %%xmm2,%%xmm2,%%xmm2\n\t" \
  "vpxor %%xmm3,%%xmm3,%%xmm3\n\tvpxor %%xmm4,%%xmm4,%%xmm4\n\tvpxor %%xmm5,%%xmm5,%%xmm5\n\t" \
  "vpxor %%xmm6,%%xmm6,%%xmm6\n\tvpxor %%xmm7,%%xmm7,%%xmm7\n\tvpxor %%xmm8,%%xmm8,%%xmm8\n\t" \
  "vpxor %%xmm9,%%xmm9,%%xmm9\n\tvpxor %%xmm10,%%xmm10,%%xmm10\n\tvpxor %%xmm11,%%xmm11,%%xmm11\n\t" \
  "vpxor %%xmm12,%%xmm12,%%xmm12\n\tvpxor %%xmm13,%%xmm13,%%xmm13\n\tvpxor %%xmm14,%%xmm14,%%xmm14\n\t" \
  "vpxor %%xmm15,%%xmm15,%%xmm15\n\t"
#define KEYBOARD_ZERO_16_WITHOUT_AVX \
  "pxor %%xmm0,%%xmm0\n\tpxor %%xmm1,%%xmm1\n\tpxor %%xmm2,%%xmm2\n\tpxor %%xmm3,%%xmm3\n\t" \
  "pxor %%xmm4,%%xmm4\n\tpxor %%xmm5,%%xmm5\n\tpxor %%xmm6,%%xmm6\n\tpxor %%xmm7,%%xmm7\n\t" \
  "pxor %%xmm8,%%xmm8\n\tpxor %%xmm9,%%xmm9\n\tpxor %%xmm10,%%xmm10\n\tpxor %%xmm11,%%xmm11\n\t" \
  "pxor %%xmm12,%%xmm12\n\tpxor %%xmm13,%%xmm13\n\tpxor %%xmm14,%%xmm14\n\tpxor %%xmm15,%%xmm15\n\t"
#define KEYBOARD_ZERO_UPPER_16_AND_MASKS \
  "vpxord %%zmm16,%%zmm16,%%zmm16\n\tvpxord %%zmm17,%%zmm17,%%zmm17\n\tvpxord %%zmm18,%%zmm18,%%zmm18\n\t" \
  "vpxord %%zmm19,%%zmm19,%%zmm19\n\tvpxord %%zmm20,%%zmm20,%%zmm20\n\tvpxord %%zmm21,%%zmm21,%%zmm21\n\t" \
  "vpxord %%zmm22,%%zmm22,%%zmm22\n\tvpxord %%zmm23,%%zmm23,%%zmm23\n\tvpxord %%zmm24,%%zmm24,%%zmm24\n\t" \
  "vpxord %%zmm25,%%zmm25,%%zmm25\n\tvpxord %%zmm26,%%zmm26,%%zmm26\n\tvpxord %%zmm27,%%zmm27,%%zmm27\n\t" \
  "vpxord %%zmm28,%%zmm28,%%zmm28\n\tvpxord %%zmm29,%%zmm29,%%zmm29\n\tvpxord %%zmm30,%%zmm30,%%zmm30\n\t" \
  "vpxord %%zmm31,%%zmm31,%%zmm31\n\t" \
  "kxorw %%k0,%%k0,%%k0\n\tkxorw %%k1,%%k1,%%k1\n\tkxorw %%k2,%%k2,%%k2\n\tkxorw %%k3,%%k3,%%k3\n\t" \
  "kxorw %%k4,%%k4,%%k4\n\tkxorw %%k5,%%k5,%%k5\n\tkxorw %%k6,%%k6,%%k6\n\tkxorw %%k7,%%k7,%%k7\n\t"
#define KEYBOARD_ZERO_GENERAL \
  "xorl %%ecx,%%ecx\n\txorl %%esi,%%esi\n\txorl %%edi,%%edi\n\txorl %%r8d,%%r8d\n\txorl %%r9d,%%r9d\n\t" \
  "xorl %%r10d,%%r10d\n\txorl %%r11d,%%r11d\n\t"
#define KEYBOARD_CHANGED_REGISTERS \
  "memory", "cc", "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", \
      "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15"

/* Zeroes `depth` bytes of stack below the stack pointer, `step` at a time, which is 64 or 128: whole cache lines
 * upwards from a little deeper, then the last `step` bytes. The stack pointer is moved meanwhile, so that valgrind
 * takes what is written for stack. */
#define KEYBOARD_ZERO_STACK(step, store, unaligned_store) \
  "movq %%rsp,%%rdx\n\tleaq 64-" step "(%%rsp),%%rax\n\tsubq %%rdi,%%rax\n\tandq $-64,%%rax\n\tmovq %%rax,%%rsp\n\t" \
  "leaq -" step "(%%rdx),%%rcx\n\t" \
  "1:\n\t" store "addq $" step ",%%rax\n\tcmpq %%rcx,%%rax\n\tjbe 1b\n\t" \
  unaligned_store "movq %%rdx,%%rsp\n\t"

/* In these functions nothing may use the stack but the call itself. */
__attribute__((noinline, target("avx512f"))) static void keyboard_wipe_zmm(uint64_t depth) {
  __asm__ volatile(KEYBOARD_ZERO_16 KEYBOARD_ZERO_UPPER_16_AND_MASKS
                   KEYBOARD_ZERO_STACK("128", "vmovdqa64 %%zmm0,(%%rax)\n\tvmovdqa64 %%zmm0,64(%%rax)\n\t",
                                       "vmovdqu64 %%zmm0,-128(%%rdx)\n\tvmovdqu64 %%zmm0,-64(%%rdx)\n\t")
                   KEYBOARD_ZERO_GENERAL "vzeroupper"
                   : "+D"(depth)::KEYBOARD_CHANGED_REGISTERS, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",
                   "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31", "k0", "k1",
                   "k2", "k3", "k4", "k5", "k6", "k7");
}
__attribute__((noinline, target("avx"))) static void keyboard_wipe_ymm(uint64_t depth) {
  __asm__ volatile(KEYBOARD_ZERO_16 KEYBOARD_ZERO_STACK("64",
                       "vmovdqa %%ymm0,(%%rax)\n\tvmovdqa %%ymm0,32(%%rax)\n\t",
                       "vmovdqu %%ymm0,-64(%%rdx)\n\tvmovdqu %%ymm0,-32(%%rdx)\n\t") KEYBOARD_ZERO_GENERAL
                   "vzeroupper"
                   : "+D"(depth)::KEYBOARD_CHANGED_REGISTERS);
}
__attribute__((noinline)) static void keyboard_wipe_xmm(uint64_t depth) {
  __asm__ volatile(KEYBOARD_ZERO_16_WITHOUT_AVX KEYBOARD_ZERO_STACK("64",
                       "movdqa %%xmm0,(%%rax)\n\tmovdqa %%xmm0,16(%%rax)\n\t"
                       "movdqa %%xmm0,32(%%rax)\n\tmovdqa %%xmm0,48(%%rax)\n\t",
                       "movdqu %%xmm0,-64(%%rdx)\n\tmovdqu %%xmm0,-48(%%rdx)\n\t"
                       "movdqu %%xmm0,-32(%%rdx)\n\tmovdqu %%xmm0,-16(%%rdx)\n\t")
                       KEYBOARD_ZERO_GENERAL
                   : "+D"(depth)::KEYBOARD_CHANGED_REGISTERS);
}

/* The width in bytes of the vector registers that the operating system saves: 16, 32 or 64. */
static inline int keyboard_vector_width(void) {
  unsigned a, b, c, d, saved = keyboard_saved_registers();
  if ((saved & KEYBOARD_YMM_SAVED) != KEYBOARD_YMM_SAVED) return 16;
  if ((saved & KEYBOARD_ZMM_SAVED) != KEYBOARD_ZMM_SAVED || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return 32;
  return b >> 16 & 1 ? 64 : 32; /* AVX512F */
}

static inline void keyboard_wipe_residue(int width, uint64_t depth) {
  if (width == 64)
    keyboard_wipe_zmm(depth);
  else if (width == 32)
    keyboard_wipe_ymm(depth);
  else
    keyboard_wipe_xmm(depth);
}

/* Zeroes what code that is compiled for every x86-64 can change. */
static inline void keyboard_wipe_plain_registers(void) {
  uint64_t ignored;
  __asm__ volatile(KEYBOARD_ZERO_16_WITHOUT_AVX KEYBOARD_ZERO_GENERAL "xorl %%eax,%%eax\n\txorl %%edx,%%edx"
                   : "=D"(ignored)::KEYBOARD_CHANGED_REGISTERS);
}

/* Copies through one register, which it zeroes. memcpy would use registers of which only libc knows. */
#ifndef KEYBOARD_CHECKED_COPIES
static inline void keyboard_copy_secret(void *to, const void *from, size_t size) {
  __asm__ volatile(
      "subq $8,%2\n\tjb 2f\n"
      "1:\tmovq (%1),%%rax\n\tmovq %%rax,(%0)\n\taddq $8,%1\n\taddq $8,%0\n\tsubq $8,%2\n\tjae 1b\n"
      "2:\taddq $8,%2\n\tjz 4f\n"
      "3:\tmovb (%1),%%al\n\tmovb %%al,(%0)\n\tincq %1\n\tincq %0\n\tdecq %2\n\tjnz 3b\n"
      "4:\txorl %%eax,%%eax"
      : "+r"(to), "+r"(from), "+r"(size)::"rax", "cc", "memory");
}
#endif

#elif defined(__aarch64__)

#ifndef KEYBOARD_CHECKED_COPIES
static inline void keyboard_copy_secret(void *to, const void *from, size_t size) {
  __asm__ volatile(
      "subs %2,%2,#8\n\tb.lo 2f\n"
      "1:\tldr x9,[%1],#8\n\tstr x9,[%0],#8\n\tsubs %2,%2,#8\n\tb.hs 1b\n"
      "2:\tadds %2,%2,#8\n\tb.eq 4f\n"
      "3:\tldrb w9,[%1],#1\n\tstrb w9,[%0],#1\n\tsubs %2,%2,#1\n\tb.ne 3b\n"
      "4:\tmov x9,#0"
      : "+r"(to), "+r"(from), "+r"(size)::"x9", "cc", "memory");
}
#endif

static inline int keyboard_vector_width(void) { return 16; }

/* The lower halves of v8 … v15 belong to the caller; only the upper halves are ours to change. What is wider than 128
 * bits (SVE) is zeroed along with any write to a register. The general registers that a call may change are zeroed too:
 * memcpy copies through them here, and the dynamic linker saves them. */
__attribute__((noinline)) static void keyboard_wipe_residue(int width, uint64_t depth) {
  (void)width;
  register uint64_t bytes __asm__("x0") = depth;
  __asm__ volatile(
      "mov x16,sp\n\tsub x17,x16,x0\n\tmov sp,x17\n\t1:\n\tstp xzr,xzr,[x17],#16\n\tcmp x17,x16\n\tb.lo 1b\n\t"
      "mov sp,x16\n\t"
      "movi v0.2d,#0\n\tmovi v1.2d,#0\n\tmovi v2.2d,#0\n\tmovi v3.2d,#0\n\tmovi v4.2d,#0\n\tmovi v5.2d,#0\n\t"
      "movi v6.2d,#0\n\tmovi v7.2d,#0\n\tmov v8.d[1],xzr\n\tmov v9.d[1],xzr\n\tmov v10.d[1],xzr\n\t"
      "mov v11.d[1],xzr\n\tmov v12.d[1],xzr\n\tmov v13.d[1],xzr\n\tmov v14.d[1],xzr\n\tmov v15.d[1],xzr\n\t"
      "movi v16.2d,#0\n\tmovi v17.2d,#0\n\tmovi v18.2d,#0\n\tmovi v19.2d,#0\n\tmovi v20.2d,#0\n\t"
      "movi v21.2d,#0\n\tmovi v22.2d,#0\n\tmovi v23.2d,#0\n\tmovi v24.2d,#0\n\tmovi v25.2d,#0\n\t"
      "movi v26.2d,#0\n\tmovi v27.2d,#0\n\tmovi v28.2d,#0\n\tmovi v29.2d,#0\n\tmovi v30.2d,#0\n\t"
      "movi v31.2d,#0\n\t"
      "mov x0,#0\n\tmov x1,#0\n\tmov x2,#0\n\tmov x3,#0\n\tmov x4,#0\n\tmov x5,#0\n\tmov x6,#0\n\tmov x7,#0\n\t"
      "mov x8,#0\n\tmov x9,#0\n\tmov x10,#0\n\tmov x11,#0\n\tmov x12,#0\n\tmov x13,#0\n\tmov x14,#0\n\t"
      "mov x15,#0\n\tmov x16,#0\n\tmov x17,#0"
      : "+r"(bytes)::"memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20",
        "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "x1", "x2", "x3", "x4", "x5", "x6",
        "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17");
}

static inline void keyboard_wipe_plain_registers(void) { keyboard_wipe_residue(keyboard_vector_width(), 64); }

#elif defined(__wasm__)

/* All of the stack in memory is wiped, whatever the depth. Other local variables are in the engine's registers and on
 * its own stack, which no program can reach. */
static inline int keyboard_vector_width(void) { return 0; }
static inline void keyboard_copy_secret(void *to, const void *from, size_t size) { memcpy(to, from, size); }
void keyboard_wipe_stack(void);
static inline void keyboard_wipe_residue(int width, uint64_t depth) {
  (void)width, (void)depth;
  keyboard_wipe_stack();
}
static inline void keyboard_wipe_plain_registers(void) { keyboard_wipe_stack(); }

#else
#error "CustomKeyboard has only been tested on x86-64, arm64 and WebAssembly. Other registers need wiping here."
#endif

#endif
