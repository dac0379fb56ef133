/*
 * Which of the implementations of SM4, GHASH, SHA-256, Argon2id, Keccak, ML-KEM and curves this processor can run. The
 * integers are those of `SM4.Path`, `GHASH.Path`, `SHA256Path`, `VectorPath` and `CurvePath`.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_PROCESSOR_H
#define CUSTOM_KEYBOARD_PROCESSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { KEYBOARD_PORTABLE = 1 };

#if defined(__x86_64__)
#include <cpuid.h>
enum { KEYBOARD_AESNI = 2, KEYBOARD_GFNI256 = 3, KEYBOARD_GFNI512 = 4 };

/* The register parts that the operating system saves: bits of XCR0, 0 if there is no such register. */
static inline unsigned keyboard_saved_registers(void) {
  unsigned a, b, c, d, saved, high;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 27 & 1) || !(c >> 28 & 1)) return 0; /* OSXSAVE, AVX */
  __asm__("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
  return saved;
}
enum { KEYBOARD_YMM_SAVED = 0x06, KEYBOARD_ZMM_SAVED = 0xe6 };

static inline int keyboard_best_path(void) {
  unsigned a, b, c, d, features, saved = keyboard_saved_registers();
  if ((saved & KEYBOARD_YMM_SAVED) != KEYBOARD_YMM_SAVED || !__get_cpuid(1, &a, &b, &features, &d)) return KEYBOARD_PORTABLE;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b >> 5 & 1)) return KEYBOARD_PORTABLE; /* AVX2 */
  if (!(c >> 8 & 1)) return features >> 25 & 1 ? KEYBOARD_AESNI : KEYBOARD_PORTABLE;       /* GFNI, AES */
  int has_512 = (b >> 16 & 1) && (b >> 30 & 1) && (b >> 31 & 1);                            /* AVX512F, BW, VL */
  return has_512 && (saved & KEYBOARD_ZMM_SAVED) == KEYBOARD_ZMM_SAVED ? KEYBOARD_GFNI512 : KEYBOARD_GFNI256;
}

static inline int keyboard_has_sha256(void) {
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 9 & 1) || !(c >> 19 & 1)) return 0; /* SSSE3, SSE4.1 */
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 29 & 1);                  /* SHA */
}

/* Only asked where SM4 runs in registers of 512 bits. */
static inline int keyboard_multiplies_52_bits(void) {
  unsigned a, b, c, d;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b >> 21 & 1); /* AVX512_IFMA */
}

/* Only asked where some path of SM4's other than the portable one runs, so AVX2 is there. */
static inline int keyboard_multiplies_carryless(void) {
  unsigned a, b, c, d;
  return __get_cpuid(1, &a, &b, &c, &d) && (c >> 1 & 1); /* PCLMULQDQ */
}
#elif defined(__aarch64__)
enum { KEYBOARD_NEON = 2, KEYBOARD_ARMV8SM4 = 3 };
#if defined(__APPLE__)
/* Every arm64 processor of Apple's has AES and PMULL; none so far has SM4. */
static inline int keyboard_best_path(void) { return KEYBOARD_NEON; }
static inline int keyboard_multiplies_carryless(void) { return 1; }
#else
unsigned long getauxval(unsigned long type);
static inline int keyboard_best_path(void) {
  unsigned long features = getauxval(16 /* AT_HWCAP */);
  if (!(features >> 3 & 1)) return KEYBOARD_PORTABLE; /* AES */
  return features >> 19 & 1 ? KEYBOARD_ARMV8SM4 : KEYBOARD_NEON; /* SM4 */
}
static inline int keyboard_multiplies_carryless(void) { return getauxval(16 /* AT_HWCAP */) >> 4 & 1; /* PMULL */ }
#endif
#else
static inline int keyboard_best_path(void) { return KEYBOARD_PORTABLE; }
static inline int keyboard_multiplies_carryless(void) { return 0; }
#endif

/* The path's number for its name in the environment; for an unknown name, a number that no processor has. */
static inline int keyboard_path_named(const char *name) {
  static const char *const names[] = {
      "portable",
#if defined(__x86_64__)
      "aesni", "gfni256", "gfni512",
#elif defined(__aarch64__)
      "neon", "armv8sm4",
#endif
  };
  for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
    if (name != NULL && strcmp(name, names[i]) == 0) return KEYBOARD_PORTABLE + i;
  return 1000;
}

/* The path that SM4 takes: the best one that this processor can run, or a lower one that the environment names in
 * CUSTOM_KEYBOARD_SM4. */
static inline int keyboard_sm4_path(void) {
  int best = keyboard_best_path(), wanted = keyboard_path_named(keyboard_environment("CUSTOM_KEYBOARD_SM4"));
  return wanted < best ? wanted : best;
}

/* What the functions below answer is found once, because a processor takes long to tell, and kept in `known`, which is
 * 0 before. Threads that find it at the same time find the same. Swift asks in functions that are never inlined, so
 * that all of this is compiled once. (SM4 keeps its path itself, because it asks for each text.) */
static inline int keyboard_known_path(int *known, int (*find)(void)) {
  int path = __atomic_load_n(known, __ATOMIC_RELAXED);
  if (path != 0) return path;
  path = find();
  __atomic_store_n(known, path, __ATOMIC_RELAXED);
  return path;
}

/* GHASH's paths. It takes the portable one wherever SM4 does. */
enum { KEYBOARD_CARRYLESS = 2 };
static inline int keyboard_ghash_path_beside(int sm4_path) {
  return sm4_path != KEYBOARD_PORTABLE && keyboard_multiplies_carryless() ? KEYBOARD_CARRYLESS : KEYBOARD_PORTABLE;
}
static inline int keyboard_best_ghash_path(void) { return keyboard_ghash_path_beside(keyboard_best_path()); }
static inline int keyboard_find_ghash_path(void) { return keyboard_ghash_path_beside(keyboard_sm4_path()); }
static inline int keyboard_ghash_path(void) {
  static int known;
  return keyboard_known_path(&known, keyboard_find_ghash_path);
}

/* SHA-256's paths. It takes the portable one wherever SM4 does. */
enum { KEYBOARD_SHA256 = 2 };
static inline int keyboard_sha256_path_beside(int sm4_path) {
#if defined(__x86_64__)
  return sm4_path != KEYBOARD_PORTABLE && keyboard_has_sha256() ? KEYBOARD_SHA256 : KEYBOARD_PORTABLE;
#else
  (void)sm4_path;
  return KEYBOARD_PORTABLE;
#endif
}
static inline int keyboard_best_sha256_path(void) { return keyboard_sha256_path_beside(keyboard_best_path()); }
static inline int keyboard_find_sha256_path(void) { return keyboard_sha256_path_beside(keyboard_sm4_path()); }
static inline int keyboard_sha256_path(void) {
  static int known;
  return keyboard_known_path(&known, keyboard_find_sha256_path);
}

/* The paths of Argon2id, Keccak and ML-KEM. On x86-64, every path of SM4's but the portable one has AVX2. */
enum { KEYBOARD_AVX2 = 2 };
static inline int keyboard_vector_path_beside(int sm4_path) {
#if defined(__x86_64__)
  return sm4_path != KEYBOARD_PORTABLE ? KEYBOARD_AVX2 : KEYBOARD_PORTABLE;
#else
  (void)sm4_path;
  return KEYBOARD_PORTABLE;
#endif
}
static inline int keyboard_best_vector_path(void) { return keyboard_vector_path_beside(keyboard_best_path()); }
static inline int keyboard_find_vector_path(void) { return keyboard_vector_path_beside(keyboard_sm4_path()); }
static inline int keyboard_vector_path(void) {
  static int known;
  return keyboard_known_path(&known, keyboard_find_vector_path);
}

/* The paths of curves and of RSA. They take the portable one wherever SM4 does not take GFNI and AVX-512. */
enum { KEYBOARD_IFMA = 2 };
static inline int keyboard_curve_path_beside(int sm4_path) {
#if defined(__x86_64__)
  return sm4_path == KEYBOARD_GFNI512 && keyboard_multiplies_52_bits() ? KEYBOARD_IFMA : KEYBOARD_PORTABLE;
#else
  (void)sm4_path;
  return KEYBOARD_PORTABLE;
#endif
}
static inline int keyboard_best_curve_path(void) { return keyboard_curve_path_beside(keyboard_best_path()); }
static inline int keyboard_find_curve_path(void) { return keyboard_curve_path_beside(keyboard_sm4_path()); }
static inline int keyboard_curve_path(void) {
  static int known;
  return keyboard_known_path(&known, keyboard_find_curve_path);
}

#endif
