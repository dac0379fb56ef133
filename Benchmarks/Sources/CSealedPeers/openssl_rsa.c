/* SPDX-License-Identifier: Apache-2.0 */
#include "include/sealed_peers.h"

#include <openssl/evp.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 32, SALT = 32, LONGEST_MESSAGE = 1024 };

struct openssl_rsa {
  EVP_PKEY *key;
  EVP_PKEY_CTX *decrypt, *encrypt, *sign, *verify;
  EVP_MD *sha256;
};

static int set_oaep(EVP_PKEY_CTX *context) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1 &&
         EVP_PKEY_CTX_set_rsa_oaep_md(context, EVP_sha256()) == 1 &&
         EVP_PKEY_CTX_set_rsa_mgf1_md(context, EVP_sha256()) == 1;
}

static int set_pss(EVP_PKEY_CTX *context) {
  return EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_PSS_PADDING) == 1 &&
         EVP_PKEY_CTX_set_signature_md(context, EVP_sha256()) == 1 &&
         EVP_PKEY_CTX_set_rsa_pss_saltlen(context, SALT) == 1;
}

openssl_rsa *openssl_rsa_new(unsigned bits) {
  openssl_rsa *peer = calloc(1, sizeof *peer);
  if (!peer) return NULL;
  peer->key = EVP_RSA_gen(bits);
  peer->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
  peer->decrypt = EVP_PKEY_CTX_new(peer->key, NULL);
  peer->encrypt = EVP_PKEY_CTX_new(peer->key, NULL);
  peer->sign = EVP_PKEY_CTX_new(peer->key, NULL);
  peer->verify = EVP_PKEY_CTX_new(peer->key, NULL);
  int is_ready = peer->sha256 && EVP_PKEY_decrypt_init(peer->decrypt) == 1 && set_oaep(peer->decrypt) &&
                 EVP_PKEY_encrypt_init(peer->encrypt) == 1 && set_oaep(peer->encrypt) &&
                 EVP_PKEY_sign_init(peer->sign) == 1 && set_pss(peer->sign) &&
                 EVP_PKEY_verify_init(peer->verify) == 1 && set_pss(peer->verify);
  return is_ready ? peer : NULL;
}

size_t openssl_rsa_private_key(const openssl_rsa *peer, uint8_t der[PEER_RSA_KEY]) {
  int count = i2d_PrivateKey(peer->key, NULL);
  return count > 0 && count <= PEER_RSA_KEY ? (size_t)i2d_PrivateKey(peer->key, &der) : 0;
}

size_t openssl_rsa_public_key(const openssl_rsa *peer, uint8_t der[PEER_RSA_KEY]) {
  int count = i2d_PUBKEY(peer->key, NULL);
  return count > 0 && count <= PEER_RSA_KEY ? (size_t)i2d_PUBKEY(peer->key, &der) : 0;
}

/* Inside a text there are the block and the digest of the context. */
int openssl_rsa_open(openssl_rsa *peer, peer_bytes context, peer_bytes text, uint8_t block[PEER_BLOCK]) {
  uint8_t message[PEER_RSA_TEXT], digest[DIGEST];
  size_t count = sizeof message;
  if (EVP_PKEY_decrypt(peer->decrypt, message, &count, text.bytes, text.count) != 1 || count != PEER_BLOCK + DIGEST ||
      EVP_Digest(context.bytes, context.count, digest, NULL, peer->sha256, NULL) != 1 ||
      memcmp(message + PEER_BLOCK, digest, DIGEST))
    return 0;
  memcpy(block, message, PEER_BLOCK);
  return 1;
}

int openssl_rsa_seal(openssl_rsa *peer, peer_bytes context, const uint8_t block[PEER_BLOCK],
                     uint8_t text[PEER_RSA_TEXT], size_t *count) {
  uint8_t message[PEER_BLOCK + DIGEST];
  memcpy(message, block, PEER_BLOCK);
  *count = PEER_RSA_TEXT;
  return EVP_Digest(context.bytes, context.count, message + PEER_BLOCK, NULL, peer->sha256, NULL) == 1 &&
         EVP_PKEY_encrypt(peer->encrypt, text, count, message, sizeof message) == 1;
}

static int hash(openssl_rsa *peer, peer_bytes context, peer_bytes text, uint8_t digest[DIGEST]) {
  uint8_t message[LONGEST_MESSAGE];
  size_t length = peer_join(message, sizeof message, context, text);
  return length && EVP_Digest(message, length, digest, NULL, peer->sha256, NULL) == 1;
}

int openssl_rsa_sign(openssl_rsa *peer, peer_bytes context, peer_bytes text, uint8_t signature[PEER_RSA_TEXT],
                     size_t *count) {
  uint8_t digest[DIGEST];
  *count = PEER_RSA_TEXT;
  return hash(peer, context, text, digest) && EVP_PKEY_sign(peer->sign, signature, count, digest, DIGEST) == 1;
}

int openssl_rsa_verify(openssl_rsa *peer, peer_bytes context, peer_bytes text, peer_bytes signature) {
  uint8_t digest[DIGEST];
  return hash(peer, context, text, digest) &&
         EVP_PKEY_verify(peer->verify, signature.bytes, signature.count, digest, DIGEST) == 1;
}
