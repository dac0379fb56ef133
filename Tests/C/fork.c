/*
 * Secrets do not cross a fork. In the child, every keyboard is idle, empty and without a key, and no call waits for a
 * lock that a thread of the parent held. New keyboards work; inherited ones can be used again or destroyed. Nothing
 * changes for the parent. Some forks come while other threads are inside calls. The library adds no handlers of forks:
 * none that waits can meet another one that waits for it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEYBOARDS = 300, THREADS = 8, FORKS = 200 / LESS, GENERATIONS = 12 };

/* In place of the function by which a library has its handlers run. */
static int registrations;
int __register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void), void *handle) {
  int (*original)(void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&original = dlsym(RTLD_NEXT, "__register_atfork");
  registrations++;
  return original(prepare, parent, child, handle);
}

static const uint8_t key[] = "890765432980765423451673";
static const char password[] = "kgcx879@ \xed\x95\x9c\xea\xb8\x80";
static CUSTOM_KEYBOARD keyboards[KEYBOARDS];

static CUSTOM_KEYBOARD make(int i) {
  const struct algorithm *a = &algorithms[i % ALGORITHM_COUNT];
  return typed(a->way, key, a->key_length, bytes(password), strlen(password));
}

/* Checks that a keyboard still has the password and the right key. */
static void check_works(CUSTOM_KEYBOARD keyboard, int i) {
  const struct algorithm *a = &algorithms[i % ALGORITHM_COUNT];
  uint8_t text[64], clear[64];
  size_t offset, length, clear_offset, clear_length;
  if (!CHECK_OK(CustomKeyboard_getText(keyboard, text, sizeof text, &offset, &length))) return;
  CHECK_OK(CustomKeyboard_decrypt(a->way, key, a->key_length, text + offset, length, clear, sizeof clear, &clear_offset,
                                  &clear_length));
  CHECK(clear_length == strlen(password) && memcmp(clear + clear_offset, password, clear_length) == 0);
}

/* Checks what the header says about the child: idle, empty, without a key. `i` may be any number. */
static void check_forgotten(CUSTOM_KEYBOARD keyboard, int i) {
  uint8_t text[64];
  size_t offset, length, count = 99;
  CHECK_OK(CustomKeyboard_count(keyboard, &count));
  CHECK_EQUAL(count, 0);
  CHECK_EQUAL(CustomKeyboard_getText(keyboard, text, sizeof text, &offset, &length), CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_close(keyboard), CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_OK(CustomKeyboard_open(keyboard));
  CHECK_EQUAL(CustomKeyboard_getText(keyboard, text, sizeof text, &offset, &length), CUSTOM_KEYBOARD_ERR);
  CHECK_OK(CustomKeyboard_close(keyboard));
  /* It can be used again. */
  const struct algorithm *a = &algorithms[i % ALGORITHM_COUNT];
  CHECK_OK(CustomKeyboard_setEncKey(keyboard, key, a->key_length, a->way));
  CHECK_OK(CustomKeyboard_open(keyboard));
  CHECK_OK(CustomKeyboard_input(keyboard, bytes(password), strlen(password)));
  check_works(keyboard, i);
  CHECK_OK(CustomKeyboard_destroy(keyboard));
  CHECK_EQUAL(CustomKeyboard_destroy(keyboard), CUSTOM_KEYBOARD_ARGUMENT);
}

/* Runs `body` in a child. A failed check, a crash or a hang there is a failure here. */
static void in_child(void (*body)(int), int argument) {
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(LONGEST_CHILD);
    atomic_store(&check_failures, 0);
    body(argument);
    _exit(atomic_load(&check_failures) > 0);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
}

static void check_child(int argument) {
  (void)argument;
  CUSTOM_KEYBOARD fresh = make(0);
  for (int i = 0; i < KEYBOARDS; i++) CHECK(fresh != keyboards[i]);
  check_works(fresh, 0);
  for (int i = 0; i < KEYBOARDS; i++) check_forgotten(keyboards[i], i);
  check_works(fresh, 0);
  CHECK_OK(CustomKeyboard_destroy(fresh));
}

/* A child of a child of a child: each forgets what its parent typed. */
static void descend(int depth) {
  CUSTOM_KEYBOARD own = make(depth);
  check_works(own, depth);
  if (depth > 0) in_child(descend, depth - 1);
  check_works(own, depth);
  CHECK_OK(CustomKeyboard_destroy(own));
}

/* ---- Fillings ---------------------------------------------------------------------------------------------------- */

/* The generator of fillings must not continue from one state on both sides of a fork, nor on two threads. */
enum { DRAWERS = 8, FILLING = 512 };
static uint8_t (*drawn)[FILLING];

static void draw_filling(int i) {
  size_t offset, length;
  CUSTOM_KEYBOARD keyboard = make(0);
  CHECK_OK(CustomKeyboard_getText(keyboard, drawn[i], FILLING, &offset, &length));
  CHECK_OK(CustomKeyboard_destroy(keyboard));
}

static void *draw_on_thread(void *number) {
  draw_filling((int)(uintptr_t)number);
  return NULL;
}

static void check_fillings(void) {
  enum { ALL = 3 * DRAWERS };
  drawn = mmap(NULL, ALL * sizeof *drawn, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  REQUIRE(drawn != MAP_FAILED);
  draw_filling(0); /* the parent's generator is seeded before the first fork */
  pthread_t ids[DRAWERS];
  for (int i = 0; i < DRAWERS; i++) in_child(draw_filling, i);
  for (int i = 0; i < DRAWERS; i++) draw_filling(DRAWERS + i);
  for (int i = 0; i < DRAWERS; i++)
    REQUIRE(pthread_create(&ids[i], NULL, draw_on_thread, (void *)(uintptr_t)(2 * DRAWERS + i)) == 0);
  for (int i = 0; i < DRAWERS; i++) pthread_join(ids[i], NULL);
  /* Two fillings share two bytes by chance, and at most 40 if their ciphertexts are at the same offset. */
  for (int i = 0; i < ALL; i++)
    for (int j = 0; j < i; j++) {
      int alike = 0;
      for (size_t at = 0; at < FILLING; at++) alike += drawn[i][at] == drawn[j][at];
      CHECK(alike < 100);
    }
  munmap(drawn, ALL * sizeof *drawn);
}

/* ---- Forks in the middle of calls -------------------------------------------------------------------------------- */

static atomic_int working;
static CUSTOM_KEYBOARD busy[THREADS];

static void *work(void *number) {
  int i = (int)(uintptr_t)number;
  CUSTOM_KEYBOARD passing;
  while (atomic_load(&working)) {
    check_works(busy[i], i);
    CHECK_OK(CustomKeyboard_input(busy[i], bytes("x"), 1));
    CHECK_OK(CustomKeyboard_deleteBackward(busy[i]));
    CHECK_OK(CustomKeyboard_create(&passing));
    CHECK_OK(CustomKeyboard_destroy(passing));
  }
  return NULL;
}

/* What another thread was doing at the fork does not continue in the child. */
static void check_busy_child(int argument) {
  (void)argument;
  for (int i = 0; i < THREADS; i++) check_forgotten(busy[i], i);
  for (int i = 0; i < 100; i++) {
    CUSTOM_KEYBOARD fresh = make(i);
    check_works(fresh, i);
    CHECK_OK(CustomKeyboard_destroy(fresh));
  }
}

static void fork_amid_calls(void) {
  pthread_t ids[THREADS];
  atomic_store(&working, 1);
  for (int i = 0; i < THREADS; i++) {
    busy[i] = make(i);
    REQUIRE(pthread_create(&ids[i], NULL, work, (void *)(uintptr_t)i) == 0);
  }
  for (int i = 0; i < FORKS; i++) in_child(check_busy_child, 0);
  atomic_store(&working, 0);
  for (int i = 0; i < THREADS; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < THREADS; i++) check_works(busy[i], i);
}

int main(void) {
  alarm(LONGEST_WAIT);
  REQUIRE(pthread_atfork(NULL, NULL, NULL) == 0); /* that this is seen here */
  CHECK_EQUAL(registrations, 1);
  for (int i = 0; i < KEYBOARDS; i++) keyboards[i] = make(i);
  in_child(check_child, 0);
  in_child(check_child, 0);
  for (int i = 0; i < KEYBOARDS; i++) check_works(keyboards[i], i);
  in_child(descend, GENERATIONS);
  check_fillings();
  fork_amid_calls();
  for (int i = 0; i < KEYBOARDS; i++) {
    check_works(keyboards[i], i);
    CHECK_OK(CustomKeyboard_close(keyboards[i]));
    CHECK_OK(CustomKeyboard_destroy(keyboards[i]));
  }
  return check_end("fork", 3000);
}
