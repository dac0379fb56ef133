/*
 * A keyboard ends although other threads are in the middle of calls on it. When destroy returns, its slot holds neither
 * key nor password, and who waited for the keyboard gets ARGUMENT. What computes with the password for long, has read
 * it before it waits: after close, and whenever memory or a lock is asked for, no copy is in the clear.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* what only a search of all memory needs */
#include "fixture.h"
#include "locked.h"
#include "scan.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

enum {
  THREADS = 4,
  ROUNDS = 40 / LESS,
  LARGE = 1 << 20,          /* a space that takes some time to fill */
  ARGON2ID = 1 << 24,       /* less than Argon2id's memory, more than anything else */
  HARMLESS = 10,            /* words of a slot that holds no more than its lock and that it has ended */
  SLOTS_REGION = 128 * 2368 /* KeyboardState.swift */
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

/* ---- Closed while it is computed with ---------------------------------------------------------------------------- */

/* 64 MiB, once, with an answer that is as wrong as any. */
static const char argon2id[] = "$argon2id$v=19$m=65536,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$"
                               "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
static const char sha256d[] = "$sha256d$0000000000000000000000000000000000000000000000000000000000000000";
static CUSTOM_KEYBOARD idle;
static uint8_t text[CUSTOM_KEYBOARD_MAXSEALEDSIZE];
static size_t at, size;
static char made[CUSTOM_KEYBOARD_MAXVERIFIERSIZE];
static uint8_t derived[32];
static size_t made_length;

static CUSTOM_KEYBOARD_RV check_sha256d(void) { return CustomKeyboard_checkVerifier(keyboard, NULL, 0, sha256d); }
static CUSTOM_KEYBOARD_RV check_argon2id(void) { return CustomKeyboard_checkVerifier(keyboard, NULL, 0, argon2id); }
static CUSTOM_KEYBOARD_RV receive(void) {
  return CustomKeyboard_receive(idle, CUSTOM_ENCWAY_SM4, key, 16, NULL, 0, text + at, size);
}
static CUSTOM_KEYBOARD_RV make(void) {
  return CustomKeyboard_makeVerifier(keyboard, NULL, 0, made, sizeof made, &made_length);
}
static CUSTOM_KEYBOARD_RV derive(void) {
  return CustomKeyboard_deriveKey(keyboard, key, 16, NULL, 0, 65536, 1, derived, sizeof derived);
}

/* Calls that compute for long, or wait for a keyboard with what they have opened. The first that needs a workspace of
 * its size, and a stack, finds none that was used before. */
static const struct computation {
  const char *name;
  CUSTOM_KEYBOARD_RV (*call)(void), expected;
  int is_large; /* Argon2id */
} computations[] = {
    {"receive", receive, CUSTOM_KEYBOARD_OK, 0},
    {"checkVerifier, SHA-256", check_sha256d, CUSTOM_KEYBOARD_MISMATCH, 0},
    {"checkVerifier", check_argon2id, CUSTOM_KEYBOARD_MISMATCH, 1},
    {"makeVerifier", make, CUSTOM_KEYBOARD_OK, 1},
    {"deriveKey", derive, CUSTOM_KEYBOARD_OK, 1},
};

static size_t passwords_in_locked_memory(const char *when) {
  size_t hits = 0;
  find_locked();
  for (size_t i = 0; i < locked_count; i++) {
    uintptr_t start = (uintptr_t)locked_regions[i].start, end = (uintptr_t)locked_regions[i].end;
    if (end - start < ARGON2ID) hits += scan_range("", start, end, when, !*when);
  }
  for (size_t i = 0; i < stack_count; i++)
    hits += scan_range("", (uintptr_t)secret_stacks[i].start, (uintptr_t)secret_stacks[i].end, when, !*when);
  return hits;
}

/* The library asks for memory with two of these, and for a lock with the third, and waits as long as others like. */
static _Thread_local const char *computing;
static atomic_int asked, large, is_closed;
static int is_inside;

static void ask(size_t size) {
  if (!computing || is_inside) return;
  is_inside = 1;
  atomic_fetch_add(&asked, 1);
  CHECK_EQUAL(passwords_in_locked_memory(computing), 0);
  if (size >= ARGON2ID && atomic_fetch_add(&large, 1) == 0)
    while (!atomic_load(&is_closed)) sched_yield();
  is_inside = 0;
}
void *mmap(void *place, size_t size, int protection, int flags, int file, off_t offset) {
  ask(size);
  return (void *)syscall(SYS_mmap, place, size, protection, flags, file, offset);
}
int mlock(const void *place, size_t size) {
  ask(size);
  return (int)syscall(SYS_mlock, place, size);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  static int (*lock)(pthread_mutex_t *);
  ask(0);
  if (!lock) *(void **)&lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  return lock(mutex);
}

static void *compute(void *row) {
  const struct computation *computation = row;
  computing = computation->name;
  CHECK_EQUAL(computation->call(), computation->expected);
  computing = NULL;
  atomic_store(&large, 1); /* nobody waits for a call that asks for none */
  return NULL;
}

/* Memory and locks are asked for when no copy of the password is in the clear; and so there is none when `close`
 * returns, while the computation goes on with what it has read. */
static void check_computation(const struct computation *computation) {
  pthread_t thread;
  keyboard = typed(CUSTOM_ENCWAY_SM4, key, 16, password, sizeof password - 1);
  REQUIRE_OK(CustomKeyboard_create(&idle));
  REQUIRE_OK(CustomKeyboard_getText(keyboard, text, sizeof text, &at, &size));
  atomic_store(&asked, 0), atomic_store(&large, 0), atomic_store(&is_closed, 0);
  REQUIRE(pthread_create(&thread, NULL, compute, (void *)computation) == 0);
  while (atomic_load(&large) == 0) sched_yield();
  CHECK_OK(CustomKeyboard_close(keyboard));
  if (computation->is_large) CHECK_EQUAL(passwords_in_locked_memory("after close"), 0);
  atomic_store(&is_closed, 1);
  REQUIRE(pthread_join(thread, NULL) == 0);
  CHECK(atomic_load(&asked) > 0);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(idle));
}

static void check_computations(void) {
  for (size_t i = 0; i < sizeof computations / sizeof *computations; i++) check_computation(&computations[i]);
  /* The search finds what is there. */
  uint8_t before[sizeof password], *planted;
  find_locked();
  planted = locked_regions[0].start;
  memcpy(before, planted, sizeof password);
  memcpy(planted, password, sizeof password);
  CHECK(passwords_in_locked_memory("") > 0);
  memcpy(planted, before, sizeof password);
}

int main(void) {
  alarm(LONGEST_WAIT);
  uint64_t seed = take_seed();
  draw_password(&seed, password, sizeof password - 1);
  needles.factor = draw(&seed) | 1;
  add_needles("password", password, sizeof password - 1, 1);
  check_computations(); /* first, so that no workspace has been locked before */
  for (int i = 0; i < ROUNDS; i++) check_destroy();
  return check_end("ended", 4 * 40);
}
