/*
 * What a program does around its forks, while threads are inside calls of the library. None of it waits for another
 * one, because the library waits for nobody: it has no handlers of forks, and uses no heap.
 *
 *   - an allocator in the program holds its locks during a fork, as jemalloc does;
 *   - a handler waits until no thread is inside a call, and keeps them out until the fork is over;
 *   - handlers call the library themselves, before the fork and after it, in both processes;
 *   - threads go around the handlers, with _Fork;
 *   - a constructor calls the library before main, and before the constructors of a library that is linked statically.
 *
 * Whatever hangs is ended by an alarm.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include "sealing.h"
#include "signing_ways.h"
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 100 / LESS };

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static const uint8_t message[] = "what is signed";

static CUSTOM_KEYBOARD_RV sign_by_rsa(void) {
  uint8_t signature[LONGEST_SIGNATURE];
  size_t length;
  const uint8_t *secret = (const uint8_t *)rsa_keys[0].secret, *public = (const uint8_t *)rsa_keys[0].public;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_signText(CUSTOM_SIGNWAY_RSA, secret, RSA_SECRET, NULL, 0, message,
                                                  sizeof message, signature, sizeof signature, &length);
  if (rv != CUSTOM_KEYBOARD_OK) return rv;
  return CustomKeyboard_verifyText(CUSTOM_SIGNWAY_RSA, public, RSA_PUBLIC, NULL, 0, message, sizeof message, signature,
                                   length);
}

static CUSTOM_KEYBOARD_RV before_main = CUSTOM_KEYBOARD_ERR;
__attribute__((constructor(101))) static void construct(void) { before_main = sign_by_rsa(); }

/* ---- The program's allocator ------------------------------------------------------------------------------------- */

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void __libc_free(void *block);

static pthread_mutex_t allocator = PTHREAD_MUTEX_INITIALIZER;
static void take_allocator(void) { pthread_mutex_lock(&allocator); }
static void give_allocator(void) { pthread_mutex_unlock(&allocator); }

#define LOCKED(result) (take_allocator(), kept = (result), give_allocator(), kept)
void *malloc(size_t size) { void *kept; return LOCKED(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { void *kept; return LOCKED(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) { void *kept; return LOCKED(__libc_realloc(block, size)); }
void free(void *block) {
  take_allocator();
  __libc_free(block);
  give_allocator();
}

/* ---- Handlers ---------------------------------------------------------------------------------------------------- */

static enum { ALLOCATOR, QUIET, CALLING, NONE } scene;
/* A fork that waits for the threads goes before the next call. */
static pthread_rwlock_t inside = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;

static void call_from_handler(void) { CHECK_OK(sign_by_rsa()); }
static void before_fork(void) {
  if (scene == ALLOCATOR) take_allocator();
  if (scene == QUIET) pthread_rwlock_wrlock(&inside);
  if (scene == CALLING) call_from_handler();
}
static void after_fork(void) {
  if (scene == ALLOCATOR) give_allocator();
  if (scene == QUIET) pthread_rwlock_unlock(&inside);
  if (scene == CALLING) call_from_handler();
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static atomic_int is_over;
static atomic_ulong calls;

static void *work(void *unused) {
  void (*volatile give_back)(void *) = free;
  (void)unused;
  while (!atomic_load(&is_over)) {
    give_back(malloc(100));
    if (scene == QUIET) pthread_rwlock_rdlock(&inside);
    CHECK_OK(sign_by_rsa());
    if (scene == QUIET) pthread_rwlock_unlock(&inside);
    atomic_fetch_add(&calls, 1);
  }
  return NULL;
}

static void fork_once(void) {
  int status;
  pid_t child = scene == NONE ? _Fork() : fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(LONGEST_CHILD);
    _exit(sign_by_rsa() != CUSTOM_KEYBOARD_OK);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
}

int main(void) {
  pthread_t threads[THREADS];
  REQUIRE_OK(before_main);
  REQUIRE(pthread_atfork(before_fork, after_fork, after_fork) == 0);
  for (scene = ALLOCATOR; scene <= NONE; scene++) {
    alarm(LONGEST_WAIT);
    atomic_store(&is_over, 0);
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, work, NULL) == 0);
    for (int i = 0; i < FORKS; i++) fork_once();
    unsigned long before = atomic_load(&calls);
    while (atomic_load(&calls) == before) sched_yield(); /* they still work */
    atomic_store(&is_over, 1);
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
  }
  return check_end("fork_handlers", 4 * FORKS);
}
