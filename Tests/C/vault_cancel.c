/*
 * Threads are cancelled inside every function of the vault: with a cancellation that is pending when the call begins,
 * and at random moments with both types. SQLite is full of cancellation points, and so is a callback. After each: the
 * vault can be read and changed, no transaction is left, it can be closed and opened, and no locked memory is lost.
 *
 *     vault_cancel [TRIALS]          SEED from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const uint8_t key[] = "the key of the vault, 32 bytes..";
static char folder[256], path[300], copy[300], other[300];
static CUSTOM_VAULT vault;
static atomic_int begun, ended; /* callbacks */

static enum kind { PENDING, DEFERRED, ASYNCHRONOUS, KINDS } kind;
static const char *const kind_names[KINDS] = {"pending before the call", "deferred", "asynchronous"};

enum { WARM_THREADS = 64 };

/* ---- Calls ------------------------------------------------------------------------------------------------------ */

static CUSTOM_KEYBOARD_RV call_open(void) {
  static CUSTOM_VAULT made; /* a thread that was cancelled after open left its handle here */
  CustomVault_close(made);
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&made, other, key, 32);
  CustomVault_close(made);
  return rv;
}
static CUSTOM_KEYBOARD_RV call_add(void) {
  CustomVault_deleteItem(vault, "s", "new");
  return CustomVault_addItem(vault, "s", "new", NULL, NULL, BYTES("value"));
}
static CUSTOM_KEYBOARD_RV call_read(void) {
  uint8_t data[64];
  size_t length;
  return CustomVault_readItem(vault, "s", "old", data, sizeof data, &length);
}
static CUSTOM_KEYBOARD_RV call_update(void) {
  return CustomVault_updateItem(vault, "s", "old", "label", NULL, BYTES("value"));
}
static CUSTOM_KEYBOARD_RV call_replace(void) {
  return CustomVault_replaceItem(vault, "s", "old", BYTES("value"), BYTES("value"));
}
static CUSTOM_KEYBOARD_RV call_delete(void) {
  CustomVault_addItem(vault, "s", "new", NULL, NULL, BYTES("value"));
  return CustomVault_deleteItem(vault, "s", "new");
}
static int come_to_points(void *context, const CUSTOM_VAULT_ITEM *item) {
  (void)context;
  atomic_fetch_add(&begun, 1);
  struct timespec moment = {0, 1000};
  nanosleep(&moment, NULL);
  CHECK(item->service[0] == 's');
  atomic_fetch_add(&ended, 1);
  return 0;
}
static CUSTOM_KEYBOARD_RV call_list(void) { return CustomVault_listItems(vault, NULL, come_to_points, NULL); }
static CUSTOM_KEYBOARD_RV call_change_key(void) { return CustomVault_changeKey(vault, key, 32); }
static CUSTOM_KEYBOARD_RV call_back_up(void) {
  unlink(copy);
  return CustomVault_backup(vault, copy);
}

static const struct attempt {
  const char *name;
  CUSTOM_KEYBOARD_RV (*call)(void);
} attempts[] = {
    {"open and close", call_open},  {"addItem", call_add},         {"readItem", call_read},
    {"updateItem", call_update},    {"replaceItem", call_replace}, {"deleteItem", call_delete},
    {"listItems", call_list},       {"changeKey", call_change_key}, {"backup", call_back_up},
};
enum { ATTEMPTS = sizeof attempts / sizeof *attempts };

/* ---- The thread that is cancelled ------------------------------------------------------------------------------- */

static const struct attempt *attempt;
static sem_t is_running, may_go;

static void *call_until_cancelled(void *unused) {
  int ignored;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ignored);
  pthread_setcanceltype(kind == ASYNCHRONOUS ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, &ignored);
  sem_post(&is_running);
  if (kind == PENDING)
    while (sem_wait(&may_go) != 0) continue;
  pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &ignored);
  for (;;) {
    attempt->call();
    if (kind != ASYNCHRONOUS) pthread_testcancel();
  }
  return unused;
}

static void cancel_one(void) {
  pthread_t thread;
  REQUIRE(sem_init(&is_running, 0, 0) == 0 && sem_init(&may_go, 0, 0) == 0);
  REQUIRE(pthread_create(&thread, NULL, call_until_cancelled, NULL) == 0);
  while (sem_wait(&is_running) != 0) continue;
  struct timespec moment = {0, 1000L * (rand() % 2000)};
  if (kind != PENDING) nanosleep(&moment, NULL);
  REQUIRE(pthread_cancel(thread) == 0);
  REQUIRE(sem_post(&may_go) == 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
}

/* ---- What must hold afterwards ---------------------------------------------------------------------------------- */

static long locked_memory(void) {
  char line[256];
  long size = -1;
  FILE *status = fopen("/proc/self/status", "r");
  REQUIRE(status != NULL);
  while (fgets(line, sizeof line, status) != NULL) sscanf(line, "VmLck: %ld", &size);
  fclose(status);
  REQUIRE(size >= 0);
  return size;
}

static void *call_once(void *unused) {
  CHECK_RV(attempt->call(), OK);
  return unused;
}

/* In a process of its own, which an alarm ends if a lock is held for ever. */
static int run_child(int trials) {
  alarm(20);
  atomic_store(&check_failures, 0);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CustomVault_addItem(vault, "s", "old", NULL, NULL, BYTES("value"));
  /* Each thread begins with another one of the library's stacks for secrets, which are locked at their first use. */
  for (int i = 0; i < WARM_THREADS; i++) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call_once, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  long before = locked_memory();
  for (int trial = 0; trial < trials; trial++) {
    cancel_one();
    CHECK_EQUAL(atomic_load(&begun), atomic_load(&ended));
    CHECK(holds(vault, "s", "old", "value"));
    CHECK_RV(CustomVault_updateItem(vault, "s", "old", NULL, NULL, BYTES("value")), OK);
    CHECK_RV(attempt->call(), OK);
    if (atomic_load(&check_failures) > 0) break;
  }
  CHECK_EQUAL(locked_memory(), before);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  return atomic_load(&check_failures) > 0;
}

int main(int count, char **arguments) {
  int trials = count > 1 ? atoi(arguments[1]) : 20;
  srand(getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL));
  for (attempt = attempts; attempt < attempts + ATTEMPTS; attempt++)
    for (kind = PENDING; kind < KINDS; kind++) {
      int status = -1;
      make_folder(folder, sizeof folder);
      snprintf(path, sizeof path, "%s/vault", folder);
      snprintf(copy, sizeof copy, "%s/copy", folder);
      snprintf(other, sizeof other, "%s/other", folder);
      fflush(NULL);
      pid_t child = fork();
      if (child == 0) _exit(run_child(trials));
      REQUIRE(waitpid(child, &status, 0) == child);
      if (!CHECK_EQUAL(status, 0))
        fprintf(stderr, "  (%s, %s: %s)\n", attempt->name, kind_names[kind],
                WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "see above");
      remove_folder(folder);
    }
  return check_end("vault_cancel", ATTEMPTS * KINDS);
}
