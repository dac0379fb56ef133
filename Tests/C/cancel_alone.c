/*
 * A thread cancels itself in a program that has no other thread: before a call, or from a signal handler in the middle
 * of one. The call ends before the thread does, and leaves no lock and no workspace taken.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "fixture.h"
#include "locked.h"
#include "sealing.h"
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>

enum { LARGE = 1 << 20, ROUNDS = 30, LONGEST_WAIT = 20 };

static const uint8_t key[] = "8907654329807654";
static CUSTOM_KEYBOARD keyboard;
static volatile sig_atomic_t is_inside, is_cancelled, is_asynchronous;
static uint8_t space[LARGE];
static size_t offset, length;

static void get_text(void) { CHECK_OK(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length)); }
static void open_it(void) { CHECK_OK(CustomKeyboard_open(keyboard)), CHECK_OK(CustomKeyboard_close(keyboard)); }
static void generate(void) { CHECK(call_generate() == CUSTOM_KEYBOARD_OK); }

static void cancel_now(int number) {
  (void)number;
  if (is_inside && !is_cancelled) is_cancelled = 1, pthread_cancel(pthread_self());
}

/* Runs when the thread ends. */
static void look(void *nothing) {
  size_t count;
  (void)nothing;
  alarm(LONGEST_WAIT);
  CHECK(is_asynchronous || !is_inside); /* an asynchronous one ends the thread as soon as the library allows it again */
  find_locked();
  CHECK_EQUAL(taken_places(), 0);
  CHECK_OK(CustomKeyboard_count(keyboard, &count));
  CHECK_OK(CustomKeyboard_destroy(keyboard));
  _exit(atomic_load(&check_failures) > 0);
}

static void prepare(void (*call)(void)) {
  struct sealing *s = &sealing;
  s->way = &sealed_ways[1];
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, key, 16, CUSTOM_ENCWAY_SM4));
  if (call == get_text) REQUIRE_OK(CustomKeyboard_open(keyboard));
  if (call == get_text) REQUIRE_OK(CustomKeyboard_input(keyboard, bytes("secret"), 6));
}

static void cancel_before(void (*call)(void)) {
  pthread_cancel(pthread_self());
  is_inside = 1;
  call();
  is_inside = 0;
}

/* Asynchronously, so that the thread would end in the handler. */
static void cancel_inside(void (*call)(void)) {
  struct sigaction action = {.sa_handler = cancel_now};
  struct itimerval often = {{0, 30}, {0, 30}};
  int ignored;
  REQUIRE(sigaction(SIGALRM, &action, NULL) == 0);
  is_asynchronous = 1;
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &ignored);
  REQUIRE(setitimer(ITIMER_REAL, &often, NULL) == 0);
  for (;;) {
    is_inside = 1;
    call();
    is_inside = 0;
  }
}

static void check(const char *name, void (*cancel)(void (*)(void)), void (*call)(void)) {
  int status;
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(LONGEST_WAIT);
    prepare(call);
    pthread_cleanup_push(look, NULL);
    cancel(call);
    for (;;) pthread_testcancel();
    pthread_cleanup_pop(0);
  }
  REQUIRE(waitpid(child, &status, 0) == child);
  if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  (%s)\n", name);
}

int main(void) {
  take_seed();
  for (int i = 0; i < ROUNDS; i++) {
    check("open, cancelled before", cancel_before, open_it);
    check("getText, cancelled before", cancel_before, get_text);
    check("generateKey, cancelled before", cancel_before, generate);
    check("getText, cancelled inside", cancel_inside, get_text);
    check("generateKey, cancelled inside", cancel_inside, generate);
  }
  return check_end("cancel_alone", 5 * ROUNDS);
}
