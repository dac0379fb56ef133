/*
 * Forks in the middle of the vault's calls: by another thread, and by a signal handler that interrupts the call, whose
 * child goes on from the middle of it. In the child every function answers OP_DISABLE, nothing it does reaches the
 * file, and it ends. The parent's vault goes on; a program that the child becomes opens the vault.
 *
 *     vault_fork [FORKS]          for each function and each of the two ways
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_changes.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { LONGEST_WAIT = 20 };

static char folder[256], path[300], copy[300], other[300];
static CUSTOM_VAULT vault;

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static CUSTOM_KEYBOARD_RV call_open(void) {
  CUSTOM_VAULT made;
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&made, other, vault_keys[0], 32);
  return rv == CUSTOM_KEYBOARD_OK ? CustomVault_close(made) : rv;
}
static CUSTOM_KEYBOARD_RV call_add(void) {
  CUSTOM_KEYBOARD_RV rv = CustomVault_addItem(vault, "s", "new", NULL, NULL, BYTES("value"));
  return rv == CUSTOM_KEYBOARD_OK ? CustomVault_deleteItem(vault, "s", "new") : rv;
}
static CUSTOM_KEYBOARD_RV call_read(void) {
  uint8_t data[64];
  size_t length;
  return CustomVault_readItem(vault, "s", "old", data, sizeof data, &length);
}
static CUSTOM_KEYBOARD_RV call_update(void) {
  return CustomVault_updateItem(vault, "s", "old", "label", NULL, BYTES("value"));
}
static CUSTOM_KEYBOARD_RV call_list(void) { return CustomVault_listItems(vault, NULL, count_item, NULL); }
static CUSTOM_KEYBOARD_RV call_change_key(void) { return CustomVault_changeKey(vault, vault_keys[0], 32); }
static CUSTOM_KEYBOARD_RV call_back_up(void) {
  unlink(copy);
  return CustomVault_backup(vault, copy);
}

static const struct attempt {
  const char *name;
  CUSTOM_KEYBOARD_RV (*call)(void);
} attempts[] = {
    {"open and close", call_open}, {"addItem and deleteItem", call_add}, {"readItem", call_read},
    {"updateItem", call_update},   {"listItems", call_list},             {"changeKey", call_change_key},
    {"backup", call_back_up},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };
static const struct attempt *attempt;

/* ---- Children --------------------------------------------------------------------------------------------------- */

/* What a child must see. Returns its status. */
static int is_disabled(void) {
  CUSTOM_VAULT own;
  uint8_t data[64];
  size_t length;
  return CustomVault_readItem(vault, "s", "old", data, sizeof data, &length) == CUSTOM_KEYBOARD_OP_DISABLE &&
         CustomVault_updateItem(vault, "s", "old", NULL, NULL, BYTES("child")) == CUSTOM_KEYBOARD_OP_DISABLE &&
         CustomVault_open(&own, other, vault_keys[0], 32) == CUSTOM_KEYBOARD_OP_DISABLE &&
         CustomVault_close(vault) == CUSTOM_KEYBOARD_OP_DISABLE;
}

static volatile sig_atomic_t is_inside, is_child;
static atomic_int forks;
static atomic_int children, wrong;

static void wait_for_child(pid_t child) {
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  children++;
  if (status != 0 && wrong++ == 0)
    fprintf(stderr, "  a child of %s ended with status %#x\n", attempt->name, (unsigned)status);
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
    alarm(LONGEST_WAIT);
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
    struct itimerspec soon = {{0, 0}, {0, 1000L * (20 + rand() % 400)}};
    is_inside = 1;
    REQUIRE(timer_settime(timer, 0, &soon, NULL) == 0);
    CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_OK;
    for (int i = 0; i < 4 && rv == CUSTOM_KEYBOARD_OK && !is_child; i++) rv = attempt->call();
    is_inside = 0;
    /* The call that was interrupted may have been over, but for its end. */
    if (is_child) _exit(rv != CUSTOM_KEYBOARD_OK && rv != CUSTOM_KEYBOARD_OP_DISABLE ? 10 + (int)rv
                                                                                       : is_disabled() ? 0 : 1);
    if (!CHECK_EQUAL(rv, CUSTOM_KEYBOARD_OK)) return;
  }
}

static atomic_int is_enough;
static void *call_again(void *unused) {
  while (!atomic_load(&is_enough)) CHECK_RV(attempt->call(), OK);
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
      alarm(LONGEST_WAIT);
      if (!is_disabled()) _exit(1);
      if (i == 0) execl(program_invocation_name, "vault_fork", "--open", path, (char *)NULL);
      _exit(0);
    }
    wait_for_child(child);
  }
  atomic_store(&is_enough, 1);
  REQUIRE(pthread_join(thread, NULL) == 0);
}

/* In a process of its own, because only one that opened a vault cannot be forked and go on. */
static int run_child(void (*fork_often)(int), int count) {
  alarm(6 * LONGEST_WAIT);
  atomic_store(&check_failures, 0);
  CHECK_RV(CustomVault_open(&vault, path, vault_keys[0], 32), OK);
  CHECK_RV(CustomVault_addItem(vault, "s", "old", NULL, NULL, BYTES("value")), OK);
  CHECK_RV(attempt->call(), OK);
  fork_often(count);
  CHECK_EQUAL(wrong, 0);
  CHECK(children > 0);
  CHECK(holds(vault, "s", "old", "value"));
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, vault_keys[0], 32), OK);
  CHECK(holds(vault, "s", "old", "value"));
  CHECK_RV(CustomVault_close(vault), OK);
  return atomic_load(&check_failures) > 0;
}

int main(int count, char **arguments) {
  if (count == 3 && strcmp(arguments[1], "--open") == 0) {
    CUSTOM_VAULT own;
    return CustomVault_open(&own, arguments[2], vault_keys[0], 32) == CUSTOM_KEYBOARD_OK &&
                   CustomVault_close(own) == CUSTOM_KEYBOARD_OK
               ? 0
               : 3;
  }
  int forks_of_each = count > 1 ? atoi(arguments[1]) : 20;
  srand(getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL));
  for (attempt = attempts; attempt < attempts + ATTEMPTS; attempt++)
    for (int by_handler = 0; by_handler <= 1; by_handler++) {
      int status = -1;
      make_folder(folder, sizeof folder);
      snprintf(path, sizeof path, "%s/vault", folder);
      snprintf(copy, sizeof copy, "%s/copy", folder);
      snprintf(other, sizeof other, "%s/other", folder);
      fflush(NULL);
      pid_t child = fork();
      if (child == 0) _exit(run_child(by_handler ? fork_by_handler : fork_by_thread, forks_of_each));
      REQUIRE(waitpid(child, &status, 0) == child);
      if (!CHECK_EQUAL(status, 0))
        fprintf(stderr, "  (%s, forks by %s)\n", attempt->name, by_handler ? "a handler" : "a thread");
      remove_folder(folder);
    }
  return check_end("vault_fork", 2 * ATTEMPTS);
}
