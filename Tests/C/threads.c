/*
 * Any thread may call any function. Sixteen threads use a thousand keyboards, and a single one that other threads
 * destroy meanwhile. Every call returns a code that the contract allows, every ciphertext is right, and nothing hangs.
 * No handle is returned twice; a hundred thousand keyboards are open at once.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _POSIX_C_SOURCE 200809L
#include "fixture.h"
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

enum { THREADS = 16, KEYBOARDS = 1000, ROUNDS = 20000 / LESS };
enum { MANY = 100000 / LESS, TURNOVER = 300000 / LESS, TOGETHER = 2000 / LESS };
enum { GUESSERS = 6, GUESSING_SECONDS = 4 };

static const uint8_t key[] = "8907654329807654";
/* Of another passcode; with Argon2id's least memory. */
static const char cheap_verifier[] = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA";

static void run(void *(*body)(void *), size_t threads) {
  pthread_t ids[THREADS];
  for (size_t i = 0; i < threads; i++) REQUIRE(pthread_create(&ids[i], NULL, body, (void *)(uintptr_t)(i + 1)) == 0);
  for (size_t i = 0; i < threads; i++) pthread_join(ids[i], NULL);
}

/* ---- A thousand keyboards ---------------------------------------------------------------------------------------- */

static CUSTOM_KEYBOARD keyboards[KEYBOARDS];
static uint8_t expected[KEYBOARDS][32];

static size_t password_of(int i, char *out) { return (size_t)snprintf(out, 32, "password %d of all", i); }

static void make_keyboards(void) {
  char password[32];
  size_t offset, length;
  for (int i = 0; i < KEYBOARDS; i++) {
    size_t typed_length = password_of(i, password);
    keyboards[i] = typed(CUSTOM_ENCWAY_SM4, key, 16, bytes(password), typed_length);
    REQUIRE_OK(CustomKeyboard_getText(keyboards[i], expected[i], 32, &offset, &length));
  }
}

static void *ask_any(void *number) {
  uint64_t seed = (uint64_t)(uintptr_t)number;
  uint8_t space[256], clear[256];
  char password[32];
  size_t offset, length, clear_offset, clear_length;
  for (int round = 0; round < ROUNDS; round++) {
    int i = (int)(draw(&seed) % KEYBOARDS);
    size_t typed_length = password_of(i, password);
    CHECK_OK(CustomKeyboard_getText(keyboards[i], space, sizeof space, &offset, &length));
    if (!CHECK_BYTES(space + offset, expected[i], 32)) continue;
    CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, space + offset, length, clear, sizeof clear,
                                    &clear_offset, &clear_length));
    CHECK(clear_length == typed_length && memcmp(clear + clear_offset, password, typed_length) == 0);
  }
  return NULL;
}

/* ---- One keyboard ------------------------------------------------------------------------------------------------ */

static _Atomic CUSTOM_KEYBOARD shared;

/* A code that a call on a keyboard may return while other threads open, close and type on it. */
static void allow(CUSTOM_KEYBOARD_RV rv, const char *codes) {
  if (!CHECK(strchr(codes, '0' + (int)rv) != NULL)) fprintf(stderr, "  code %d is not one of %s\n", (int)rv, codes);
}

/* All calls in random order. Only 'a's are typed, so a correct ciphertext decrypts to 'a's; text that is half typed or
 * half wiped would not. */
static void *call_anything(void *number) {
  uint64_t seed = (uint64_t)(uintptr_t)number;
  uint8_t space[200], clear[200];
  size_t offset, length, clear_offset, clear_length, count;
  for (int round = 0; round < ROUNDS; round++) {
    CUSTOM_KEYBOARD k = atomic_load(&shared);
    switch (draw(&seed) % 19) {
      case 0: allow(CustomKeyboard_open(k), "025"); break;
      case 1: allow(CustomKeyboard_close(k), "025"); break;
      case 2: allow(CustomKeyboard_clear(k), "025"); break;
      case 3: allow(CustomKeyboard_deleteBackward(k), "025"); break;
      case 4: allow(CustomKeyboard_setEncKey(k, key, 16, CUSTOM_ENCWAY_SM4), "025"); break;
      case 5:
        if (CustomKeyboard_count(k, &count) == CUSTOM_KEYBOARD_OK) CHECK(count <= CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE);
        break;
      case 6:
      case 7: allow(CustomKeyboard_input(k, bytes("aaaa"), 1 + draw(&seed) % 4), "0235"); break;
      case 8:
        if (draw(&seed) % 64 == 0 && CustomKeyboard_destroy(k) == CUSTOM_KEYBOARD_OK) {
          CUSTOM_KEYBOARD next;
          CHECK_OK(CustomKeyboard_create(&next));
          atomic_store(&shared, next);
        }
        break;
      /* No rule refuses an 'a'; half of one might. */
      case 9: allow(CustomKeyboard_addRule(k, CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, bytes("[^a]"), 4), "035"); break;
      case 10: allow(CustomKeyboard_check(k, &count), "025"); break;
      case 11: allow(CustomKeyboard_clearRules(k), "05"); break;
      case 12: allow(CustomKeyboard_compare(k, atomic_load(&shared)), "0259"); break;
      case 13: allow(CustomKeyboard_checkVerifier(k, key, 16, cheap_verifier), "259"); break;
      /* No rule refuses an 'a'; half of one might. */
      case 16: allow(CustomKeyboard_checkRule(k, CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, bytes("[^a]"), 4), "025"); break;
      case 17: allow(CustomKeyboard_deriveKey(k, key, 16, key, 16, 8, 1, clear, 32), "025"); break;
      case 18: {
        CUSTOM_KEYBOARD_RV rv = CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4_GCM, key, 16, key, 16, space,
                                                         sizeof space, &offset, &length);
        allow(rv, "025");
        if (rv != CUSTOM_KEYBOARD_OK) break;
        CHECK_OK(CustomKeyboard_unseal(CUSTOM_ENCWAY_SM4_GCM, key, 16, key, 16, space + offset, length, clear,
                                       sizeof clear, &clear_offset, &clear_length));
        size_t right = 0;
        while (right < clear_length && clear[clear_offset + right] == 'a') right++;
        CHECK(right == clear_length);
        break;
      }
      default: {
        CUSTOM_KEYBOARD_RV rv = CustomKeyboard_getText(k, space, sizeof space, &offset, &length);
        allow(rv, "0125");
        if (rv != CUSTOM_KEYBOARD_OK) break;
        CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, space + offset, length, clear, sizeof clear,
                                        &clear_offset, &clear_length));
        size_t right = 0;
        while (right < clear_length && clear[clear_offset + right] == 'a') right++;
        CHECK(right == clear_length && right <= CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE);
      }
    }
  }
  return NULL;
}

/* If several threads destroy one keyboard at once, exactly one succeeds. */
static atomic_int destroyed;

/* Waits for all threads; 1 for the last one. (Darwin has no pthread_barrier_wait.) */
static int meet(void) {
  static atomic_uint arrived;
  unsigned number = atomic_fetch_add(&arrived, 1), all = (number / THREADS + 1) * THREADS;
  while (atomic_load(&arrived) < all) sched_yield();
  return number == all - 1;
}

static void *destroy_together(void *number) {
  (void)number;
  for (int round = 0; round < TOGETHER; round++) {
    if (meet()) {
      CUSTOM_KEYBOARD k;
      CHECK_OK(CustomKeyboard_create(&k));
      atomic_store(&shared, k);
      atomic_store(&destroyed, 0);
    }
    meet();
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_destroy(atomic_load(&shared));
    allow(rv, "05");
    if (rv == CUSTOM_KEYBOARD_OK) atomic_fetch_add(&destroyed, 1);
    if (meet()) CHECK_EQUAL(atomic_load(&destroyed), 1);
  }
  return NULL;
}

/* ---- A hostile caller that guesses handles ----------------------------------------------------------------------- */

static atomic_int guessing;

/* Calls the keyboard that is made next, again and again. As soon as a call returns OK, the keyboard must be
 * complete. */
static void *guess(void *number) {
  size_t count;
  (void)number;
  while (atomic_load(&guessing)) {
    CUSTOM_KEYBOARD next = atomic_load(&shared);
    for (int i = 0; i < 50; i++) allow(CustomKeyboard_count(next, &count), "05");
  }
  return NULL;
}

/* Only one keyboard at a time is made and destroyed here, so that the next handle is the same slot's next one. */
static void create_while_others_guess(void) {
  pthread_t ids[GUESSERS];
  CUSTOM_KEYBOARD k, last;
  unsigned long foreseen = 0, made = 0;
  REQUIRE_OK(CustomKeyboard_create(&last));
  REQUIRE_OK(CustomKeyboard_destroy(last));
  REQUIRE_OK(CustomKeyboard_create(&k));
  REQUIRE_OK(CustomKeyboard_destroy(k));
  CUSTOM_KEYBOARD step = k - last;
  atomic_store(&shared, k + step);
  atomic_store(&guessing, 1);
  for (int i = 0; i < GUESSERS; i++) REQUIRE(pthread_create(&ids[i], NULL, guess, NULL) == 0);
  for (time_t end = time(NULL) + GUESSING_SECONDS; time(NULL) < end; made++) {
    CHECK_OK(CustomKeyboard_create(&k));
    foreseen += k == atomic_load(&shared);
    CHECK_OK(CustomKeyboard_open(k));
    atomic_store(&shared, k + step);
    CHECK_OK(CustomKeyboard_destroy(k));
  }
  atomic_store(&guessing, 0);
  for (int i = 0; i < GUESSERS; i++) pthread_join(ids[i], NULL);
  CHECK(LESS > 1 || foreseen > made / 4); /* otherwise the test proves nothing */
}

/* ---- Handles ----------------------------------------------------------------------------------------------------- */

static int compare(const void *left, const void *right) {
  CUSTOM_KEYBOARD a = *(const CUSTOM_KEYBOARD *)left, b = *(const CUSTOM_KEYBOARD *)right;
  return (a > b) - (a < b);
}

static CUSTOM_KEYBOARD handles[TURNOVER];

static void *turn_over(void *number) {
  size_t share = TURNOVER / THREADS, first = ((uintptr_t)number - 1) * share;
  for (size_t i = first; i < first + share; i++) {
    CHECK_OK(CustomKeyboard_create(&handles[i]));
    CHECK_OK(CustomKeyboard_destroy(handles[i]));
  }
  return NULL;
}

static void check_never_twice(size_t count) {
  size_t twice = 0, zero = 0;
  qsort(handles, count, sizeof *handles, compare);
  for (size_t i = 0; i < count; i++) {
    zero += handles[i] == 0;
    twice += i > 0 && handles[i] == handles[i - 1];
  }
  CHECK_EQUAL(twice, 0);
  CHECK_EQUAL(zero, 0);
}

/* A hundred thousand open keyboards, each with its own password; then all are destroyed. */
static void open_many(void) {
  uint8_t text[16], first[16];
  char password[16];
  size_t offset, length;
  for (int i = 0; i < MANY; i++) {
    int typed_length = snprintf(password, sizeof password, "%d", i % 1000);
    handles[i] = typed(CUSTOM_ENCWAY_SM4, key, 16, bytes(password), (size_t)typed_length);
  }
  for (int i = 0; i < MANY; i++) {
    CHECK_OK(CustomKeyboard_getText(handles[i], text, sizeof text, &offset, &length));
    if (i % 1000 == 7) {
      if (i == 7) memcpy(first, text, sizeof first);
      CHECK_BYTES(text, first, sizeof first);
    }
  }
  for (int i = 0; i < MANY; i++) CHECK_OK(CustomKeyboard_destroy(handles[i]));
  for (int i = 0; i < MANY; i++) CHECK_EQUAL(CustomKeyboard_destroy(handles[i]), CUSTOM_KEYBOARD_ARGUMENT);
  check_never_twice(MANY);
}

int main(void) {
  alarm(LONGEST_WAIT);
  make_keyboards();
  run(ask_any, THREADS);
  for (int i = 0; i < KEYBOARDS; i++) CHECK_OK(CustomKeyboard_destroy(keyboards[i]));
  CUSTOM_KEYBOARD k;
  REQUIRE_OK(CustomKeyboard_create(&k));
  atomic_store(&shared, k);
  run(call_anything, THREADS);
  CHECK_OK(CustomKeyboard_destroy(atomic_load(&shared)));
  run(destroy_together, THREADS);
  create_while_others_guess();
  run(turn_over, THREADS);
  check_never_twice(TURNOVER / THREADS * THREADS);
  open_many();
  return check_end("threads", 2000000);
}
