/* SPDX-License-Identifier: Apache-2.0 */
#include "include/sealed_peers.h"
#include "openssl_key.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_MESSAGE = 1024 };

struct openssl_signer {
  EVP_PKEY *key;
  EVP_PKEY_CTX *context;
  EVP_MD_CTX *digest;
  const char *digest_name;
};

openssl_signer *openssl_signer_new(peer_signature kind, const uint8_t private_key[32], const uint8_t public_key[65]) {
  openssl_signer *peer = calloc(1, sizeof *peer);
  if (!peer) return NULL;
  int is_sm2 = kind == PEER_SM2;
  peer->digest_name = is_sm2 ? "SM3" : "SHA256";
  peer->key = openssl_key(is_sm2 ? "SM2" : "EC", is_sm2 ? "SM2" : "prime256v1", private_key, public_key);
  peer->context = EVP_PKEY_CTX_new(peer->key, NULL);
  peer->digest = EVP_MD_CTX_new();
  if (!peer->context || !peer->digest) return NULL;
  if (is_sm2 && EVP_PKEY_CTX_set1_id(peer->context, "1234567812345678", 16) != 1) return NULL;
  EVP_MD_CTX_set_pkey_ctx(peer->digest, peer->context);
  return peer;
}

size_t peer_join(uint8_t *message, size_t size, peer_bytes context, peer_bytes text) {
  if (8 + context.count + text.count > size) return 0;
  for (int i = 0; i < 8; i++) message[i] = (uint8_t)(context.count >> (56 - 8 * i));
  memcpy(message + 8, context.bytes, context.count);
  memcpy(message + 8 + context.count, text.bytes, text.count);
  return 8 + context.count + text.count;
}

int openssl_sign(openssl_signer *peer, peer_bytes context, peer_bytes text, uint8_t der[PEER_DER], size_t *count) {
  uint8_t message[LONGEST_MESSAGE];
  size_t length = peer_join(message, sizeof message, context, text);
  *count = PEER_DER;
  return length && EVP_DigestSignInit_ex(peer->digest, NULL, peer->digest_name, NULL, NULL, peer->key, NULL) == 1 &&
         EVP_DigestSign(peer->digest, der, count, message, length) == 1;
}

int openssl_verify(openssl_signer *peer, peer_bytes context, peer_bytes text, peer_bytes der) {
  uint8_t message[LONGEST_MESSAGE];
  size_t length = peer_join(message, sizeof message, context, text);
  return length && EVP_DigestVerifyInit_ex(peer->digest, NULL, peer->digest_name, NULL, NULL, peer->key, NULL) == 1 &&
         EVP_DigestVerify(peer->digest, der.bytes, der.count, message, length) == 1;
}
