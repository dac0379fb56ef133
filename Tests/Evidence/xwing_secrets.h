/*
 * What X-Wing computes from a private key and a text, without the library: Keccak is FIPS 202's, ML-KEM-768 is FIPS
 * 203's and X-Wing is draft-connolly-cfrg-xwing-kem's. Only what opens a text, and simple: the polynomials are
 * multiplied term by term, so nothing needs a transform. The caller checks the result: it must open the text.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef XWING_SECRETS_H
#define XWING_SECRETS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
  RANK = 3,                 /* of ML-KEM-768 */
  DEGREE = 256,
  PRIME = 3329,
  LATTICE_PUBLIC = 1184,    /* then 32 bytes of X25519 */
  LATTICE_TEXT = 1088,      /* likewise */
  XWING_TEXT = LATTICE_TEXT + 32,
  UPPER_BITS = 10,          /* of a coefficient of u */
  LOWER_BITS = 4,           /* of one of v */
  PACKED_U = DEGREE * UPPER_BITS / 8
};

struct xwing_secrets {
  uint8_t expanded[96];      /* d, z and the private key of X25519 */
  uint8_t seeds[64];         /* rho and sigma */
  int16_t vector[RANK][DEGREE]; /* s */
  uint8_t message[32], lattice_shared[32], shared[32];
};

/* ---- Keccak ------------------------------------------------------------------------------------------------------ */

static uint64_t rotate_lane(uint64_t lane, unsigned by) { return by ? lane << by | lane >> (64 - by) : lane; }

static void permute(uint64_t a[25]) {
  unsigned bits = 1; /* of the round constants: an LFSR (FIPS 202 §3.2.5) */
  for (int round = 0; round < 24; round++) {
    uint64_t c[5], b[25];
    for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (int i = 0; i < 25; i++) a[i] ^= c[(i + 4) % 5] ^ rotate_lane(c[(i + 1) % 5], 1);
    b[0] = a[0];
    for (int t = 0, x = 1, y = 0; t < 24; t++) {
      int next = (2 * x + 3 * y) % 5;
      b[y + 5 * next] = rotate_lane(a[x + 5 * y], (unsigned)((t + 1) * (t + 2) / 2 % 64));
      x = y, y = next;
    }
    for (int i = 0; i < 25; i++) a[i] = b[i] ^ (~b[i / 5 * 5 + (i + 1) % 5] & b[i / 5 * 5 + (i + 2) % 5]);
    for (int j = 0; j < 7; j++) {
      if (bits & 1) a[0] ^= (uint64_t)1 << ((1 << j) - 1);
      bits = bits << 1 ^ (bits >> 7) * 0x171;
    }
  }
}

/* SHA3-256 and SHA3-512 end with 06, SHAKE-256 with 1f; `rate` is 200 less twice the strength. At most `rate` bytes. */
static void keccak(size_t rate, uint8_t end, const uint8_t *input, size_t length, uint8_t *output, size_t count) {
  uint64_t state[25] = {0};
  size_t at = 0;
  for (size_t i = 0; i < length; i++) {
    state[at / 8] ^= (uint64_t)input[i] << 8 * (at % 8);
    if (++at == rate) permute(state), at = 0;
  }
  state[at / 8] ^= (uint64_t)end << 8 * (at % 8);
  state[(rate - 1) / 8] ^= (uint64_t)0x80 << 8 * ((rate - 1) % 8);
  permute(state);
  for (size_t i = 0; i < count; i++) output[i] = (uint8_t)(state[i / 8] >> 8 * (i % 8));
}

static void sha3_256(const uint8_t *input, size_t length, uint8_t *digest) {
  keccak(136, 6, input, length, digest, 32);
}
static void sha3_512(const uint8_t *input, size_t length, uint8_t *digest) {
  keccak(72, 6, input, length, digest, 64);
}
static void shake256(const uint8_t *input, size_t length, uint8_t *output, size_t count) {
  keccak(136, 0x1f, input, length, output, count);
}

/* ---- ML-KEM-768 -------------------------------------------------------------------------------------------------- */

/* A coefficient of a text (FIPS 203 §4.2.1). */
static int32_t unpack(const uint8_t *packed, size_t index, unsigned bits) {
  uint32_t value = 0;
  for (unsigned i = 0; i < bits; i++) {
    size_t bit = index * bits + i;
    value |= (uint32_t)(packed[bit / 8] >> bit % 8 & 1) << i;
  }
  return (int32_t)((value * PRIME + (1u << (bits - 1))) >> bits);
}

/* K-PKE.KeyGen's secret vector, and K-PKE.Decrypt (§5.1, §5.3), then the shared secret (§6.3) if the text is right. */
static void open_lattice(const uint8_t *public, const uint8_t *text, struct xwing_secrets *found) {
  uint8_t input[64], samples[128], result[64];
  int64_t sum[DEGREE];
  memcpy(input, found->expanded, 32);
  input[32] = RANK;
  sha3_512(input, 33, found->seeds);
  for (size_t i = 0; i < DEGREE; i++) sum[i] = unpack(text + RANK * PACKED_U, i, LOWER_BITS);
  for (int row = 0; row < RANK; row++) {
    int16_t *s = found->vector[row];
    memcpy(input, found->seeds + 32, 32);
    input[32] = (uint8_t)row;
    shake256(input, 33, samples, 128);
    for (int i = 0; i < DEGREE; i++) {
      int four = samples[i / 2] >> 4 * (i % 2);
      s[i] = (int16_t)((four & 1) + (four >> 1 & 1) - (four >> 2 & 1) - (four >> 3 & 1));
    }
    for (int i = 0; i < DEGREE; i++)
      for (int j = 0; j < DEGREE; j++) {
        int32_t product = s[j] * unpack(text + row * PACKED_U, (size_t)i, UPPER_BITS);
        sum[(i + j) % DEGREE] -= i + j < DEGREE ? product : -product; /* X^256 is -1 */
      }
  }
  memset(found->message, 0, 32);
  for (int i = 0; i < DEGREE; i++) {
    int64_t coefficient = (sum[i] % PRIME + PRIME) % PRIME;
    found->message[i / 8] |= (uint8_t)(((2 * coefficient + PRIME / 2) / PRIME & 1) << i % 8);
  }
  memcpy(input, found->message, 32);
  sha3_256(public, LATTICE_PUBLIC, input + 32);
  sha3_512(input, 64, result);
  memcpy(found->lattice_shared, result, 32);
}

/* ---- X-Wing ------------------------------------------------------------------------------------------------------ */

static void expand_xwing(const uint8_t *seed, struct xwing_secrets *found) { shake256(seed, 32, found->expanded, 96); }

/* `x` is what X25519 makes of the text's last 32 bytes. */
static void combine_xwing(const uint8_t *public, const uint8_t *text, const uint8_t *x, struct xwing_secrets *found) {
  uint8_t all[4 * 32 + 6];
  memcpy(all, found->lattice_shared, 32);
  memcpy(all + 32, x, 32);
  memcpy(all + 64, text + LATTICE_TEXT, 32);
  memcpy(all + 96, public + LATTICE_PUBLIC, 32);
  memcpy(all + 128, "\\.//^\\", 6);
  sha3_256(all, sizeof all, found->shared);
}

#endif /* XWING_SECRETS_H */
