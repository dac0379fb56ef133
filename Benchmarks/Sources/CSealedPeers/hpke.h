/*
 * The key schedule of HPKE (RFC 9180 §4.1, §5.1), written once for all libraries that have no HPKE of their own.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef HPKE_H
#define HPKE_H

#include "include/sealed_peers.h"

enum { HPKE_DIGEST = 32, HPKE_NONCE = 12, HPKE_TAG = 16, HPKE_POINT = 65 };

/* HMAC-SHA256 under a key of 32 bytes. */
typedef int hpke_hmac(void *library, const uint8_t key[HPKE_DIGEST], const uint8_t *message, size_t count,
                      uint8_t digest[HPKE_DIGEST]);

typedef struct hpke_key {
  uint8_t key[32], nonce[HPKE_NONCE];
} hpke_key;

/* The length of `enc` and of a public key. */
size_t hpke_point(peer_suite suite);

/* From the Diffie-Hellman value to the key and the nonce. */
int hpke_schedule(peer_suite suite, hpke_hmac *hmac, void *library, const uint8_t shared[32], const uint8_t *enc,
                  const uint8_t *recipient, peer_bytes info, hpke_key *result);

#endif
