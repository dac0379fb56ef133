/*
 * Four processes that change one vault at the same time, from the moment at which it is made; and eight threads on one
 * handle. No change is lost, every reader sees a whole value, and a counter that all of them raise by replaceItem ends
 * at the right number.
 *
 *     vault_together
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault.h"
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

static const uint8_t key[] = "the key of the vault, 32 bytes..";
enum { PROCESSES = 4, THREADS = 8, ITEMS = 12, RAISES = 12 };

/* Calls again while the answer is BUSY: on a busy machine another process may have the file for more than five
 * seconds. */
#define CALL(rv, call) \
  do (rv) = (call);    \
  while ((rv) == CUSTOM_KEYBOARD_BUSY)

/* Raises the counter by one, however often another one comes first. Returns whether it could. */
static int raise_counter(CUSTOM_VAULT vault) {
  for (;;) {
    uint32_t now = 0, next;
    size_t length = 0;
    CUSTOM_KEYBOARD_RV rv;
    CALL(rv, CustomVault_readItem(vault, "shared", "counter", (uint8_t *)&now, sizeof now, &length));
    if (rv == CUSTOM_KEYBOARD_NOT_FOUND) {
      next = 1;
      CALL(rv, CustomVault_addItem(vault, "shared", "counter", NULL, NULL, (uint8_t *)&next, sizeof next));
    } else if (rv == CUSTOM_KEYBOARD_OK && length == sizeof now) {
      next = now + 1;
      CALL(rv, CustomVault_replaceItem(vault, "shared", "counter", (uint8_t *)&now, sizeof now, (uint8_t *)&next,
                                       sizeof next));
    }
    if (rv == CUSTOM_KEYBOARD_OK) return 1;
    if (rv != CUSTOM_KEYBOARD_MISMATCH && rv != CUSTOM_KEYBOARD_EXISTS) {
      fprintf(stderr, "  the counter answers %d\n", (int)rv);
      return 0;
    }
  }
}

/* Adds items of its own, and one that all of them overwrite, whose bytes are all the same. */
static int work(CUSTOM_VAULT vault, int who) {
  char name[32];
  uint8_t data[300], seen[300];
  size_t length;
  for (int i = 0; i < ITEMS; i++) {
    snprintf(name, sizeof name, "%d of %d", i, who);
    CUSTOM_KEYBOARD_RV rv;
    CALL(rv, CustomVault_addItem(vault, "own", name, NULL, NULL, BYTES(name)));
    if (rv != CUSTOM_KEYBOARD_OK) return 0;
    memset(data, who, sizeof data);
    CALL(rv, CustomVault_updateItem(vault, "shared", "text", NULL, NULL, data, 100 + (size_t)who));
    if (rv == CUSTOM_KEYBOARD_NOT_FOUND)
      CALL(rv, CustomVault_addItem(vault, "shared", "text", NULL, NULL, data, 100 + (size_t)who));
    if (rv != CUSTOM_KEYBOARD_OK && rv != CUSTOM_KEYBOARD_EXISTS) return 0;
    CALL(rv, CustomVault_readItem(vault, "shared", "text", seen, sizeof seen, &length));
    if (rv != CUSTOM_KEYBOARD_OK) return 0;
    for (size_t k = 0; k < length; k++)
      if (seen[k] != length - 100) return 0;
  }
  for (int i = 0; i < RAISES; i++)
    if (!raise_counter(vault)) return 0;
  return 1;
}

typedef struct worker {
  CUSTOM_VAULT vault;
  int who, worked;
} worker;

static void *run(void *context) {
  worker *self = context;
  self->worked = work(self->vault, self->who);
  return NULL;
}

int main(int count, char **arguments) {
  char folder[256], path[300], who[32];
  CUSTOM_VAULT vault;
  if (count == 3) {
    CUSTOM_KEYBOARD_RV rv;
    CALL(rv, CustomVault_open(&vault, arguments[1], key, 32));
    if (rv != CUSTOM_KEYBOARD_OK || !work(vault, atoi(arguments[2]))) return 1;
    return CustomVault_close(vault) == CUSTOM_KEYBOARD_OK ? 0 : 1;
  }
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    snprintf(who, sizeof who, "%d", i + 1);
    if ((children[i] = fork()) == 0) {
      execl(program_invocation_name, "vault_together", path, who, (char *)NULL);
      _exit(2);
    }
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    CHECK(waitpid(children[i], &status, 0) == children[i] && status == 0);
  }
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK);
  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){vault, PROCESSES + i + 1, 0};
    REQUIRE(pthread_create(&threads[i], NULL, run, &workers[i]) == 0);
  }
  for (int i = 0; i < THREADS; i++) {
    REQUIRE(pthread_join(threads[i], NULL) == 0);
    CHECK(workers[i].worked);
  }
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, key, 32), OK); /* the sum over all rows is right */
  size_t items = 0;
  CHECK_RV(CustomVault_listItems(vault, "own", count_item, &items), OK);
  CHECK_EQUAL(items, (PROCESSES + THREADS) * ITEMS);
  for (int i = 1; i <= PROCESSES + THREADS; i++) {
    for (int k = 0; k < ITEMS; k++) {
      snprintf(who, sizeof who, "%d of %d", k, i);
      CHECK(holds(vault, "own", who, who));
    }
  }
  uint32_t counter = (PROCESSES + THREADS) * RAISES;
  CHECK(holds_bytes(vault, "shared", "counter", &counter, sizeof counter));
  CHECK_RV(CustomVault_close(vault), OK);
  remove_folder(folder);
  return check_end("vault_together", 150);
}
