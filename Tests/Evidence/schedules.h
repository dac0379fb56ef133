/*
 * Key schedules in the form they have in memory, made without the library: those of DES and 3DES by mbedTLS itself,
 * that of SM4 from the standard.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCHEDULES_H
#define SCHEDULES_H

#include "fixture.h"
#include <mbedtls/des.h>

enum { SCHEDULE_WORDS = 96 };

/* ---- SM4 (GB/T 32907-2016 §7.3) ---------------------------------------------------------------------------------- */

/* In GF(2⁸) modulo x⁸ + x⁷ + x⁶ + x⁵ + x⁴ + x² + 1. */
static uint8_t field_product(uint8_t a, uint8_t b) {
  uint8_t product = 0;
  for (; b; b >>= 1) {
    if (b & 1) product ^= a;
    a = (uint8_t)(a << 1 ^ (a & 0x80 ? 0xf5 : 0));
  }
  return product;
}

static uint8_t affine(uint8_t x) {
  uint8_t y = 0;
  for (int row = 0; row < 8; row++) {
    uint8_t mask = (uint8_t)(0xd3 >> row | 0xd3 << (8 - row));
    y = (uint8_t)(y | __builtin_parity(x & mask) << (7 - row));
  }
  return y ^ 0xd3;
}

/* The S-box: an inversion between two affine maps (F. Liu et al., ISPEC 2007). */
static uint8_t substitute(uint8_t x) {
  uint8_t a = affine(x), inverse = 1;
  for (int i = 0; i < 254; i++) inverse = field_product(inverse, a);
  return affine(inverse);
}

static uint32_t rotate(uint32_t word, int by) { return word << by | word >> (32 - by); }

static size_t sm4_schedule(const uint8_t *key, uint32_t *words) {
  static const uint32_t system[4] = {0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc};
  uint32_t k[36];
  for (int i = 0; i < 4; i++)
    k[i] = system[i] ^ ((uint32_t)key[4 * i] << 24 | (uint32_t)key[4 * i + 1] << 16 | (uint32_t)key[4 * i + 2] << 8 |
                        key[4 * i + 3]);
  for (int i = 0; i < 32; i++) {
    uint32_t constant = 0, mixed = 0;
    for (int j = 0; j < 4; j++) constant = constant << 8 | (uint32_t)((4 * i + j) * 7 & 255);
    uint32_t x = k[i + 1] ^ k[i + 2] ^ k[i + 3] ^ constant;
    for (int j = 0; j < 4; j++) mixed |= (uint32_t)substitute((uint8_t)(x >> 8 * j)) << 8 * j;
    words[i] = k[i + 4] = k[i] ^ mixed ^ rotate(mixed, 13) ^ rotate(mixed, 23);
  }
  return 32;
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

/* The subkeys of a key for one direction; returns the number of words. */
static size_t make_schedule(const struct algorithm *a, const uint8_t *key, int decrypting, uint32_t *words) {
  mbedtls_des_context one;
  mbedtls_des3_context three;
  if (a->way == CUSTOM_ENCWAY_SM4) {
    uint32_t forward[32];
    sm4_schedule(key, forward);
    for (int i = 0; i < 32; i++) words[i] = forward[decrypting ? 31 - i : i];
    return 32;
  }
  if (a->way == CUSTOM_ENCWAY_DES) {
    REQUIRE((decrypting ? mbedtls_des_setkey_dec : mbedtls_des_setkey_enc)(&one, key) == 0);
    memcpy(words, one.sk, sizeof one.sk);
    return sizeof one.sk / 4;
  }
  if (a->key_length == 16)
    REQUIRE((decrypting ? mbedtls_des3_set2key_dec : mbedtls_des3_set2key_enc)(&three, key) == 0);
  else
    REQUIRE((decrypting ? mbedtls_des3_set3key_dec : mbedtls_des3_set3key_enc)(&three, key) == 0);
  memcpy(words, three.sk, sizeof three.sk);
  return sizeof three.sk / 4;
}

#endif /* SCHEDULES_H */
