/*
 * Batches beside Intel's crypto_mb, which also works on eight points or sixteen texts of SM4 at a time: `make
 * bench-crypto-mb CRYPTO_MB=path/libcrypto_mb.so`. Both take turns, and the ratio is taken within a round: our time
 * divided by theirs. Shown are medians, and half the interquartile range of the ratio in percent.
 *
 * crypto_mb only multiplies points. So X25519 and P-256 are HPKE on its multiplication and OpenSSL's EVP: both sides
 * open the same texts, and must find the same bytes before they are timed. SM2 has no such row: crypto_mb gives the
 * product's x alone, and the session key needs y too. That row, and those that say "point", divide the time of our
 * whole text by that of its multiplication.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "../../Include/custom_keyboard.h"
#include "../clock.h"
#include "../Sources/CSealedPeers/hpke.h"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 101, SAMPLE = 1000000 /* ns */, TEXTS = 64, LANES = 8, SM4_TEXTS = 256, SM4_LANES = 16, BLOCK = 16 };
enum { LONGEST_TEXT = 512, LONGEST_PASSWORD = 128 };

static const uint8_t password[] = "kgcx879@", info[] = "login 4711 of kim";
enum { PASSWORD = sizeof password - 1, INFO = sizeof info - 1 };

#define REQUIRE(condition) \
  do \
    if (!(condition)) fprintf(stderr, "crypto_mb: %s fails (line %d)\n", #condition, __LINE__), exit(1); \
  while (0)

/* ---- The two libraries ------------------------------------------------------------------------------------------- */

static __typeof__(CustomKeyboard_create) *create;
static __typeof__(CustomKeyboard_open) *open_keyboard;
static __typeof__(CustomKeyboard_input) *input;
static __typeof__(CustomKeyboard_sealTyped) *seal_typed;
static __typeof__(CustomKeyboard_generateKey) *generate_key;
static __typeof__(CustomKeyboard_unsealBatch) *unseal_batch;
static __typeof__(CustomKeyboard_decryptBatch) *decrypt_batch;
static __typeof__(CustomKeyboard_setupCipher) *setup_cipher;
static __typeof__(CustomKeyboard_cryptECB) *crypt_ecb;

/* As crypto_mb's headers declare them; a status of 0 says that every lane is well. Numbers of P-256 and SM2 are words
 * of 64 bits, the lowest first; a shared value is 32 bytes, the highest first. Z is NULL for points of two numbers. */
typedef uint32_t agree_x25519(uint8_t *const shared[LANES], const uint8_t *const secret[LANES],
                              const uint8_t *const point[LANES]);
typedef const uint64_t *const number[LANES];
typedef uint32_t agree_curve(uint8_t *shared[LANES], number secret, number x, number y, number z, uint8_t *buffer);
struct sm4_keys {
  _Alignas(64) uint32_t words[32][SM4_LANES];
};
typedef uint64_t set_sm4_keys(struct sm4_keys *, const uint8_t *const key[SM4_LANES]);
typedef uint64_t decrypt_sm4(uint8_t *out[SM4_LANES], const uint8_t *in[SM4_LANES], const int length[SM4_LANES],
                             const struct sm4_keys *);
static agree_x25519 *x25519;
static agree_curve *p256, *sm2;
static set_sm4_keys *sm4_keys;
static decrypt_sm4 *sm4_decrypt;

static void *load(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) fprintf(stderr, "crypto_mb: %s\n", dlerror()), exit(1);
  return library;
}

static void *find(void *library, const char *name) {
  void *found = dlsym(library, name);
  if (!found) fprintf(stderr, "crypto_mb: %s\n", dlerror()), exit(1);
  return found;
}

static void find_all(const char *ours, const char *theirs) {
  void *library = load(ours);
  create = find(library, "CustomKeyboard_create"), open_keyboard = find(library, "CustomKeyboard_open");
  input = find(library, "CustomKeyboard_input"), seal_typed = find(library, "CustomKeyboard_sealTyped");
  generate_key = find(library, "CustomKeyboard_generateKey");
  unseal_batch = find(library, "CustomKeyboard_unsealBatch");
  decrypt_batch = find(library, "CustomKeyboard_decryptBatch");
  setup_cipher = find(library, "CustomKeyboard_setupCipher"), crypt_ecb = find(library, "CustomKeyboard_cryptECB");
  library = load(theirs);
  x25519 = find(library, "mbx_x25519_mb8"), p256 = find(library, "mbx_nistp256_ecdh_mb8");
  sm2 = find(library, "mbx_sm2_ecdh_mb8");
  sm4_keys = find(library, "mbx_sm4_set_key_mb16"), sm4_decrypt = find(library, "mbx_sm4_decrypt_ecb_mb16");
}

/* ---- Sealed texts ------------------------------------------------------------------------------------------------ */

static struct way {
  const char *name;
  CUSTOM_ENCWAY way;
  peer_suite suite;
  uint8_t secret[32], public_key[HPKE_POINT];
  size_t public_length, text_length;
  uint8_t texts[TEXTS][LONGEST_TEXT], clears[TEXTS][LONGEST_PASSWORD], found[TEXTS][PEER_BLOCK];
  CUSTOM_KEYBOARD_SEALED_JOB jobs[TEXTS];
  uint64_t number[32 / 8], x[TEXTS][32 / 8], y[TEXTS][32 / 8];
} ways[] = {{.name = "X25519", .way = CUSTOM_ENCWAY_X25519, .suite = PEER_X25519},
            {.name = "P256", .way = CUSTOM_ENCWAY_P256, .suite = PEER_P256},
            {.name = "SM2", .way = CUSTOM_ENCWAY_SM2}};

static void turn(uint64_t *words, const uint8_t *bytes) {
  for (int i = 0; i < 4; i++) {
    words[i] = 0;
    for (int j = 0; j < 8; j++) words[i] = words[i] << 8 | bytes[(3 - i) * 8 + j];
  }
}

static void make_texts(struct way *w) {
  size_t length, offset;
  CUSTOM_KEYBOARD keyboard;
  REQUIRE(generate_key(w->way, w->secret, 32, &length, w->public_key, HPKE_POINT, &w->public_length) == 0);
  REQUIRE(create(&keyboard) == 0 && open_keyboard(keyboard) == 0 && input(keyboard, password, PASSWORD) == 0);
  turn(w->number, w->secret);
  for (int i = 0; i < TEXTS; i++) {
    uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
    REQUIRE(seal_typed(keyboard, w->way, w->public_key, w->public_length, info, INFO, space, sizeof space, &offset,
                       &w->text_length) == 0);
    memcpy(w->texts[i], space + offset, w->text_length);
    w->jobs[i] = (CUSTOM_KEYBOARD_SEALED_JOB){
        info, INFO, w->texts[i], w->text_length, w->clears[i], LONGEST_PASSWORD, 0, CUSTOM_KEYBOARD_OK};
    turn(w->x[i], w->texts[i] + 1), turn(w->y[i], w->texts[i] + 33);
  }
}

static void ours(void *of) {
  struct way *w = of;
  REQUIRE(unseal_batch(w->way, w->secret, 32, w->jobs, TEXTS) == 0);
  for (int i = 0; i < TEXTS; i++) REQUIRE(w->jobs[i].rv == 0);
}

/* The products of eight points; `shared` gets 32 bytes each. */
static void multiply(struct way *w, int first, uint8_t shared[LANES][32]) {
  uint8_t *results[LANES];
  const uint8_t *secrets[LANES], *points[LANES];
  const uint64_t *numbers[LANES], *xs[LANES], *ys[LANES];
  for (int i = 0; i < LANES; i++) {
    results[i] = shared[i], secrets[i] = w->secret, points[i] = w->texts[first + i];
    numbers[i] = w->number, xs[i] = w->x[first + i], ys[i] = w->y[first + i];
  }
  if (w->way == CUSTOM_ENCWAY_X25519) REQUIRE(x25519(results, secrets, points) == 0);
  if (w->way == CUSTOM_ENCWAY_P256) REQUIRE(p256(results, numbers, xs, ys, NULL, NULL) == 0);
  if (w->way == CUSTOM_ENCWAY_SM2) REQUIRE(sm2(results, numbers, xs, ys, NULL, NULL) == 0);
}

static void points(void *of) {
  uint8_t shared[LANES][32];
  for (int first = 0; first < TEXTS; first += LANES) multiply(of, first, shared);
}

static EVP_MAC_CTX *mac;
static EVP_CIPHER *ciphers[2];
static EVP_CIPHER_CTX *cipher;

static void set_up_openssl(void) {
  char digest[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                                   OSSL_PARAM_construct_end()};
  mac = EVP_MAC_CTX_new(EVP_MAC_fetch(NULL, "HMAC", NULL));
  ciphers[PEER_X25519] = EVP_CIPHER_fetch(NULL, "ChaCha20-Poly1305", NULL);
  ciphers[PEER_P256] = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
  cipher = EVP_CIPHER_CTX_new();
  REQUIRE(mac && ciphers[0] && ciphers[1] && cipher && EVP_MAC_CTX_set_params(mac, parameters) == 1);
}

static int hmac(void *unused, const uint8_t *key, const uint8_t *message, size_t count, uint8_t *digest) {
  size_t length;
  (void)unused;
  return EVP_MAC_init(mac, key, HPKE_DIGEST, NULL) == 1 && EVP_MAC_update(mac, message, count) == 1 &&
         EVP_MAC_final(mac, digest, &length, HPKE_DIGEST) == 1;
}

static void theirs(void *of) {
  struct way *w = of;
  uint8_t shared[LANES][32];
  for (int i = 0; i < TEXTS; i++) {
    const uint8_t *text = w->texts[i], *sealed = text + w->public_length;
    const int count = (int)(w->text_length - w->public_length - HPKE_TAG);
    const peer_bytes context = {info, INFO};
    hpke_key key;
    int length;
    if (i % LANES == 0) multiply(w, i, shared);
    REQUIRE(hpke_schedule(w->suite, hmac, NULL, shared[i % LANES], text, w->public_key, context, &key));
    REQUIRE(EVP_DecryptInit_ex2(cipher, ciphers[w->suite], key.key, key.nonce, NULL) == 1);
    REQUIRE(EVP_DecryptUpdate(cipher, w->found[i], &length, sealed, count) == 1);
    REQUIRE(EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, HPKE_TAG, (void *)(sealed + count)) == 1);
    REQUIRE(EVP_DecryptFinal_ex(cipher, w->found[i] + count, &length) == 1);
  }
}

/* ---- SM4 under different keys ------------------------------------------------------------------------------------ */

static struct sm4 {
  uint8_t keys[SM4_TEXTS][BLOCK], texts[SM4_TEXTS][BLOCK], clears[SM4_TEXTS][BLOCK], found[SM4_TEXTS][BLOCK];
  CUSTOM_KEYBOARD_JOB jobs[SM4_TEXTS];
} sm4;

static void make_sm4(void) {
  uint8_t block[BLOCK];
  memset(block, BLOCK - PASSWORD, sizeof block);
  memcpy(block, password, PASSWORD);
  for (size_t i = 0; i < SM4_TEXTS; i++) {
    CUSTOM_KEYBOARD_CIPHER one;
    memcpy(sm4.keys[i], &(uint64_t[2]){i * 0x9e3779b97f4a7c15, i}, BLOCK);
    REQUIRE(setup_cipher(&one, CUSTOM_ENCWAY_SM4, sm4.keys[i], BLOCK, 0) == 0);
    REQUIRE(crypt_ecb(&one, block, sm4.texts[i], BLOCK) == 0);
    sm4.jobs[i] = (CUSTOM_KEYBOARD_JOB){sm4.keys[i], BLOCK, sm4.texts[i], BLOCK, sm4.clears[i], BLOCK, 0, 0};
  }
}

static void our_sm4(void *unused) {
  (void)unused;
  REQUIRE(decrypt_batch(CUSTOM_ENCWAY_SM4, sm4.jobs, SM4_TEXTS) == 0);
}

/* The padding is left to the caller, so less is done than by us. */
static void their_sm4(void *unused) {
  (void)unused;
  for (int first = 0; first < SM4_TEXTS; first += SM4_LANES) {
    struct sm4_keys schedule;
    const uint8_t *key[SM4_LANES], *in[SM4_LANES];
    uint8_t *out[SM4_LANES];
    int lengths[SM4_LANES];
    for (int i = 0; i < SM4_LANES; i++)
      key[i] = sm4.keys[first + i], in[i] = sm4.texts[first + i], out[i] = sm4.found[first + i], lengths[i] = BLOCK;
    REQUIRE(sm4_keys(&schedule, key) == 0 && sm4_decrypt(out, in, lengths, &schedule) == 0);
  }
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

typedef void work(void *);

/* Taken again if the kernel gave the processor to another program, up to ten times. */
static double sample(work *run, void *of, long count) {
  double time = 0;
  for (int attempt = 0; attempt < 10; attempt++) {
    long before = interruptions();
    double start = now();
    for (long i = 0; i < count; i++) run(of);
    time = now() - start;
    if (interruptions() == before) break;
  }
  return time / (double)count;
}

/* `texts`: how many a call of either opens. */
static void compare(const char *name, const char *what, work *first, work *second, void *of, int texts) {
  static double times[2][ROUNDS], ratios[ROUNDS];
  work *runs[2] = {first, second};
  long counts[2] = {1, 1};
  for (int i = 0; i < 2; i++)
    while (sample(runs[i], of, counts[i]) * (double)counts[i] < SAMPLE) counts[i] *= 2;
  for (int round = 0; round < ROUNDS; round++) {
    for (int each = 0; each < 2; each++) {
      int which = (round + each) % 2;
      times[which][round] = sample(runs[which], of, counts[which]) / texts;
    }
    ratios[round] = times[0][round] / times[1][round];
  }
  qsort(times[0], ROUNDS, sizeof **times, ascending);
  qsort(times[1], ROUNDS, sizeof **times, ascending);
  qsort(ratios, ROUNDS, sizeof *ratios, ascending);
  double median = ratios[ROUNDS / 2], spread = (ratios[3 * ROUNDS / 4] - ratios[ROUNDS / 4]) / median * 50;
  printf("%-8s %-34s %10.0f %10.0f %8.2f %7.1f\n", name, what, times[0][ROUNDS / 2], times[1][ROUNDS / 2], median,
         spread);
  fflush(stdout);
}

int main(int argc, char **argv) {
  if (argc != 3) fprintf(stderr, "crypto_mb libcustomkeyboard.so libcrypto_mb.so\n"), exit(2);
  if (!__builtin_cpu_supports("avx512ifma"))
    fprintf(stderr, "crypto_mb: needs a processor with AVX-512 IFMA\n"), exit(1);
  use_one_processor();

  find_all(argv[1], argv[2]);
  set_up_openssl();
  printf("%-8s %-34s %10s %10s %8s %7s\n", "", "theirs", "ours, ns", "theirs, ns", "ratio", "± %");
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
    struct way *w = &ways[i];
    make_texts(w);
    ours(w);
    for (int j = 0; j < TEXTS; j++)
      REQUIRE(w->jobs[j].clearLength == PASSWORD && memcmp(w->clears[j], password, PASSWORD) == 0);
    if (w->way != CUSTOM_ENCWAY_SM2) {
      theirs(w);
      for (int j = 0; j < TEXTS; j++)
        REQUIRE(memcmp(w->found[j], password, PASSWORD) == 0 && w->found[j][PASSWORD] == PEER_BLOCK - PASSWORD);
      compare(w->name, "crypto_mb and OpenSSL, a text", ours, theirs, w, TEXTS);
    }
    compare(w->name, "crypto_mb, a point", ours, points, w, TEXTS);
  }
  make_sm4();
  our_sm4(NULL), their_sm4(NULL);
  for (int i = 0; i < SM4_TEXTS; i++) {
    REQUIRE(sm4.jobs[i].rv == 0 && memcmp(sm4.clears[i], password, PASSWORD) == 0);
    REQUIRE(memcmp(sm4.found[i], password, PASSWORD) == 0);
  }
  compare("SM4", "crypto_mb, a block", our_sm4, their_sm4, NULL, SM4_TEXTS);
}
