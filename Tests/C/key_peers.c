/*
 * publicKey beside OpenSSL: random private keys, and numbers with long runs of ones and zeros, of each curve.
 * Peers/lattice.py, in Tests/Evidence, is for X-Wing.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"
#include "sealed_ways.h"
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>

enum { ROUNDS = 3000 / LESS, SECRET = 32 };

/* OpenSSL's name for the group of a way; 0 for X25519. */
static const struct curve {
  CUSTOM_ENCWAY way;
  int group;
} curves[] = {{CUSTOM_ENCWAY_X25519, 0}, {CUSTOM_ENCWAY_P256, NID_X9_62_prime256v1}, {CUSTOM_ENCWAY_SM2, NID_sm2}};

/* Returns 0 if the number is not a private key: 0, the order or more; of SM2 the order − 1, too (GB/T 32918.1). */
static size_t public_of_openssl(const struct curve *curve, const uint8_t *secret, uint8_t *public) {
  size_t length = POINT;
  if (curve->group == 0) {
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, secret, SECRET);
    REQUIRE(key && EVP_PKEY_get_raw_public_key(key, public, &length) == 1);
    EVP_PKEY_free(key);
    return length;
  }
  EC_GROUP *group = EC_GROUP_new_by_curve_name(curve->group);
  EC_POINT *point = EC_POINT_new(group);
  BIGNUM *number = BN_bin2bn(secret, SECRET, NULL), *most = BN_dup(EC_GROUP_get0_order(group));
  REQUIRE(group && point && number && most && BN_sub_word(most, curve->way == CUSTOM_ENCWAY_SM2 ? 2 : 1) == 1);
  length = 0;
  if (!BN_is_zero(number) && BN_cmp(number, most) <= 0) {
    REQUIRE(EC_POINT_mul(group, point, number, NULL, NULL, NULL) == 1);
    length = EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, public, POINT, NULL);
    REQUIRE(length == POINT);
  }
  BN_free(number);
  BN_free(most);
  EC_POINT_free(point);
  EC_GROUP_free(group);
  return length;
}

/* In turn: random; a run of ones between zeros; its opposite; a small number; one near the top. */
static void draw_secret(uint64_t *seed, int turn, uint8_t *secret) {
  size_t from = draw(seed) % (8 * SECRET), to = draw(seed) % (8 * SECRET + 1);
  draw_bytes(seed, secret, SECRET);
  if (turn % 5 == 0) return;
  memset(secret, turn % 5 == 2 || turn % 5 == 4 ? 0xff : 0, SECRET);
  if (turn % 5 <= 2)
    for (size_t bit = from; bit < to; bit++) secret[SECRET - 1 - bit / 8] ^= (uint8_t)(1 << bit % 8);
  else
    secret[SECRET - 1] = (uint8_t)draw(seed);
}

int main(void) {
  uint64_t seed = take_seed();
  unsigned long refused = 0;
  for (size_t i = 0; i < sizeof curves / sizeof *curves; i++)
    for (int round = 0; round < ROUNDS; round++) {
      uint8_t secret[SECRET], ours[POINT] = {0}, theirs[POINT] = {0};
      size_t length = 0;
      draw_secret(&seed, round, secret);
      size_t expected = public_of_openssl(&curves[i], secret, theirs);
      CUSTOM_KEYBOARD_RV rv =
          CustomKeyboard_publicKey(curves[i].way, secret, sizeof secret, ours, sizeof ours, &length);
      CHECK_EQUAL(rv, expected > 0 ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ERR);
      CHECK_EQUAL(length, expected);
      CHECK_BYTES(ours, theirs, sizeof ours);
      refused += expected == 0;
    }
  CHECK(refused > ROUNDS / 10);
  return check_end("key_peers", 9 * (unsigned long)ROUNDS);
}
