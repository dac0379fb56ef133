/*
 * What the library takes from C: DES and 3DES from mbedTLS, memory, threads and randomness from libc, and the two things
 * that Swift cannot say: "this stack was used" and "these registers held a secret".
 */
#ifndef CUSTOM_KEYBOARD_SHIM_H
#define CUSTOM_KEYBOARD_SHIM_H

#if !__has_include(<mbedtls/des.h>)
#error "mbedTLS was not found. Debian, Ubuntu: apt-get install libmbedtls-dev. macOS: brew install mbedtls@3."
#else
#include <mbedtls/version.h>
#if MBEDTLS_VERSION_MAJOR >= 4
#error "mbedTLS 4 has no DES any more. Install mbedTLS 2.28 or 3.6 (Debian, Ubuntu: libmbedtls-dev; macOS: mbedtls@3)."
#endif
#include <mbedtls/des.h>
#endif

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

static inline int keyboard_errno(void) { return errno; }

/* A number that differs from thread to thread. */
static inline uint64_t keyboard_thread(void) { return (uint64_t)(uintptr_t)pthread_self(); }

/* Zeroes memory even if nobody reads it again. */
static inline void keyboard_wipe(void *memory, size_t size) {
#if defined(__APPLE__)
  memset_s(memory, size, 0, size);
#else
  explicit_bzero(memory, size);
#endif
}

/* Zeroes the stack below the caller, where the functions that it called had their locals: as deep as calls go that keep
 * their secrets in registers, as a few blocks do, or as anything does (3.4 KB for 64 passwords at a time). More would not
 * do on a thread with 16 KB of stack. */
__attribute__((noinline)) static void keyboard_wipe_frames(void) {
  char frame[512];
  keyboard_wipe(frame, sizeof frame);
}
__attribute__((noinline)) static void keyboard_wipe_stack(void) {
  char frame[2048];
  keyboard_wipe(frame, sizeof frame);
}
__attribute__((noinline)) static void keyboard_wipe_deep_stack(void) {
  char frame[4096];
  keyboard_wipe(frame, sizeof frame);
}

/* Calls, with no secret about, what is called later while registers hold some. In what is bound lazily (mbedTLS, or a
 * program that links the static library) the dynamic linker saves all registers to the stack at each first call, deeper
 * than can be wiped afterwards: a thread may have 16 KB of stack. */
static void keyboard_bind_des(void) {
  union {
    mbedtls_des_context one;
    mbedtls_des3_context three;
  } context;
  unsigned char key[24] = {0}, block[8] = {0};
  mbedtls_des_init(&context.one);
  int ignored = mbedtls_des_setkey_enc(&context.one, key) | mbedtls_des_setkey_dec(&context.one, key) |
                mbedtls_des_crypt_ecb(&context.one, block, block);
  mbedtls_des3_init(&context.three);
  ignored |= mbedtls_des3_set2key_enc(&context.three, key) | mbedtls_des3_set2key_dec(&context.three, key) |
             mbedtls_des3_set3key_enc(&context.three, key) | mbedtls_des3_set3key_dec(&context.three, key) |
             mbedtls_des3_crypt_ecb(&context.three, block, block);
  (void)ignored;
}

__attribute__((noinline)) static void keyboard_bind(void) {
  keyboard_bind_des();
  /* All volatile, or a compiler that sees how little is moved makes memmove a memcpy, and memset nothing. */
  volatile size_t length = 1;
  char memory[2] = {0};
  char *volatile from = memory, *volatile to = memory + 1;
  int error = errno;
  void *volatile block = malloc(length);
  free(block);
  memcpy(to, from, length);
  memmove(to, from, length);
  memset(to, 0, length);
  keyboard_wipe(to, length);
#if defined(__linux__)
  if (getrandom(to, 0, GRND_NONBLOCK) != 0) *to = 0;
#endif
  munmap(NULL, 0);
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  errno = error;
}

/* Zeroes the registers that memcpy and SM4 use; no ABI that we run on keeps secrets for us in them. */
#if defined(__x86_64__)
#define KEYBOARD_LOW_REGISTERS                                                                                     \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",       \
      "xmm13", "xmm14", "xmm15"
/* By an exclusive or with itself, which processors know for what it is; half the time that vzeroall takes. An
 * instruction with VEX or EVEX zeroes the rest of the wide register too; vzeroupper then says that all is clean. */
#define KEYBOARD_ZERO_LOW_REGISTERS                                                                                \
  "vpxor %%xmm0,%%xmm0,%%xmm0\n\tvpxor %%xmm1,%%xmm1,%%xmm1\n\tvpxor %%xmm2,%%xmm2,%%xmm2\n\t"                     \
  "vpxor %%xmm3,%%xmm3,%%xmm3\n\tvpxor %%xmm4,%%xmm4,%%xmm4\n\tvpxor %%xmm5,%%xmm5,%%xmm5\n\t"                     \
  "vpxor %%xmm6,%%xmm6,%%xmm6\n\tvpxor %%xmm7,%%xmm7,%%xmm7\n\tvpxor %%xmm8,%%xmm8,%%xmm8\n\t"                     \
  "vpxor %%xmm9,%%xmm9,%%xmm9\n\tvpxor %%xmm10,%%xmm10,%%xmm10\n\tvpxor %%xmm11,%%xmm11,%%xmm11\n\t"               \
  "vpxor %%xmm12,%%xmm12,%%xmm12\n\tvpxor %%xmm13,%%xmm13,%%xmm13\n\tvpxor %%xmm14,%%xmm14,%%xmm14\n\t"            \
  "vpxor %%xmm15,%%xmm15,%%xmm15\n\t"
/* And the 512 bytes below its stack pointer, since it has zeros at hand: whole cache lines, and what is left above. */
__attribute__((noinline, target("avx512f"))) static void keyboard_wipe_zmm(void) {
  __asm__ volatile(
      KEYBOARD_ZERO_LOW_REGISTERS
      "vpxord %%zmm16,%%zmm16,%%zmm16\n\tvpxord %%zmm17,%%zmm17,%%zmm17\n\tvpxord %%zmm18,%%zmm18,%%zmm18\n\t"
      "vpxord %%zmm19,%%zmm19,%%zmm19\n\tvpxord %%zmm20,%%zmm20,%%zmm20\n\tvpxord %%zmm21,%%zmm21,%%zmm21\n\t"
      "vpxord %%zmm22,%%zmm22,%%zmm22\n\tvpxord %%zmm23,%%zmm23,%%zmm23\n\tvpxord %%zmm24,%%zmm24,%%zmm24\n\t"
      "vpxord %%zmm25,%%zmm25,%%zmm25\n\tvpxord %%zmm26,%%zmm26,%%zmm26\n\tvpxord %%zmm27,%%zmm27,%%zmm27\n\t"
      "vpxord %%zmm28,%%zmm28,%%zmm28\n\tvpxord %%zmm29,%%zmm29,%%zmm29\n\tvpxord %%zmm30,%%zmm30,%%zmm30\n\t"
      "vpxord %%zmm31,%%zmm31,%%zmm31\n\t"
      "lea -512(%%rsp),%%rax\n\tand $-64,%%rax\n\t"
      "vmovdqa64 %%zmm0,(%%rax)\n\tvmovdqa64 %%zmm0,64(%%rax)\n\tvmovdqa64 %%zmm0,128(%%rax)\n\t"
      "vmovdqa64 %%zmm0,192(%%rax)\n\tvmovdqa64 %%zmm0,256(%%rax)\n\tvmovdqa64 %%zmm0,320(%%rax)\n\t"
      "vmovdqa64 %%zmm0,384(%%rax)\n\tvmovdqa64 %%zmm0,448(%%rax)\n\tvmovdqu64 %%zmm0,-64(%%rsp)\n\t"
      "vzeroupper" ::
          : "memory", "cc", "rax", KEYBOARD_LOW_REGISTERS, "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21",
            "xmm22", "xmm23", "xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31");
}
__attribute__((noinline, target("avx"))) static void keyboard_wipe_ymm(void) {
  __asm__ volatile(KEYBOARD_ZERO_LOW_REGISTERS "vzeroupper" ::: KEYBOARD_LOW_REGISTERS);
}
__attribute__((noinline)) static void keyboard_wipe_xmm(void) {
  __asm__ volatile(
      "pxor %%xmm0,%%xmm0\n\tpxor %%xmm1,%%xmm1\n\tpxor %%xmm2,%%xmm2\n\tpxor %%xmm3,%%xmm3\n\t"
      "pxor %%xmm4,%%xmm4\n\tpxor %%xmm5,%%xmm5\n\tpxor %%xmm6,%%xmm6\n\tpxor %%xmm7,%%xmm7\n\t"
      "pxor %%xmm8,%%xmm8\n\tpxor %%xmm9,%%xmm9\n\tpxor %%xmm10,%%xmm10\n\tpxor %%xmm11,%%xmm11\n\t"
      "pxor %%xmm12,%%xmm12\n\tpxor %%xmm13,%%xmm13\n\tpxor %%xmm14,%%xmm14\n\tpxor %%xmm15,%%xmm15" ::
          : KEYBOARD_LOW_REGISTERS);
}
#include <cpuid.h>
/* The width in bytes of the vector registers that this processor has and the system saves: 16, 32 or 64. */
static inline int keyboard_vector_width(void) {
  unsigned a, b, c, d, enabled, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1u << 27)) || !(c & (1u << 28))) return 16;
  __asm__("xgetbv" : "=a"(enabled), "=d"(high) : "c"(0));
  if ((enabled & 0x06) != 0x06) return 16;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & (1u << 16)) || (enabled & 0xe6) != 0xe6) return 32;
  return 64;
}
static inline void keyboard_wipe_vectors(int width) {
  if (width == 64)
    keyboard_wipe_zmm();
  else if (width == 32)
    keyboard_wipe_ymm();
  else
    keyboard_wipe_xmm();
}
/* Those, and the stack as deep as keyboard_wipe_frames. */
static inline void keyboard_wipe_frames_and_vectors(int width) {
  if (width != 64) keyboard_wipe_frames();
  keyboard_wipe_vectors(width);
}
#elif defined(__aarch64__)
static inline int keyboard_vector_width(void) { return 16; }
/* Of v8 … v15 the lower halves are the caller's, whoever that is, and only the upper ones ours: hence a function that
 * does not name them as changed. What is wider than 128 bits (SVE) is zeroed along with any writing to a register.
 *
 * And the general registers that a call may change: here memcpy copies through them, and the dynamic linker saves them. */
__attribute__((noinline)) static void keyboard_wipe_vectors(int width) {
  (void)width;
  __asm__ volatile(
      "movi v0.2d,#0\n\tmovi v1.2d,#0\n\tmovi v2.2d,#0\n\tmovi v3.2d,#0\n\tmovi v4.2d,#0\n\tmovi v5.2d,#0\n\t"
      "movi v6.2d,#0\n\tmovi v7.2d,#0\n\tmov v8.d[1],xzr\n\tmov v9.d[1],xzr\n\tmov v10.d[1],xzr\n\t"
      "mov v11.d[1],xzr\n\tmov v12.d[1],xzr\n\tmov v13.d[1],xzr\n\tmov v14.d[1],xzr\n\tmov v15.d[1],xzr\n\t"
      "movi v16.2d,#0\n\tmovi v17.2d,#0\n\tmovi v18.2d,#0\n\tmovi v19.2d,#0\n\tmovi v20.2d,#0\n\t"
      "movi v21.2d,#0\n\tmovi v22.2d,#0\n\tmovi v23.2d,#0\n\tmovi v24.2d,#0\n\tmovi v25.2d,#0\n\t"
      "movi v26.2d,#0\n\tmovi v27.2d,#0\n\tmovi v28.2d,#0\n\tmovi v29.2d,#0\n\tmovi v30.2d,#0\n\t"
      "movi v31.2d,#0\n\t"
      "mov x0,#0\n\tmov x1,#0\n\tmov x2,#0\n\tmov x3,#0\n\tmov x4,#0\n\tmov x5,#0\n\tmov x6,#0\n\tmov x7,#0\n\t"
      "mov x8,#0\n\tmov x9,#0\n\tmov x10,#0\n\tmov x11,#0\n\tmov x12,#0\n\tmov x13,#0\n\tmov x14,#0\n\t"
      "mov x15,#0\n\tmov x16,#0\n\tmov x17,#0" ::
          : "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23",
            "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31", "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8",
            "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17");
}
#else
static inline int keyboard_vector_width(void) { return 0; }
static inline void keyboard_wipe_vectors(int width) { (void)width; }
#endif
#if !defined(__x86_64__)
static inline void keyboard_wipe_frames_and_vectors(int width) {
  keyboard_wipe_frames();
  keyboard_wipe_vectors(width);
}
#endif

#endif /* CUSTOM_KEYBOARD_SHIM_H */
