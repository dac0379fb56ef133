/*
 * A thread forks while another thread is in the middle of a call. The child has a copy of all stacks and of the heap.
 * It searches all of its memory for the secrets of that call: the password, the key of the text and what both are
 * derived from. Other threads do not exist in the child, so there is nothing else to see.
 *
 *     fork_between [forks]          of each call; 300 unless it is given
 *
 * As a control, a thread that keeps the same secrets on its own stack meanwhile is found.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only other tests call */
#define NEEDLE_BITS 13
#include "scan.h"
#include "sealing.h"
#include "../Evidence/sealed_secrets.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The longest ECB text that decrypt opens: the portable SM4 takes more than four blocks at once. */
enum { STACK = 128 * 1024, SECRETS = 16, LONGEST = 240, TYPED = 40, ECB_TEXT = 80 };

static const uint8_t context[] = "a challenge, and what the text is for";
static const uint8_t ecb_key[] = "8907654329807654";
static const struct sealed_way *way;
static const struct signing_way *signing;
static uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], text[CUSTOM_KEYBOARD_MAXSEALEDSIZE];
static uint8_t ecb_text[ECB_TEXT];
static size_t secret_length, public_length, text_length, offset, length;
static CUSTOM_KEYBOARD keyboard;
static volatile uint8_t masked[LONGEST], mask[LONGEST]; /* the control's secret */

/* ---- The secrets, which only a process of its own has ever seen -------------------------------------------------- */

static void add(const char *kind, const uint8_t *bytes, size_t count) { add_needles(kind, bytes, count, 1); }

static void add_reversed(const char *kind, const uint8_t *bytes, size_t count) {
  uint8_t reversed[64];
  for (size_t i = 0; i < count; i++) reversed[i] = bytes[count - 1 - i];
  add(kind, reversed, count);
}

/* A key of HMAC, and what it is added to. */
static void add_hmac_key(const char *kind, const uint8_t *key) {
  uint8_t block[32];
  add(kind, key, 32);
  for (int pad = 0x36; pad <= 0x5c; pad += 0x5c - 0x36) {
    for (int i = 0; i < 32; i++) block[i] = (uint8_t)(key[i] ^ pad);
    add(kind, block, 32);
  }
}

/* Words of SHA-256 are big-endian in its message schedule. */
static void add_words(const char *kind, const uint8_t *bytes, size_t count) {
  uint8_t words[64];
  for (size_t i = 0; i < count; i++) words[i] = bytes[(i & ~(size_t)3) + 3 - i % 4];
  add(kind, words, count);
}

static void add_aes_schedule(const uint8_t *session) {
  mbedtls_aes_context aes;
  mbedtls_aes_init(&aes);
  REQUIRE(mbedtls_aes_setkey_enc(&aes, session, 256) == 0);
  add("AES schedule", (const uint8_t *)aes.buf, 240);
  mbedtls_aes_free(&aes);
}

/* The round keys of SM4; also as the portable path has them for many blocks: each bit is a word of ones or of zeros,
 * bit b of the four bytes for b = 0 … 7, with the constants of the circuit of its S-box folded in. */
static void add_sm4_schedule(const uint8_t *key) {
  uint32_t words[32];
  uint64_t bits = 0;
  sm4_schedule(key, words);
  add("round keys", (const uint8_t *)words, sizeof words);
  for (int decrypting = 0; decrypting < 2; decrypting++)
    for (int i = 0; i < 32; i++) {
      int replaced = (i + 1) / 4 + (i + 2) / 4 + (i + 3) / 4;
      uint32_t word = words[decrypting ? 31 - i : i] ^ (replaced % 2 ? 0x75 ^ 0x4f : 0x75) * 0x01010101u;
      for (int b = 0; b < 8; b++)
        for (int byte = 0; byte < 4; byte++) bits = bits >> 1 | (uint64_t)(word >> (24 - 8 * byte + b) & 1) << 63;
      if (i > 0) add_needle("spread key", bits);
    }
}

/* Keccak's lanes are little-endian, as these bytes are; the numbers of X25519 may be turned. */
static void add_xwing_secrets(const struct xwing_secrets *found) {
  add("expanded", found->expanded, sizeof found->expanded);
  add_reversed("expanded", found->expanded + 64, 32);
  add("sigma", found->seeds + 32, 32);
  add("message", found->message, 32);
  add("lattice", found->lattice_shared, 32);
  add("shared", found->shared, 32);
  add_words("shared", found->shared, 32);
}

static void add_sealed_secrets(const uint8_t *password, size_t count) {
  struct sealed_secrets found;
  uint8_t suite[5] = {'K', 'E', 'M', 0, way->way == CUSTOM_ENCWAY_P256 ? 0x10 : 0x20}, eae[32];
  add("password", password, count);
  derive(way, secret, public, (struct part){context, sizeof context}, text, &found);
  if (found.session_length == 0) return;
  add("shared", found.x, 32);
  add_reversed("shared", found.x, 32);
  add_reversed("shared", found.y, 32);
  add("session", found.session, found.session_length);
  add_words("session", found.session, found.session_length);
  if (way->way == CUSTOM_ENCWAY_SM2) return;
  if (way->way == CUSTOM_ENCWAY_XWING) {
    add_xwing_secrets(&found.xwing);
    add_aes_schedule(found.session);
    return;
  }
  extract("", 0, (struct part){suite, 5}, "eae_prk", (struct part){found.x, 32}, eae);
  add_hmac_key("eae_prk", eae);
  add_words("eae_prk", eae, 32);
  if (way->way == CUSTOM_ENCWAY_P256) add_aes_schedule(found.session);
}

/* The numbers of RSA are words of 64 bits, the lowest first, as long as they are in use. */
static void add_private_key(void) {
  if (way->way == CUSTOM_ENCWAY_RSA) {
    for (size_t at = RSA_FIRST_SECRET; at + 64 <= secret_length; at += 64) add_reversed("private key", secret + at, 64);
  } else {
    add_reversed("private key", secret, secret_length);
  }
}

struct learned {
  struct needles needles;
  uint8_t masked[LONGEST], mask[LONGEST], text[sizeof text], ecb_text[sizeof ecb_text];
  size_t text_length, hits;
};
static struct learned *learned;

static void draw_typed(uint8_t *typed, size_t count) {
  uint64_t seed = first_seed ^ 77;
  draw_bytes(&seed, typed, count);
  for (size_t i = 0; i < count; i++) typed[i] = (uint8_t)('!' + typed[i] % 94);
}

static void type(CUSTOM_KEYBOARD into) {
  uint8_t typed[TYPED];
  draw_typed(typed, sizeof typed);
  REQUIRE_OK(CustomKeyboard_input(into, typed, sizeof typed));
  wipe(typed, sizeof typed);
}

/* In a child of its own: seals a password, and learns what to search for. */
static void learn(void) {
  uint8_t typed[ECB_TEXT - 1];
  CUSTOM_KEYBOARD k;
  needles.factor = first_seed | 1;
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, ecb_key, 16, CUSTOM_ENCWAY_SM4));
  REQUIRE_OK(CustomKeyboard_open(k));
  draw_typed(typed, sizeof typed);
  REQUIRE_OK(CustomKeyboard_input(k, typed, sizeof typed));
  REQUIRE_OK(CustomKeyboard_getText(k, ecb_text, sizeof ecb_text, &offset, &length));
  memcpy(learned->ecb_text, ecb_text, sizeof ecb_text);
  REQUIRE_OK(CustomKeyboard_close(k));
  REQUIRE_OK(CustomKeyboard_setEncKey(k, way->way == CUSTOM_ENCWAY_SM4_GCM ? secret : public, public_length, way->way));
  REQUIRE_OK(CustomKeyboard_setContext(k, context, sizeof context));
  REQUIRE_OK(CustomKeyboard_open(k));
  REQUIRE_OK(CustomKeyboard_input(k, typed, TYPED));
  REQUIRE_OK(CustomKeyboard_getText(k, text, way->text_length, &offset, &text_length));
  memcpy(learned->text, text, text_length);
  learned->text_length = text_length;
  add_sealed_secrets(typed, sizeof typed);
  add_private_key();
  add_sm4_schedule(ecb_key);
  if (way->way == CUSTOM_ENCWAY_SM4_GCM) add_sm4_schedule(secret);
  for (size_t i = 0; i < 32; i++) {
    learned->mask[i] = (uint8_t)(37 * i + 11);
    learned->masked[i] = typed[i] ^ learned->mask[i];
  }
  memcpy(&learned->needles, &needles, sizeof needles);
}

static void in_child(void (*body)(void)) {
  int status;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    body();
    _exit(0);
  }
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

/* ---- The thread in the middle of a call -------------------------------------------------------------------------- */

static atomic_int is_over;
static atomic_ulong calls; /* that the thread has ended */

/* Without space the password never leaves the library. */
static void unseal_it(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_unseal(way->way, secret, secret_length, context, sizeof context, text,
                                                text_length, NULL, 0, &offset, &length);
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_SPACE);
}
/* More texts than are opened together. */
static void unseal_many(void) {
  enum { COUNT = 9 };
  CUSTOM_KEYBOARD_SEALED_JOB jobs[COUNT];
  for (int i = 0; i < COUNT; i++)
    jobs[i] = (CUSTOM_KEYBOARD_SEALED_JOB){context, sizeof context, text, text_length, NULL, 0, 0, CUSTOM_KEYBOARD_OK};
  CHECK_OK(CustomKeyboard_unsealBatch(way->way, secret, secret_length, jobs, COUNT));
  for (int i = 0; i < COUNT; i++) CHECK_EQUAL(jobs[i].rv, CUSTOM_KEYBOARD_SPACE);
}
/* A key of PIN blocks: the private key's bytes in the order in which curves have them in memory. */
static uint8_t pin_key[32];
static void set_pin_key(void) {
  static CUSTOM_KEYBOARD other;
  if (!other) REQUIRE_OK(CustomKeyboard_create(&other));
  for (int i = 0; i < 32; i++) pin_key[i] = secret[31 - i];
  REQUIRE_OK(CustomKeyboard_setEncKey(other, pin_key, 32, CUSTOM_ENCWAY_PIN4));
}

static void seal_it(void) {
  static uint8_t sealed[CUSTOM_KEYBOARD_MAXSEALEDSIZE];
  CHECK_OK(CustomKeyboard_getText(keyboard, sealed, way->text_length, &offset, &length));
}
static void sign_it(void) {
  static uint8_t signature[LONGEST_SIGNATURE];
  CHECK_OK(CustomKeyboard_signText(signing->way, secret, secret_length, context, sizeof context, text, text_length,
                                   signature, sizeof signature, &length));
}
static void decrypt_it(void) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, ecb_key, 16, ecb_text, sizeof ecb_text, NULL, 0,
                                                 &offset, &length);
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_SPACE);
}

/* The control: the secrets are on this thread's stack nearly all the time. */
static void hold_it(void) {
  volatile uint8_t own[32];
  for (int i = 0; i < 32; i++) own[i] = masked[i] ^ mask[i];
  for (volatile int i = 0; i < 20000; i++) continue;
  wipe(own, sizeof own);
}

static void *run_calls(void *call) {
  void (*body)(void) = *(void (**)(void))call;
  while (!atomic_load(&is_over)) {
    body();
    atomic_fetch_add(&calls, 1);
  }
  return NULL;
}

/* The caller's own arrays hold the private key in clear. */
static int is_callers(const char *kind, uintptr_t at) {
  return strcmp(kind, "private key") == 0 && ((at >= (uintptr_t)secret && at < (uintptr_t)secret + sizeof secret) ||
                                              (at >= (uintptr_t)pin_key && at < (uintptr_t)pin_key + sizeof pin_key));
}

/* fork(), or what a program does that goes around libc. */
static pid_t fork_now(int is_raw) { return is_raw ? (pid_t)syscall(SYS_fork) : fork(); }

/* Until the thread has ended a call. On a busy machine it may stand still between two for as long as all forks take. */
static void wait_for_call(void) {
  unsigned long before = atomic_load(&calls);
  while (atomic_load(&calls) == before) sched_yield();
}

/* In how many of the children a secret was found. The control waits for a call before each fork; the others do not, so
 * that a fork may come anywhere in one. */
static int count_finds(const char *when, void (*call)(void), int forks, int is_raw, int quiet) {
  pthread_t thread;
  pthread_attr_t attributes;
  int finds = 0, status;
  alarm(LONGEST_WAIT); /* for these forks: all of them take longer than that on a busy machine */
  REQUIRE(pthread_attr_init(&attributes) == 0 && pthread_attr_setstacksize(&attributes, STACK) == 0);
  atomic_store(&is_over, 0);
  REQUIRE(pthread_create(&thread, &attributes, run_calls, &call) == 0);
  wait_for_call();
  for (int i = 0; i < forks; i++) {
    if (quiet) wait_for_call();
    learned->hits = 0;
    pid_t child = fork_now(is_raw);
    REQUIRE(child >= 0);
    if (child == 0) {
      learned->hits = scan(when, quiet || finds > 0);
      _exit(0);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK_EQUAL(status, 0);
    finds += learned->hits > 0;
  }
  atomic_store(&is_over, 1);
  REQUIRE(pthread_join(thread, NULL) == 0);
  return finds;
}

static int forks = 300;

static void check_nothing(const char *when, void (*call)(void), int is_raw) {
  char name[80];
  snprintf(name, sizeof name, "%s, %s", way->name, when);
  if (!CHECK_EQUAL(count_finds(name, call, forks, is_raw, 0), 0)) fprintf(stderr, "  (%s)\n", name);
}

static void begin(const struct sealed_way *chosen) {
  struct sealing *s = &sealing;
  way = s->way = chosen;
  make_keys();
  secret_length = s->secret_length, public_length = s->way->public_length;
  memcpy(secret, s->secret, secret_length);
  memcpy(public, s->public, public_length);
  wipe(s->secret, sizeof s->secret);
  in_child(learn);
  memcpy(text, learned->text, text_length = learned->text_length);
  memcpy(ecb_text, learned->ecb_text, sizeof ecb_text);
  memcpy((void *)masked, learned->masked, LONGEST);
  memcpy((void *)mask, learned->mask, LONGEST);
  memcpy(&needles, &learned->needles, sizeof needles);
  REQUIRE(needles.count > 20);
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, way->way == CUSTOM_ENCWAY_SM4_GCM ? secret : public, public_length,
                                      way->way));
  REQUIRE_OK(CustomKeyboard_setContext(keyboard, context, sizeof context));
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  type(keyboard);
  wipe_stack();
}

static void end(void) { REQUIRE_OK(CustomKeyboard_close(keyboard)); }

int main(int count, char **arguments) {
  alarm(LONGEST_WAIT);
  take_seed();
  if (count > 1) forks = atoi(arguments[1]);
  learned = mmap(NULL, sizeof *learned, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(learned != MAP_FAILED);
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  may_be = is_callers;
  for (int i = 0; i < SEALED_WAYS; i++) {
    begin(&sealed_ways[i]);
    CHECK(count_finds("control", hold_it, 20, 1, 1) >= 10);
    if (way->way == CUSTOM_ENCWAY_RSA) signing = &signing_ways[SIGNING_WAYS - 1];
    if (way->way == CUSTOM_ENCWAY_P256) signing = &signing_ways[0];
    if (way->way == CUSTOM_ENCWAY_SM2) signing = &signing_ways[1];
    check_nothing("unseal", unseal_it, 1);
    check_nothing("unsealBatch", unseal_many, 1);
    check_nothing("getText", seal_it, 1);
    if (way->way == CUSTOM_ENCWAY_X25519) check_nothing("setEncKey of PIN blocks", set_pin_key, 1);
    if (signing) check_nothing("signText", sign_it, 1);
    signing = NULL;
    if (way->way == CUSTOM_ENCWAY_SM4_GCM) check_nothing("decrypt with SM4", decrypt_it, 1);
    end();
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return check_end("fork_between", 13 * (unsigned long)forks);
}
