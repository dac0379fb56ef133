/*
 * The secrets of a sealed text, computed from its private key without the library: mbedTLS multiplies points, SM3 is
 * the standard's, X-Wing its draft's (xwing_secrets.h). Docs/SealedTexts.md has the formats.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SEALED_SECRETS_H
#define SEALED_SECRETS_H

#include "sealed_ways.h"
#include "schedules.h"
#include "xwing_secrets.h"
#include <mbedtls/aes.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/ecp.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>

enum { COORDINATE = 32, BLOCK = 144, TAG = 16 };

/* The shared point (x only, for X25519 and X-Wing), and the key that the block is encrypted with. */
struct sealed_secrets {
  uint8_t x[COORDINATE], y[COORDINATE], session[32];
  size_t session_length;
  struct xwing_secrets xwing;
};

/* ---- Points ------------------------------------------------------------------------------------------------------ */

static int draw_blinding(void *nothing, unsigned char *bytes, size_t length) {
  static uint64_t seed = 7;
  (void)nothing;
  draw_bytes(&seed, bytes, length);
  return 0;
}

static void load_group(mbedtls_ecp_group *group, CUSTOM_ENCWAY way) {
  mbedtls_ecp_group_init(group);
  if (way != CUSTOM_ENCWAY_SM2) {
    REQUIRE(mbedtls_ecp_group_load(group, way == CUSTOM_ENCWAY_P256 ? MBEDTLS_ECP_DP_SECP256R1
                                                                    : MBEDTLS_ECP_DP_CURVE25519) == 0);
    return;
  }
  /* GB/T 32918.5-2017 §2 */
  int bad = mbedtls_mpi_read_string(&group->P, 16, "fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff");
  bad |= mbedtls_mpi_read_string(&group->A, 16, "fffffffeffffffffffffffffffffffffffffffff00000000fffffffffffffffc");
  bad |= mbedtls_mpi_read_string(&group->B, 16, "28e9fa9e9d9f5e344d5a9e4bcf6509a7f39789f515ab8f92ddbcbd414d940e93");
  bad |= mbedtls_mpi_read_string(&group->N, 16, "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123");
  bad |= mbedtls_ecp_point_read_string(&group->G, 16,
                                       "32c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7",
                                       "bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0");
  REQUIRE(bad == 0);
  group->pbits = group->nbits = 256;
}

/* The product of a secret key and a point, written as the way writes points; NULL is the base point. */
static void multiply(CUSTOM_ENCWAY way, const uint8_t *secret, const uint8_t *point, uint8_t *product) {
  mbedtls_ecp_group group;
  mbedtls_ecp_point from, to;
  mbedtls_mpi scalar;
  size_t length = way == CUSTOM_ENCWAY_X25519 ? COORDINATE : 1 + 2 * COORDINATE, written;
  load_group(&group, way);
  mbedtls_ecp_point_init(&from);
  mbedtls_ecp_point_init(&to);
  mbedtls_mpi_init(&scalar);
  if (way == CUSTOM_ENCWAY_X25519) {
    uint8_t clamped[32];
    memcpy(clamped, secret, 32);
    clamped[0] &= 0xf8, clamped[31] = (clamped[31] & 0x3f) | 0x40;
    REQUIRE(mbedtls_mpi_read_binary_le(&scalar, clamped, 32) == 0);
  } else {
    REQUIRE(mbedtls_mpi_read_binary(&scalar, secret, 32) == 0);
  }
  if (point) REQUIRE(mbedtls_ecp_point_read_binary(&group, &from, point, length) == 0);
  REQUIRE(mbedtls_ecp_mul(&group, &to, &scalar, point ? &from : &group.G, draw_blinding, NULL) == 0);
  REQUIRE(mbedtls_ecp_point_write_binary(&group, &to, MBEDTLS_ECP_PF_UNCOMPRESSED, &written, product, length) == 0);
  REQUIRE(written == length);
  mbedtls_ecp_point_free(&from);
  mbedtls_ecp_point_free(&to);
  mbedtls_mpi_free(&scalar);
  mbedtls_ecp_group_free(&group);
}

/* ---- HPKE (RFC 9180 §4, §5.1) ------------------------------------------------------------------------------------ */

struct part {
  const void *bytes;
  size_t length;
};

static void hmac(const void *key, size_t key_length, const struct part *parts, int count, uint8_t *result) {
  mbedtls_md_context_t context;
  mbedtls_md_init(&context);
  REQUIRE(mbedtls_md_setup(&context, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1) == 0);
  REQUIRE(mbedtls_md_hmac_starts(&context, key, key_length) == 0);
  for (int i = 0; i < count; i++) REQUIRE(mbedtls_md_hmac_update(&context, parts[i].bytes, parts[i].length) == 0);
  REQUIRE(mbedtls_md_hmac_finish(&context, result) == 0);
  mbedtls_md_free(&context);
}

static void extract(const void *salt, size_t salt_length, struct part suite, const char *label, struct part material,
                    uint8_t *result) {
  struct part parts[] = {{"HPKE-v1", 7}, suite, {label, strlen(label)}, material};
  hmac(salt, salt_length, parts, 4, result);
}

static void expand(const uint8_t *key, struct part suite, const char *label, struct part info, uint8_t length,
                   uint8_t *result) {
  uint8_t count[2] = {0, length}, whole[32];
  struct part parts[] = {{count, 2}, {"HPKE-v1", 7}, suite, {label, strlen(label)}, info, {"\1", 1}};
  hmac(key, 32, parts, 6, whole);
  memcpy(result, whole, length);
}

/* The key of the cipher. It must open the text, so that it is the right one. */
static void derive_hpke(const struct sealed_way *sealing, const uint8_t *public, struct part context,
                        const uint8_t *text, struct sealed_secrets *found) {
  int is_p256 = sealing->way == CUSTOM_ENCWAY_P256, is_xwing = sealing->way == CUSTOM_ENCWAY_XWING;
  struct part kem = {is_p256 ? "KEM\0\x10" : "KEM\0\x20", 5}, none = {"", 0};
  struct part suite = {is_xwing  ? "HPKE\x64\x7a\0\1\0\2"
                       : is_p256 ? "HPKE\0\x10\0\1\0\2"
                                 : "HPKE\0\x20\0\1\0\3", 10};
  uint8_t one[32], two[32], both[2 * LONGEST_PUBLIC], schedule[65] = {0}, nonce[12], block[BLOCK];
  size_t size = is_xwing ? XWING_TEXT : sealing->public_length; /* of what comes before the block */
  const uint8_t *tag = text + size + BLOCK;
  if (is_xwing) {
    memcpy(two, found->xwing.shared, 32);
  } else {
    memcpy(both, text, size);
    memcpy(both + size, public, size);
    extract("", 0, kem, "eae_prk", (struct part){found->x, COORDINATE}, one);
    expand(one, kem, "shared_secret", (struct part){both, 2 * size}, 32, two);
  }
  extract("", 0, suite, "psk_id_hash", none, schedule + 1);
  extract("", 0, suite, "info_hash", context, schedule + 33);
  extract(two, 32, suite, "secret", none, one);
  expand(one, suite, "key", (struct part){schedule, 65}, 32, found->session);
  expand(one, suite, "base_nonce", (struct part){schedule, 65}, 12, nonce);
  found->session_length = 32;
  if (is_p256 || is_xwing) {
    mbedtls_gcm_context gcm;
    mbedtls_gcm_init(&gcm);
    REQUIRE(mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, found->session, 256) == 0);
    REQUIRE(mbedtls_gcm_auth_decrypt(&gcm, BLOCK, nonce, 12, NULL, 0, tag, TAG, text + size, block) == 0);
    mbedtls_gcm_free(&gcm);
  } else {
    mbedtls_chachapoly_context chacha;
    mbedtls_chachapoly_init(&chacha);
    REQUIRE(mbedtls_chachapoly_setkey(&chacha, found->session) == 0);
    REQUIRE(mbedtls_chachapoly_auth_decrypt(&chacha, BLOCK, nonce, NULL, 0, tag, text + size, block) == 0);
    mbedtls_chachapoly_free(&chacha);
  }
}

/* ---- SM2 --------------------------------------------------------------------------------------------------------- */

/* GB/T 32905-2016 §5, for messages of less than 256 bytes. */
static void sm3(const uint8_t *message, size_t length, uint8_t *digest) {
  uint32_t v[8] = {0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600, 0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e};
  uint8_t padded_message[320] = {0};
  size_t size = (length + 9 + 63) / 64 * 64;
  memcpy(padded_message, message, length);
  padded_message[length] = 0x80;
  padded_message[size - 2] = (uint8_t)(8 * length >> 8), padded_message[size - 1] = (uint8_t)(8 * length);
  for (size_t start = 0; start < size; start += 64) {
    uint32_t w[68], s[8];
    memcpy(s, v, sizeof s);
    for (int j = 0; j < 16; j++) {
      const uint8_t *b = padded_message + start + 4 * j;
      w[j] = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    }
    for (int j = 16; j < 68; j++) {
      uint32_t x = w[j - 16] ^ w[j - 9] ^ rotate(w[j - 3], 15);
      w[j] = x ^ rotate(x, 15) ^ rotate(x, 23) ^ rotate(w[j - 13], 7) ^ w[j - 6];
    }
    for (int j = 0; j < 64; j++) {
      uint32_t t = j < 16 ? 0x79cc4519 : 0x7a879d8a, turned = j % 32 ? rotate(t, j % 32) : t;
      uint32_t ss1 = rotate(rotate(s[0], 12) + s[4] + turned, 7), ss2 = ss1 ^ rotate(s[0], 12);
      uint32_t ff = j < 16 ? s[0] ^ s[1] ^ s[2] : (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
      uint32_t gg = j < 16 ? s[4] ^ s[5] ^ s[6] : (s[4] & s[5]) | (~s[4] & s[6]);
      uint32_t tt1 = ff + s[3] + ss2 + (w[j] ^ w[j + 4]), tt2 = gg + s[7] + ss1 + w[j];
      s[3] = s[2], s[2] = rotate(s[1], 9), s[1] = s[0], s[0] = tt1;
      s[7] = s[6], s[6] = rotate(s[5], 19), s[5] = s[4], s[4] = tt2 ^ rotate(tt2, 9) ^ rotate(tt2, 17);
    }
    for (int i = 0; i < 8; i++) v[i] ^= s[i];
  }
  for (int i = 0; i < 32; i++) digest[i] = (uint8_t)(v[i / 4] >> (24 - 8 * (i % 4)));
}

/* The key for SM4. C3 must confirm it. */
static void derive_sm2(const uint8_t *text, struct sealed_secrets *found) {
  uint8_t message[2 * COORDINATE + 16], digest[32];
  memcpy(message, found->x, 32);
  memcpy(message + 32, found->y, 32);
  memcpy(message + 64, "\0\0\0\1", 4);
  sm3(message, 68, digest);
  for (int i = 0; i < 16; i++) found->session[i] = digest[i] ^ text[97 + i];
  found->session_length = 16;
  memcpy(message + 32, found->session, 16);
  memcpy(message + 48, found->y, 32);
  sm3(message, 80, digest);
  REQUIRE(memcmp(digest, text + 65, 32) == 0);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static void derive(const struct sealed_way *sealing, const uint8_t *secret, const uint8_t *public, struct part context,
                   const uint8_t *text, struct sealed_secrets *found) {
  uint8_t point[LONGEST_PUBLIC];
  memset(found, 0, sizeof *found);
  if (sealing->way == CUSTOM_ENCWAY_SM4_GCM || sealing->way == CUSTOM_ENCWAY_RSA) return; /* none but the key */
  if (sealing->way == CUSTOM_ENCWAY_XWING) {
    expand_xwing(secret, &found->xwing);
    multiply(CUSTOM_ENCWAY_X25519, found->xwing.expanded + 64, text + LATTICE_TEXT, found->x);
    open_lattice(public, text, &found->xwing);
    combine_xwing(public, text, found->x, &found->xwing);
    derive_hpke(sealing, public, context, text, found);
    return;
  }
  multiply(sealing->way, secret, text, point);
  if (sealing->way == CUSTOM_ENCWAY_X25519) {
    memcpy(found->x, point, 32);
  } else {
    memcpy(found->x, point + 1, 32);
    memcpy(found->y, point + 33, 32);
  }
  if (sealing->way == CUSTOM_ENCWAY_SM2)
    derive_sm2(text, found);
  else
    derive_hpke(sealing, public, context, text, found);
}

#endif /* SEALED_SECRETS_H */
