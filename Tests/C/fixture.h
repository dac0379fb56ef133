/*
 * Common parts of the C tests: the four kinds of key, an open keyboard with typed text, bytes from hexadecimal digits,
 * and random inputs. A failed test prints its seed, so that it can be run again with SEED=….
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FIXTURE_H
#define FIXTURE_H

#include "check.h"
#include <time.h>

struct algorithm {
  const char *name;
  CUSTOM_ENCWAY way;
  size_t key_length, block_size;
};

static const struct algorithm algorithms[] = {
    {"DES", CUSTOM_ENCWAY_DES, 8, 8},
    {"3DES, two keys", CUSTOM_ENCWAY_3DES, 16, 8},
    {"3DES, three keys", CUSTOM_ENCWAY_3DES, 24, 8},
    {"SM4", CUSTOM_ENCWAY_SM4, 16, 16},
};

enum { ALGORITHM_COUNT = sizeof algorithms / sizeof *algorithms, LONGEST_KEY = 24 };

static inline const uint8_t *bytes(const char *text) { return (const uint8_t *)text; }

/* Random numbers for inputs, which need not be secret: SplitMix64. */
static inline uint64_t draw(uint64_t *seed) {
  uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return z ^ z >> 31;
}

static inline void draw_bytes(uint64_t *seed, uint8_t *out, size_t length) {
  for (size_t i = 0; i < length; i++) out[i] = (uint8_t)draw(seed);
}

/* Printable ASCII, which is valid UTF-8 wherever it is cut. */
static inline void draw_password(uint64_t *seed, uint8_t *out, size_t length) {
  for (size_t i = 0; i < length; i++) out[i] = (uint8_t)(' ' + draw(seed) % 95);
}

/* The time, or SEED from the environment. It is printed if the test fails, so that the run can be repeated. */
static uint64_t first_seed;
static inline void print_seed_of_failure(void) {
  if (atomic_load(&check_failures) > 0) fprintf(stderr, "run again with SEED=%llu\n", (unsigned long long)first_seed);
}
static inline uint64_t take_seed(void) {
  const char *given = getenv("SEED");
  struct timespec now;
  timespec_get(&now, TIME_UTC);
  first_seed = given ? strtoull(given, NULL, 10) : (uint64_t)now.tv_sec * 1000000007u + (uint64_t)now.tv_nsec;
  atexit(print_seed_of_failure);
  return first_seed;
}

/* An open keyboard with a key and a typed password. */
static inline CUSTOM_KEYBOARD typed(CUSTOM_ENCWAY way, const uint8_t *key, size_t key_length, const uint8_t *password,
                                    size_t length) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, key, key_length, way));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, password, length));
  return keyboard;
}

/* An open keyboard without a key, with a typed passcode. */
static inline CUSTOM_KEYBOARD holding(const char *passcode) {
  CUSTOM_KEYBOARD keyboard;
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, bytes(passcode), strlen(passcode)));
  return keyboard;
}

/* A pointer that no call may follow: adding to it overflows the address space. */
static inline uint8_t *last_bytes(void) { return (uint8_t *)(UINTPTR_MAX - 3); }

static inline size_t padded(size_t length, size_t block_size) { return length + block_size - length % block_size; }

/* Returns the number of bytes; SIZE_MAX if `hex` is not hexadecimal, has an odd length or is longer than `capacity`. */
static inline size_t from_hex(const char *hex, uint8_t *out, size_t capacity) {
  static const char digits[] = "0123456789abcdef0123456789ABCDEF";
  size_t length = strlen(hex);
  if (length % 2 != 0 || length / 2 > capacity) return SIZE_MAX;
  for (size_t i = 0; i < length; i += 2) {
    const char *high = strchr(digits, hex[i]), *low = strchr(digits, hex[i + 1]);
    if (!high || !low) return SIZE_MAX;
    out[i / 2] = (uint8_t)((high - digits) % 16 * 16 + (low - digits) % 16);
  }
  return length / 2;
}

#endif /* FIXTURE_H */
