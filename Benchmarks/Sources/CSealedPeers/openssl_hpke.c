/*
 * HPKE on OpenSSL 3.0, which has none of its own: EVP's key agreement, HMAC and ciphers. EVP checks the public key that
 * came with the text, as RFC 9180 §7.1.4 wants it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "hpke.h"
#include "openssl_key.h"

#include <openssl/core_names.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

struct openssl_hpke {
  peer_suite suite;
  uint8_t public_key[HPKE_POINT];
  EVP_PKEY *key;
  EVP_PKEY_CTX *derive;
  EVP_MAC_CTX *hmac;
  EVP_CIPHER *cipher;
  EVP_CIPHER_CTX *context;
};

openssl_hpke *openssl_hpke_new(peer_suite suite, const uint8_t private_key[32], const uint8_t *public_key) {
  openssl_hpke *peer = calloc(1, sizeof *peer);
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  if (!peer) return NULL;
  peer->suite = suite;
  memcpy(peer->public_key, public_key, hpke_point(suite));
  peer->key = suite == PEER_X25519 ? EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, private_key, 32)
                                   : openssl_key("EC", "prime256v1", private_key, public_key);
  peer->derive = EVP_PKEY_CTX_new(peer->key, NULL);
  peer->hmac = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "HMAC", NULL));
  peer->cipher = EVP_CIPHER_fetch(NULL, suite == PEER_X25519 ? "ChaCha20-Poly1305" : "AES-256-GCM", NULL);
  peer->context = EVP_CIPHER_CTX_new();
  int is_fine = peer->key && peer->derive && peer->hmac && peer->cipher && peer->context &&
                EVP_PKEY_derive_init(peer->derive) == 1 && EVP_MAC_CTX_set_params(peer->hmac, parameters) == 1;
  return is_fine ? peer : NULL;
}

static int hmac(void *library, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *digest) {
  EVP_MAC_CTX *context = ((openssl_hpke *)library)->hmac;
  size_t length;
  return EVP_MAC_init(context, key, HPKE_DIGEST, NULL) == 1 && EVP_MAC_update(context, message, count) == 1 &&
         EVP_MAC_final(context, digest, &length, HPKE_DIGEST) == 1;
}

/* The Diffie-Hellman value with a public key that is given as bytes. */
static int agree(openssl_hpke *peer, EVP_PKEY_CTX *derive, const uint8_t *point, uint8_t shared[32]) {
  EVP_PKEY *other;
  size_t length = 32;
  int is_fine = 1;
  if (peer->suite == PEER_X25519) {
    other = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, point, 32);
  } else {
    other = EVP_PKEY_new();
    is_fine = EVP_PKEY_copy_parameters(other, peer->key) == 1 &&
              EVP_PKEY_set1_encoded_public_key(other, point, HPKE_POINT) == 1;
  }
  is_fine = is_fine && EVP_PKEY_derive_set_peer(derive, other) == 1 && EVP_PKEY_derive(derive, shared, &length) == 1;
  EVP_PKEY_free(other);
  return is_fine && length == 32;
}

int openssl_hpke_open(openssl_hpke *peer, peer_bytes context, const uint8_t *text, uint8_t block[PEER_BLOCK]) {
  const uint8_t *ciphertext = text + hpke_point(peer->suite);
  uint8_t shared[32];
  hpke_key key;
  int length;
  return agree(peer, peer->derive, text, shared) &&
         hpke_schedule(peer->suite, hmac, peer, shared, text, peer->public_key, context, &key) &&
         EVP_DecryptInit_ex2(peer->context, peer->cipher, key.key, key.nonce, NULL) == 1 &&
         EVP_DecryptUpdate(peer->context, block, &length, ciphertext, PEER_BLOCK) == 1 &&
         EVP_CIPHER_CTX_ctrl(peer->context, EVP_CTRL_AEAD_SET_TAG, HPKE_TAG, (void *)(ciphertext + PEER_BLOCK)) == 1 &&
         EVP_DecryptFinal_ex(peer->context, block + PEER_BLOCK, &length) == 1;
}

/* A new key pair on the curve, for one text; `enc` gets its public key. */
static EVP_PKEY *ephemeral(openssl_hpke *peer, uint8_t *enc) {
  size_t length = HPKE_POINT;
  if (peer->suite == PEER_X25519) {
    EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "X25519");
    return key && EVP_PKEY_get_raw_public_key(key, enc, &length) == 1 ? key : NULL;
  }
  EVP_PKEY *key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
  return key && EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, enc, HPKE_POINT, &length) == 1 ? key
                                                                                                           : NULL;
}

int openssl_hpke_seal(openssl_hpke *peer, peer_bytes context, const uint8_t block[PEER_BLOCK], uint8_t *text) {
  uint8_t *ciphertext = text + hpke_point(peer->suite), shared[32];
  hpke_key key;
  int length;
  EVP_PKEY *sender = ephemeral(peer, text);
  EVP_PKEY_CTX *derive = EVP_PKEY_CTX_new(sender, NULL);
  int is_fine = sender && EVP_PKEY_derive_init(derive) == 1 && agree(peer, derive, peer->public_key, shared) &&
                hpke_schedule(peer->suite, hmac, peer, shared, text, peer->public_key, context, &key) &&
                EVP_EncryptInit_ex2(peer->context, peer->cipher, key.key, key.nonce, NULL) == 1 &&
                EVP_EncryptUpdate(peer->context, ciphertext, &length, block, PEER_BLOCK) == 1 &&
                EVP_EncryptFinal_ex(peer->context, ciphertext + PEER_BLOCK, &length) == 1 &&
                EVP_CIPHER_CTX_ctrl(peer->context, EVP_CTRL_AEAD_GET_TAG, HPKE_TAG, ciphertext + PEER_BLOCK) == 1;
  EVP_PKEY_CTX_free(derive);
  EVP_PKEY_free(sender);
  return is_fine;
}
