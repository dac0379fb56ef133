/*
 * HPKE on mbedTLS 2.28 or 3.6: its curves, HMAC and ciphers. mbedTLS checks the public key itself when it multiplies.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "hpke.h"

#include <mbedtls/chachapoly.h>
#include <mbedtls/ecdh.h>
#include <mbedtls/gcm.h>
#include <mbedtls/md.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

struct mbedtls_hpke {
  peer_suite suite;
  uint8_t public_key[HPKE_POINT];
  mbedtls_ecp_group group;
  mbedtls_mpi private_key;
  mbedtls_ecp_point recipient;
  mbedtls_md_context_t hmac;
  mbedtls_chachapoly_context chachapoly;
  mbedtls_gcm_context gcm;
};

static int draw(void *unused, unsigned char *bytes, size_t count) {
  (void)unused;
  return getrandom(bytes, count, 0) == (ssize_t)count ? 0 : -1;
}

mbedtls_hpke *mbedtls_hpke_new(peer_suite suite, const uint8_t private_key[32], const uint8_t *public_key) {
  mbedtls_hpke *peer = calloc(1, sizeof *peer);
  if (!peer) return NULL;
  const int is_x25519 = suite == PEER_X25519;
  uint8_t scalar[32];
  memcpy(scalar, private_key, 32);
  if (is_x25519) scalar[0] &= 0xf8, scalar[31] = (scalar[31] & 0x7f) | 0x40; /* RFC 7748 §5 */
  peer->suite = suite;
  memcpy(peer->public_key, public_key, hpke_point(suite));
  mbedtls_ecp_group_init(&peer->group);
  mbedtls_mpi_init(&peer->private_key);
  mbedtls_ecp_point_init(&peer->recipient);
  mbedtls_md_init(&peer->hmac);
  mbedtls_chachapoly_init(&peer->chachapoly);
  mbedtls_gcm_init(&peer->gcm);
  int error = mbedtls_ecp_group_load(&peer->group, is_x25519 ? MBEDTLS_ECP_DP_CURVE25519 : MBEDTLS_ECP_DP_SECP256R1);
  error |= (is_x25519 ? mbedtls_mpi_read_binary_le : mbedtls_mpi_read_binary)(&peer->private_key, scalar, 32);
  error |= mbedtls_ecp_point_read_binary(&peer->group, &peer->recipient, public_key, hpke_point(suite));
  error |= mbedtls_md_setup(&peer->hmac, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256), 1);
  return error ? NULL : peer;
}

static int hmac(void *library, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *digest) {
  mbedtls_md_context_t *context = &((mbedtls_hpke *)library)->hmac;
  return mbedtls_md_hmac_starts(context, key, HPKE_DIGEST) == 0 &&
         mbedtls_md_hmac_update(context, message, count) == 0 && mbedtls_md_hmac_finish(context, digest) == 0;
}

static int agree(mbedtls_hpke *peer, const mbedtls_ecp_point *point, const mbedtls_mpi *scalar, uint8_t shared[32]) {
  mbedtls_mpi z;
  mbedtls_mpi_init(&z);
  int error = mbedtls_ecdh_compute_shared(&peer->group, &z, point, scalar, draw, NULL);
  if (!error) {
    error = peer->suite == PEER_X25519 ? mbedtls_mpi_write_binary_le(&z, shared, 32)
                                       : mbedtls_mpi_write_binary(&z, shared, 32);
  }
  mbedtls_mpi_free(&z);
  return error == 0;
}

int mbedtls_hpke_open(mbedtls_hpke *peer, peer_bytes context, const uint8_t *text, uint8_t block[PEER_BLOCK]) {
  const size_t point = hpke_point(peer->suite);
  const uint8_t *ciphertext = text + point, *tag = ciphertext + PEER_BLOCK;
  uint8_t shared[32];
  hpke_key key;
  mbedtls_ecp_point enc;
  mbedtls_ecp_point_init(&enc);
  int is_fine = mbedtls_ecp_point_read_binary(&peer->group, &enc, text, point) == 0 &&
                agree(peer, &enc, &peer->private_key, shared) &&
                hpke_schedule(peer->suite, hmac, peer, shared, text, peer->public_key, context, &key);
  mbedtls_ecp_point_free(&enc);
  if (!is_fine) return 0;
  if (peer->suite == PEER_X25519)
    return mbedtls_chachapoly_setkey(&peer->chachapoly, key.key) == 0 &&
           mbedtls_chachapoly_auth_decrypt(&peer->chachapoly, PEER_BLOCK, key.nonce, NULL, 0, tag, ciphertext,
                                           block) == 0;
  return mbedtls_gcm_setkey(&peer->gcm, MBEDTLS_CIPHER_ID_AES, key.key, 256) == 0 &&
         mbedtls_gcm_auth_decrypt(&peer->gcm, PEER_BLOCK, key.nonce, HPKE_NONCE, NULL, 0, tag, HPKE_TAG, ciphertext,
                                  block) == 0;
}

int mbedtls_hpke_seal(mbedtls_hpke *peer, peer_bytes context, const uint8_t block[PEER_BLOCK], uint8_t *text) {
  const size_t point = hpke_point(peer->suite);
  uint8_t *ciphertext = text + point, *tag = ciphertext + PEER_BLOCK, shared[32];
  hpke_key key;
  size_t length;
  mbedtls_ecp_point enc;
  mbedtls_mpi scalar;
  mbedtls_ecp_point_init(&enc);
  mbedtls_mpi_init(&scalar);
  int is_fine = mbedtls_ecdh_gen_public(&peer->group, &scalar, &enc, draw, NULL) == 0 &&
                mbedtls_ecp_point_write_binary(&peer->group, &enc, MBEDTLS_ECP_PF_UNCOMPRESSED, &length, text,
                                               point) == 0 &&
                agree(peer, &peer->recipient, &scalar, shared) &&
                hpke_schedule(peer->suite, hmac, peer, shared, text, peer->public_key, context, &key);
  mbedtls_ecp_point_free(&enc);
  mbedtls_mpi_free(&scalar);
  if (!is_fine) return 0;
  if (peer->suite == PEER_X25519)
    return mbedtls_chachapoly_setkey(&peer->chachapoly, key.key) == 0 &&
           mbedtls_chachapoly_encrypt_and_tag(&peer->chachapoly, PEER_BLOCK, key.nonce, NULL, 0, block, ciphertext,
                                              tag) == 0;
  return mbedtls_gcm_setkey(&peer->gcm, MBEDTLS_CIPHER_ID_AES, key.key, 256) == 0 &&
         mbedtls_gcm_crypt_and_tag(&peer->gcm, MBEDTLS_GCM_ENCRYPT, PEER_BLOCK, key.nonce, HPKE_NONCE, NULL, 0, block,
                                   ciphertext, HPKE_TAG, tag) == 0;
}
