/*
 * Who waits for a change of several calls to a vault, and how long: for threads and processes together five seconds
 * at most. Threads take turns, and none sees half a change.
 *
 *     vault_change_wait [SCENARIO]          only the one with that name
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_scenarios.h"
#include <dlfcn.h>
#include <pthread.h>
#include <sys/file.h>

/* ---- Five seconds ------------------------------------------------------------------------------------------------ */

/* In place of libc's: how often a thread has waited for a tenth of a second. */
static atomic_int moments, is_locked;
static int sqlite_lock = -1;
int pthread_mutex_timedlock(pthread_mutex_t *lock, const struct timespec *until) {
  int (*original)(pthread_mutex_t *, const struct timespec *);
  *(void **)&original = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
  int rv = original(lock, until);
  if (rv != 0) atomic_fetch_add(&moments, 1);
  /* The thread before has ended. Another program is the next one, and this thread hurries from then on. */
  if (rv == 0 && sqlite_lock >= 0) {
    while (!atomic_load(&is_locked)) usleep(1000);
    is_in_a_hurry = 1;
  }
  return rv;
}

static atomic_int is_inside, moments_to_wait;
static answer hold_for_moments(void *context) {
  struct timespec moment = {0, 1000000};
  (void)context;
  atomic_store(&is_inside, 1);
  while (atomic_load(&moments) < atomic_load(&moments_to_wait)) nanosleep(&moment, NULL);
  return add("of the thread", "x");
}
static void *change_in_thread(void *context) {
  CHECK_EQUAL(change(hold_for_moments, context), CUSTOM_KEYBOARD_OK);
  return NULL;
}
static answer wait_for(answer (*call)(void), int tenths) {
  pthread_t thread;
  atomic_store(&is_inside, 0), atomic_store(&moments, 0), atomic_store(&moments_to_wait, tenths);
  REQUIRE(pthread_create(&thread, NULL, change_in_thread, NULL) == 0);
  while (!atomic_load(&is_inside)) usleep(1000);
  answer rv = call();
  atomic_store(&moments_to_wait, 0);
  REQUIRE(pthread_join(thread, NULL) == 0);
  REQUIRE_OK(CustomVault_deleteItem(vault, "s", "of the thread"));
  return rv;
}
static answer add_one(void) { return add("b", "new"); }
static answer read_one(void) { return look_for("a"); }

static void threads_wait(void) {
  open_with("a", "old");
  CHECK_RV(wait_for(add_one, 1000), BUSY);
  CHECK_EQUAL(atomic_load(&moments), 50);
  CHECK_RV(look_for("b"), NOT_FOUND);
  CHECK_RV(wait_for(read_one, 3), SPACE);
}

/* The lock of the WAL, by another descriptor, as another process has it. It is taken when the thread has begun its
 * change, which holds it until its end. */
static void *take_lock_after(void *context) {
  char wal[310];
  (void)context;
  snprintf(wal, sizeof wal, "%s-wal", path);
  sqlite_lock = (int)syscall(SYS_openat, AT_FDCWD, wal, O_RDWR | O_CLOEXEC, 0);
  REQUIRE(sqlite_lock >= 0);
  REQUIRE(flock(sqlite_lock, LOCK_EX) == 0);
  atomic_store(&is_locked, 1);
  return NULL;
}
static answer add_behind_both(void) {
  pthread_t thread;
  REQUIRE(pthread_create(&thread, NULL, take_lock_after, NULL) == 0);
  while (sqlite_lock < 0) usleep(1000);
  steady_looks = 0;
  answer rv = add("b", "new");
  REQUIRE(pthread_join(thread, NULL) == 0);
  is_in_a_hurry = 0;
  REQUIRE(close(sqlite_lock) == 0);
  return rv;
}
static void all_waits_together(void) {
  open_with("a", "old");
  /* Three seconds for the thread, and so two for the lock, and not five: each look counts for a tenth. */
  CHECK_RV(wait_for(add_behind_both, 30), BUSY);
  if (!CHECK(steady_looks > 5 && steady_looks < 40)) fprintf(stderr, "  %u looks\n", steady_looks);
  sqlite_lock = -1;
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

enum { THREADS = 6, TRANSFERS = 40 };
static int number(const char *account) {
  int value = -1;
  size_t length = 0;
  CHECK_RV(CustomVault_readItem(vault, "s", account, (uint8_t *)&value, sizeof value, &length), OK);
  return value;
}
static answer set_number(const char *account, int value) {
  return CustomVault_updateItem(vault, "s", account, NULL, NULL, (const uint8_t *)&value, sizeof value);
}
static answer transfer(void *context) {
  int amount = *(int *)context, one = number("one"), two = number("two");
  CHECK_EQUAL(one + two, 1000);
  answer rv = set_number("one", one - amount);
  return rv == CUSTOM_KEYBOARD_OK ? set_number("two", two + amount) : rv;
}
static void *transfer_often(void *context) {
  int amount = (int)(intptr_t)context;
  for (int i = 0; i < TRANSFERS; i++) CHECK_RV(change(transfer, &amount), OK);
  return NULL;
}
static void threads_take_turns(void) {
  pthread_t threads[THREADS];
  int first = 1000, second = 0;
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_addItem(vault, "s", "one", NULL, NULL, (const uint8_t *)&first, sizeof first));
  REQUIRE_OK(CustomVault_addItem(vault, "s", "two", NULL, NULL, (const uint8_t *)&second, sizeof second));
  for (int i = 0; i < THREADS; i++)
    REQUIRE(pthread_create(&threads[i], NULL, transfer_often, (void *)(intptr_t)(i - 2)) == 0);
  for (int i = 0; i < THREADS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
  CHECK_EQUAL(number("two"), TRANSFERS * THREADS / 2);
  CHECK_EQUAL(number("one") + number("two"), 1000);
}

/* ---- All --------------------------------------------------------------------------------------------------------- */

static const struct scenario scenarios[] = {
    {"threads wait", threads_wait, 4},
    {"all waits together", all_waits_together, 2},
    {"threads take turns", threads_take_turns, 900},
};

int main(int count, char **arguments) { return RUN_SCENARIOS("vault_change_wait", count > 1 ? arguments[1] : NULL); }
