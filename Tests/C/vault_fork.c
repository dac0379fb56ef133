/*
 * Forks in the middle of the vault's calls: by another thread, and by a signal handler that interrupts the call, whose
 * child goes on from the middle of it. In the child every function answers OP_DISABLE, nothing it does reaches the
 * file, and it ends. The parent's vault goes on; a program that the child becomes opens the vault. With -DFIDO_CALLS,
 * in the middle of the calls of the FIDO client.
 *
 *     vault_fork HEADER [FORKS]          the path of custom_vault.h; forks for each function and each of the two ways
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#if !defined(FIDO_CALLS) && !defined(VAULT_CALLS)
#define VAULT_CALLS
#endif
#define CHEAP_KEYS
#include "tested_calls.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>


static const struct call *attempt;

/* ---- Children --------------------------------------------------------------------------------------------------- */

/* What a child must see. Returns its status. */
static int is_disabled(void) {
  CUSTOM_VAULT own;
  uint8_t data[64];
  size_t length;
#ifdef FIDO_CALLS
  if (CustomFido_availableTypes(f.fido, &f.types) != -CUSTOM_KEYBOARD_OP_DISABLE) return 0;
#endif
  return CustomVault_readItem(v.vault, "s", "old", data, sizeof data, &length) == CUSTOM_KEYBOARD_OP_DISABLE &&
         CustomVault_updateItem(v.vault, "s", "old", NULL, NULL, BYTES("child")) == CUSTOM_KEYBOARD_OP_DISABLE &&
         CustomVault_open(&own, v.other, v.key, sizeof v.key) == CUSTOM_KEYBOARD_OP_DISABLE &&
         CustomVault_close(v.vault) == CUSTOM_KEYBOARD_OP_DISABLE;
}

/* Whether what a call gave its child is right. Of other calls nothing can be said without the vault. */
static int is_right_in_child(void) {
  int needs_no_vault = strstr("generateWords checkWords wordsSeed", attempt->function) != NULL;
  return !needs_no_vault || attempt->is_right();
}

static volatile sig_atomic_t is_inside, is_child;
static atomic_int forks;
static atomic_int children, wrong;

static void wait_for_child(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  children++;
  if (status != 0 && wrong++ == 0)
    fprintf(stderr, "  a child of %s ended with status %#x\n", call_name(attempt, 0), (unsigned)status);
}

/* The child returns into the call that was interrupted, and from it. */
static void fork_in_handler(int number) {
  (void)number;
  int error = errno;
  if (!is_inside || is_child || forks <= 0) return;
  forks--;
  pid_t child = fork();
  if (child == 0) {
    is_child = 1;
    alarm(LONGEST_CHILD);
  } else if (child > 0) {
    wait_for_child(child);
  }
  errno = error;
}

static void fork_by_handler(int count) {
  struct sigaction action = {.sa_handler = fork_in_handler};
  REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
  timer_t timer;
  REQUIRE(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  forks = count;
  while (forks > 0 && wrong == 0) {
    struct timespec moment = {0, 1000L * (20 + rand() % 400)};
    struct itimerspec soon = {moment, moment}; /* again, if it comes between two calls */
    int code = attempt->expected, forks_before = forks;
    REQUIRE(timer_settime(timer, 0, &soon, NULL) == 0);
    is_inside = 1;
    while (code == attempt->expected && forks == forks_before && !is_child) code = make_and_undo(attempt);
    is_inside = 0;
    /* The call that was interrupted may have been over, but for its end. */
    if (is_child && code != attempt->expected && abs(code) != CUSTOM_KEYBOARD_OP_DISABLE) _exit(10 + abs(code) % 200);
    if (is_child) _exit(code == attempt->expected && !is_right_in_child() ? 2 : is_disabled() ? 0 : 1);
    if (!CHECK_EQUAL(code, attempt->expected)) return;
  }
}

static atomic_int is_enough;
static void *call_again(void *unused) {
  while (!atomic_load(&is_enough)) CHECK_EQUAL(make_and_undo(attempt), attempt->expected);
  return unused;
}

static void fork_by_thread(int count) {
  pthread_t thread;
  atomic_store(&is_enough, 0);
  REQUIRE(pthread_create(&thread, NULL, call_again, NULL) == 0);
  for (int i = 0; i < count && wrong == 0; i++) {
    struct timespec moment = {0, 1000L * (rand() % 500)};
    nanosleep(&moment, NULL);
    pid_t child = fork();
    if (child == 0) {
      alarm(LONGEST_CHILD);
      if (!is_disabled()) _exit(1);
      if (i == 0) execl(program_invocation_name, "vault_fork", "--open", v.other, (char *)NULL);
      _exit(0);
    }
    wait_for_child(child);
  }
  atomic_store(&is_enough, 1);
  REQUIRE(pthread_join(thread, NULL) == 0);
}

/* In a process of its own, because only one that opened a vault cannot be forked and go on. */
static int run_child(void (*fork_often)(int), int count) {
  alarm(LONGEST_WAIT);
  atomic_store(&check_failures, 0);
  attempt->prepare();
  int is_open = is_vault_open();
  if (is_open) CHECK_RV(CustomVault_addItem(v.vault, "s", "old", NULL, NULL, BYTES("value")), OK);
  CHECK_EQUAL(make_and_undo(attempt), attempt->expected);
  fork_often(count);
  CHECK_EQUAL(wrong, 0);
  CHECK(children > 0);
  CHECK_EQUAL(is_vault_open(), is_open);
  for (int again = 0; again <= is_open; again++) {
    CHECK(!is_open || holds(v.vault, "s", "old", "value"));
    if (is_open) CHECK_RV(CustomVault_close(v.vault), OK);
    CHECK_RV(open_with_either_key(), OK);
  }
  tested->release();
  remove_vault_folder();
  return atomic_load(&check_failures) > 0;
}

int main(int count, char **arguments) {
  REQUIRE(count > 1);
  fixed_secrets();
  if (count == 3 && strcmp(arguments[1], "--open") == 0) {
    CUSTOM_VAULT own;
    vault_secrets();
    return CustomVault_open(&own, arguments[2], v.key, sizeof v.key) == CUSTOM_KEYBOARD_OK &&
                   CustomVault_close(own) == CUSTOM_KEYBOARD_OK
               ? 0
               : 3;
  }
  int forks_of_each = count > 2 ? atoi(arguments[2]) : 20, processes = 0;
  check_complete(tested, arguments[1]);
  srand(getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL));
  for (attempt = tested->calls; attempt < tested->calls + tested->count; attempt++)
    for (int by_handler = 0; by_handler <= 1 && is_success(attempt); by_handler++) {
      int status = -1;
      fflush(NULL);
      pid_t child = fork();
      if (child == 0) _exit(run_child(by_handler ? fork_by_handler : fork_by_thread, forks_of_each));
      REQUIRE(waitpid(child, &status, 0) == child);
      processes++;
      if (!CHECK_EQUAL(status, 0))
        fprintf(stderr, "  (%s, forks by %s)\n", call_name(attempt, 0), by_handler ? "a handler" : "a thread");
    }
  return check_end(tested_name("fork"), (unsigned long)processes);
}
