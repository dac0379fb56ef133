/* SPDX-License-Identifier: Apache-2.0 */
#include "hpke.h"

#include <string.h>

enum { LONGEST_INFO = 256, LONGEST_MESSAGE = 32 + LONGEST_INFO + 2 * HPKE_POINT };

size_t hpke_point(peer_suite suite) { return suite == PEER_X25519 ? 32 : HPKE_POINT; }

/* One call of HMAC: what it is made of. */
struct labeled {
  hpke_hmac *hmac;
  void *library;
  peer_suite suite;
  int is_kem;
};

/* A message that grows. */
struct message {
  size_t count;
  uint8_t bytes[LONGEST_MESSAGE];
};

static void add(struct message *m, const void *bytes, size_t count) {
  memcpy(m->bytes + m->count, bytes, count);
  m->count += count;
}

static void add_label(struct message *m, const struct labeled *call, const char *label) {
  const uint8_t kem = call->suite == PEER_X25519 ? 0x20 : 0x10, aead = call->suite == PEER_X25519 ? 3 : 2;
  const uint8_t ids[] = {0, kem, 0, 1, 0, aead};
  add(m, "HPKE-v1", 7);
  if (call->is_kem)
    add(m, "KEM", 3), add(m, ids, 2);
  else
    add(m, "HPKE", 4), add(m, ids, 6);
  add(m, label, strlen(label));
}

static int extract(const struct labeled *call, const uint8_t *salt, const char *label, peer_bytes material,
                   uint8_t *result) {
  static const uint8_t zeros[HPKE_DIGEST]; /* for HMAC the same as an empty salt */
  struct message m = {0};
  add_label(&m, call, label);
  if (material.count) add(&m, material.bytes, material.count);
  return call->hmac(call->library, salt ? salt : zeros, m.bytes, m.count, result);
}

static int expand(const struct labeled *call, const uint8_t *key, const char *label, const uint8_t *info, size_t count,
                  uint8_t length, uint8_t *result) {
  const uint8_t lengths[] = {0, length}, one = 1;
  struct message m = {0};
  add(&m, lengths, 2);
  add_label(&m, call, label);
  add(&m, info, count);
  add(&m, &one, 1);
  return call->hmac(call->library, key, m.bytes, m.count, result);
}

int hpke_schedule(peer_suite suite, hpke_hmac *hmac, void *library, const uint8_t shared[32], const uint8_t *enc,
                  const uint8_t *recipient, peer_bytes info, hpke_key *result) {
  if (info.count > LONGEST_INFO) return 0;
  const struct labeled kem = {hmac, library, suite, 1}, hpke = {hmac, library, suite, 0};
  const peer_bytes none = {NULL, 0};
  const size_t point = hpke_point(suite);
  uint8_t prk[HPKE_DIGEST], secret[HPKE_DIGEST], digest[HPKE_DIGEST];
  uint8_t points[2 * HPKE_POINT], schedule[1 + 2 * HPKE_DIGEST] = {0};
  memcpy(points, enc, point);
  memcpy(points + point, recipient, point);
  int is_fine = extract(&kem, NULL, "eae_prk", (peer_bytes){shared, 32}, prk) &&
                expand(&kem, prk, "shared_secret", points, 2 * point, 32, secret) &&
                extract(&hpke, NULL, "psk_id_hash", none, schedule + 1) &&
                extract(&hpke, NULL, "info_hash", info, schedule + 1 + HPKE_DIGEST) &&
                extract(&hpke, secret, "secret", none, prk) &&
                expand(&hpke, prk, "key", schedule, sizeof schedule, 32, result->key) &&
                expand(&hpke, prk, "base_nonce", schedule, sizeof schedule, HPKE_NONCE, digest);
  memcpy(result->nonce, digest, HPKE_NONCE);
  return is_fine;
}
