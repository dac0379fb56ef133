/*
 * A keyboard ends although other threads are in the middle of calls on it. When destroy returns, its slot holds neither
 * key nor password, and who waited for the keyboard gets ARGUMENT. While a verifier is checked, which takes long, the
 * password is in no memory any more after close.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only a search of all memory needs */
#include "fixture.h"
#include "locked.h"
#include "scan.h"
#include <pthread.h>
#include <sched.h>

enum {
  THREADS = 4,
  ROUNDS = 40,
  LARGE = 1 << 20,   /* a space that takes some time to fill */
  HARMLESS = 10,     /* words of a slot that holds no more than its lock and that it has ended */
  SLOTS_REGION = 128 * 2112 /* KeyboardState.swift */
};

static const uint8_t key[] = "8907654329807654";
static uint8_t password[33];
static CUSTOM_KEYBOARD keyboard;

/* ---- Destroyed while others wait --------------------------------------------------------------------------------- */

static atomic_int ready, wrong_codes;

static void *get_texts(void *space) {
  CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_OK;
  size_t offset, length;
  for (int i = 0; rv == CUSTOM_KEYBOARD_OK; i++) {
    rv = CustomKeyboard_getText(keyboard, space, LARGE, &offset, &length);
    if (i == 0) atomic_fetch_add(&ready, 1);
  }
  if (rv != CUSTOM_KEYBOARD_ARGUMENT) atomic_fetch_add(&wrong_codes, 1);
  return NULL;
}

/* Words of all slots that are not zero. */
static size_t words_in_slots(void) {
  size_t sum = 0;
  for (size_t i = 0; i < locked_count; i++) {
    const struct locked_region *region = &locked_regions[i];
    if (region->end - region->start != SLOTS_REGION) continue;
    for (const uint8_t *at = region->start; at < region->end; at += 8) {
      uint64_t word;
      memcpy(&word, at, sizeof word);
      sum += word != 0;
    }
  }
  return sum;
}

static void check_destroy(void) {
  pthread_t threads[THREADS];
  static uint8_t spaces[THREADS][LARGE];
  keyboard = typed(CUSTOM_ENCWAY_SM4, key, 16, password, sizeof password - 1);
  find_locked();
  CHECK(words_in_slots() > 2 * HARMLESS);
  atomic_store(&ready, 0);
  for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, get_texts, spaces[i]) == 0);
  while (atomic_load(&ready) < THREADS) sched_yield();
  CHECK_OK(CustomKeyboard_destroy(keyboard));
  CHECK(words_in_slots() <= HARMLESS);
  for (int i = 0; i < THREADS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
  CHECK_EQUAL(words_in_slots(), 0);
  CHECK_EQUAL(atomic_load(&wrong_codes), 0);
}

/* ---- Closed while it is verified --------------------------------------------------------------------------------- */

/* 64 MiB, 32 times: a second and more. */
static const char verifier[] = "$argon2id$v=19$m=65536,t=32,p=1$AAECAwQFBgcICQoLDA0ODw$"
                               "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
static atomic_int is_done;

static void *verify(void *nothing) {
  CHECK_EQUAL(CustomKeyboard_checkVerifier(keyboard, NULL, 0, verifier), CUSTOM_KEYBOARD_MISMATCH);
  atomic_store(&is_done, 1);
  return nothing;
}

/* Not Argon2id's own memory. */
static size_t passwords_in_locked_memory(void) {
  size_t hits = 0;
  find_locked();
  for (size_t i = 0; i < locked_count; i++) {
    uintptr_t start = (uintptr_t)locked_regions[i].start, end = (uintptr_t)locked_regions[i].end;
    if (end - start < 1 << 21) hits += scan_range("", start, end, "", 1);
  }
  for (size_t i = 0; i < stack_count; i++)
    hits += scan_range("", (uintptr_t)secret_stacks[i].start, (uintptr_t)secret_stacks[i].end, "", 1);
  return hits;
}

static int is_computing(void) {
  find_locked();
  for (size_t i = 0; i < locked_count; i++)
    if (locked_regions[i].end - locked_regions[i].start > 1 << 25) return 1;
  return 0;
}

/* Repeats the search until the computation has ended: the copy is there for some microseconds at its beginning. */
static void check_verify(void) {
  pthread_t thread;
  int is_forgotten = 0;
  uint8_t *planted;
  keyboard = typed(CUSTOM_ENCWAY_SM4, key, 16, password, sizeof password - 1);
  atomic_store(&is_done, 0);
  REQUIRE(pthread_create(&thread, NULL, verify, NULL) == 0);
  while (!is_computing() && !atomic_load(&is_done)) sched_yield();
  CHECK_OK(CustomKeyboard_close(keyboard));
  while (!is_forgotten && !atomic_load(&is_done))
    is_forgotten = passwords_in_locked_memory() == 0 && !atomic_load(&is_done);
  CHECK(is_forgotten);
  REQUIRE(pthread_join(thread, NULL) == 0);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  /* The search finds what is there. */
  find_locked();
  planted = locked_regions[0].start;
  uint8_t before[sizeof password];
  memcpy(before, planted, sizeof password);
  memcpy(planted, password, sizeof password);
  CHECK(passwords_in_locked_memory() > 0);
  memcpy(planted, before, sizeof password);
}

int main(void) {
  alarm(LONGEST_WAIT);
  uint64_t seed = take_seed();
  draw_password(&seed, password, sizeof password - 1);
  needles.factor = draw(&seed) | 1;
  add_needles("password", password, sizeof password - 1, 1);
  for (int i = 0; i < ROUNDS; i++) check_destroy();
  check_verify();
  return check_end("ended", 4 * ROUNDS);
}
