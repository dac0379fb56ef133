/*
 * Threads are cancelled inside every function of the vault: with a cancellation that is pending when the call begins,
 * and at random moments with both types. SQLite is full of cancellation points, and so is a callback. After each: the
 * vault can be read and changed, no transaction is left, it can be closed and opened, and no locked memory is lost.
 * With -DFIDO_CALLS, inside every function of the FIDO client, which keeps its keys in a vault.
 *
 *     vault_cancel HEADER [TRIALS]          the path of custom_vault.h; SEED from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#if !defined(FIDO_CALLS) && !defined(VAULT_CALLS)
#define VAULT_CALLS
#endif
#define CHEAP_KEYS
#include "tested_calls.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static atomic_int begun, ended; /* callbacks */

static enum kind { PENDING, DEFERRED, ASYNCHRONOUS, KINDS } kind;
static const char *const kind_names[KINDS] = {"pending before the call", "deferred", "asynchronous"};

enum { WARM_THREADS = 64 };

static void come_to_points(void) {
  atomic_fetch_add(&begun, 1);
  struct timespec moment = {0, 1000};
  nanosleep(&moment, NULL);
  atomic_fetch_add(&ended, 1);
}

/* ---- The thread that is cancelled ------------------------------------------------------------------------------- */

static const struct call *attempt;
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
    (void)make_and_undo(attempt);
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
  CHECK_EQUAL(make_and_undo(attempt), attempt->expected);
  return unused;
}

/* In a process of its own, which an alarm ends if a lock is held for ever. */
static int run_child(int trials) {
  alarm(LONGEST_CHILD);
  atomic_store(&check_failures, 0);
  v.at_callback = come_to_points;
  attempt->prepare();
  int is_open = is_vault_open();
  if (is_open) CHECK_RV(CustomVault_addItem(v.vault, "s", "old", NULL, NULL, BYTES("value")), OK);
  /* Each thread begins with another one of the library's stacks for secrets, which are locked at their first use. */
  for (int i = 0; i < WARM_THREADS; i++) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, call_once, NULL) == 0 && pthread_join(thread, NULL) == 0);
  }
  call_once(NULL);
  long before = locked_memory();
  for (int trial = 0; trial < trials; trial++) {
    cancel_one();
    CHECK_EQUAL(atomic_load(&begun), atomic_load(&ended));
    if (attempt->undo) attempt->undo(); /* the thread may have ended between the two */
    CHECK_EQUAL(is_vault_open(), is_open);
    if (is_open) CHECK(holds(v.vault, "s", "old", "value"));
    if (is_open) CHECK_RV(CustomVault_updateItem(v.vault, "s", "old", NULL, NULL, BYTES("value")), OK);
    CHECK_EQUAL(make_and_undo(attempt), attempt->expected);
    if (atomic_load(&check_failures) > 0) break;
  }
  CHECK_EQUAL(locked_memory(), before);
  if (is_open) CHECK_RV(CustomVault_close(v.vault), OK);
  CHECK_RV(open_with_either_key(), OK);
  tested->release();
  remove_vault_folder();
  return atomic_load(&check_failures) > 0;
}

int main(int count, char **arguments) {
  int trials = count > 2 ? atoi(arguments[2]) : 20, processes = 0;
  REQUIRE(count > 1);
  check_complete(tested, arguments[1]);
  srand(getenv("SEED") != NULL ? (unsigned)atoi(getenv("SEED")) : (unsigned)time(NULL));
  fixed_secrets();
  for (attempt = tested->calls; attempt < tested->calls + tested->count; attempt++)
    for (kind = PENDING; kind < KINDS && is_success(attempt); kind++) {
      int status = -1;
      fflush(NULL);
      pid_t child = fork();
      if (child == 0) _exit(run_child(trials));
      REQUIRE(waitpid(child, &status, 0) == child);
      processes++;
      if (!CHECK_EQUAL(status, 0))
        fprintf(stderr, "  (%s, %s: %s)\n", call_name(attempt, 0), kind_names[kind],
                WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM ? "hangs" : "see above");
    }
  return check_end(tested_name("cancel"), (unsigned long)processes);
}
