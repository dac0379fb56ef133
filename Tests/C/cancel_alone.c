/*
 * A thread cancels itself in a program that has no other thread: before a call, or from a signal handler in the middle
 * of one. The call ends before the thread does, and leaves no lock and no workspace taken. So for every function of the
 * header.
 *
 *     cancel_alone [header]          the path of custom_keyboard.h, to check that every function is called
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "keyboard_calls.h"
#include "locked.h"
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { ROUNDS = 5 };

static const struct call *attempt;
static volatile sig_atomic_t is_inside, is_cancelled, is_asynchronous;

static void call(void) {
  is_inside = 1;
  (void)attempt->run();
  is_inside = 0;
}

static void cancel_now(int number) {
  (void)number;
  if (is_inside && !is_cancelled) is_cancelled = 1, pthread_cancel(pthread_self());
}

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
/* The cancellation has left frames below the caller's, which the address sanitizer still sees. */
static inline __attribute__((always_inline)) void forget_frames(void) {
  enum { DEPTH = 256 * 1024 };
  __asan_unpoison_memory_region((char *)__builtin_frame_address(0) - DEPTH, DEPTH);
}
#else
static inline void forget_frames(void) {}
#endif

/* Runs when the thread ends. */
static void look_at_end(void *nothing) {
  size_t count;
  (void)nothing;
  forget_frames();
  alarm(LONGEST_CHILD);
  CHECK(is_asynchronous || !is_inside); /* an asynchronous one ends the thread as soon as the library allows it again */
  find_locked();
  CHECK_EQUAL(taken_places(), 0);
  if (w.keyboard) CHECK_OK(CustomKeyboard_count(w.keyboard, &count));
  if (w.keyboard) CHECK_OK(CustomKeyboard_destroy(w.keyboard));
  _exit(atomic_load(&check_failures) > 0);
}

static void cancel_before(void) {
  pthread_cancel(pthread_self());
  call();
}

/* Asynchronously, so that the thread would end in the handler. Not in the first call of the process, which uses the
 * heap: pthread_cancel does so, too, and a handler may not where it interrupts that. */
static void cancel_inside(void) {
  struct sigaction action = {.sa_handler = cancel_now};
  struct itimerval often = {{0, 30}, {0, 30}};
  int ignored;
  CUSTOM_KEYBOARD first;
  REQUIRE_OK(CustomKeyboard_create(&first));
  REQUIRE_OK(CustomKeyboard_destroy(first));
  REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
  is_asynchronous = 1;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &ignored);
  REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
  for (;;) {
    call();
    if (attempt->undo) attempt->undo();
  }
}

static void check(const char *how, void (*cancel)(void)) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(LONGEST_CHILD);
    atomic_store(&check_failures, 0);
    attempt->prepare();
    pthread_cleanup_push(look_at_end, NULL);
    cancel();
    for (;;) pthread_testcancel();
    pthread_cleanup_pop(0);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  (%s, %s)\n", attempt->function, how);
}

int main(int argument_count, char **arguments) {
  uint64_t seed = take_seed();
  if (argument_count > 1) check_complete(&keyboard_calls, arguments[1]);
  w.algorithm = &algorithms[ALGORITHM_COUNT - 1];
  w.layout = CUSTOM_KEYBOARD_LAYOUT_LETTERS;
  w.password_length = 40;
  draw_password(&seed, w.password, sizeof w.password);
  draw_bytes(&seed, w.key, sizeof w.key);
  unsigned long checks = 0;
  /* Of each function the first row. */
  for (attempt = keyboard_rows; attempt < keyboard_rows + keyboard_calls.count; attempt++) {
    if (attempt > keyboard_rows && strcmp(attempt->function, attempt[-1].function) == 0) continue;
    choose_variant(attempt, variant_count(attempt) / 2);
    for (int i = 0; i < ROUNDS; i++, checks += 2) {
      check("cancelled before", cancel_before);
      check("cancelled inside", cancel_inside);
    }
  }
  return check_end("cancel_alone", checks);
}
