/* SPDX-License-Identifier: Apache-2.0 */
#include "include/sealed_peers.h"
#include "openssl_key.h"

#include <stdlib.h>
#include <string.h>

struct openssl_sm2 {
  EVP_PKEY_CTX *decrypt, *encrypt;
};

openssl_sm2 *openssl_sm2_new(const uint8_t private_key[32], const uint8_t public_key[65]) {
  openssl_sm2 *peer = calloc(1, sizeof *peer);
  EVP_PKEY *key = openssl_key("SM2", "SM2", private_key, public_key);
  if (!peer || !key) return NULL;
  peer->decrypt = EVP_PKEY_CTX_new(key, NULL);
  peer->encrypt = EVP_PKEY_CTX_new(key, NULL);
  return EVP_PKEY_decrypt_init(peer->decrypt) == 1 && EVP_PKEY_encrypt_init(peer->encrypt) == 1 ? peer : NULL;
}

int openssl_sm2_open(openssl_sm2 *peer, peer_bytes der, uint8_t key[PEER_SESSION_KEY]) {
  size_t length = PEER_SESSION_KEY;
  return EVP_PKEY_decrypt(peer->decrypt, key, &length, der.bytes, der.count) == 1 && length == PEER_SESSION_KEY;
}

int openssl_sm2_seal(openssl_sm2 *peer, const uint8_t key[PEER_SESSION_KEY], uint8_t der[PEER_DER], size_t *count) {
  *count = PEER_DER;
  return EVP_PKEY_encrypt(peer->encrypt, der, count, key, PEER_SESSION_KEY) == 1;
}

/* An INTEGER of 32 bytes without leading zeros, and with one where the first bit is set. */
static size_t put_integer(uint8_t *out, const uint8_t *bytes) {
  size_t skipped = 0;
  while (skipped < 31 && bytes[skipped] == 0) skipped++;
  size_t padding = bytes[skipped] >> 7, length = 32 - skipped;
  out[0] = 0x02;
  out[1] = (uint8_t)(padding + length);
  out[2] = 0;
  memcpy(out + 2 + padding, bytes + skipped, length);
  return 2 + padding + length;
}

size_t openssl_sm2_der(const uint8_t *text, uint8_t der[PEER_DER]) {
  size_t count = 2;
  count += put_integer(der + count, text + 1);
  count += put_integer(der + count, text + 33);
  der[count++] = 0x04, der[count++] = 32;
  memcpy(der + count, text + 65, 32), count += 32;
  der[count++] = 0x04, der[count++] = PEER_SESSION_KEY;
  memcpy(der + count, text + 97, PEER_SESSION_KEY), count += PEER_SESSION_KEY;
  der[0] = 0x30, der[1] = (uint8_t)(count - 2);
  return count;
}
