/*
 * Random operations on one vault from two processes at once, compared with a model that they share: each process has
 * accounts that only it changes, reads those of the other, closes and opens the vault again, and one changes the key.
 * What a process reads is exactly what it wrote last, or a whole value that the other has written and not replaced.
 *
 *     vault_model [OPERATIONS]          SEED from the environment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_changes.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

enum { PROCESSES = 2 };

/* In a file that both processes map. An account's value number is told before it is written and after it; a multiple of
 * four means that the item is deleted. */
static struct model {
  _Atomic uint32_t begun[PROCESSES][ACCOUNTS], done[PROCESSES][ACCOUNTS];
  _Atomic unsigned long operations, read_whole, read_own, reopened, keys, mismatches;
} *model;

static uint64_t seed;
static uint32_t draw_below(uint32_t below) {
  seed += UINT64_C(0x9e3779b97f4a7c15);
  uint64_t word = (seed ^ seed >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  word = (word ^ word >> 27) * UINT64_C(0x94d049bb133111eb);
  return (uint32_t)((word ^ word >> 31) % below);
}

static char path[300];
static int who, key_in_use;
static CUSTOM_VAULT vault;

static void open_vault(void) {
  contents found;
  CUSTOM_KEYBOARD_RV rv;
  /* The other process may change the key between the two tries. */
  do rv = open_with_either(&vault, path, &found);
  while (rv == CUSTOM_KEYBOARD_MISMATCH);
  if (!CHECK_EQUAL(rv, CUSTOM_KEYBOARD_OK)) exit(1);
  key_in_use = found.key;
}

/* The other process has changed the key. */
static int was_rekeyed(CUSTOM_KEYBOARD_RV rv) {
  if (rv != CUSTOM_KEYBOARD_MISMATCH) return 0;
  model->mismatches++;
  CHECK_RV(CustomVault_close(vault), OK);
  open_vault();
  return 1;
}

static void names_of(int owner, unsigned account, char *service, char *name) {
  snprintf(service, 16, "process %d", owner);
  account_name(name, account);
}

static int is_deleted(uint32_t number) { return number % 4 == 0; }

static void check_read(int owner, unsigned account) {
  static uint8_t data[CUSTOM_VAULT_MAXDATASIZE], expected[LONGEST_VALUE + 4];
  char service[16], name[16];
  size_t length = 0;
  uint32_t number = 0, first, last;
  CUSTOM_KEYBOARD_RV rv;
  names_of(owner, account, service, name);
  do {
    first = model->done[owner][account];
    rv = CustomVault_readItem(vault, service, name, data, sizeof data, &length);
  } while (was_rekeyed(rv));
  last = model->begun[owner][account];
  if (owner == who) CHECK_EQUAL(first, last);
  model->read_own += owner == who;
  model->read_whole += owner != who;
  if (rv == CUSTOM_KEYBOARD_NOT_FOUND) {
    int could_be = 0;
    for (uint32_t i = first; i <= last; i++) could_be |= is_deleted(i);
    if (!CHECK(could_be)) fprintf(stderr, "  account %u of %d: gone, between %u and %u\n", account, owner, first, last);
    return;
  }
  if (!CHECK_EQUAL(rv, CUSTOM_KEYBOARD_OK)) return;
  memcpy(&number, data, 4);
  if (!CHECK(length >= 4 && length == make_value(expected, number) && memcmp(data, expected, length) == 0 &&
             number >= first && number <= last && !is_deleted(number)))
    fprintf(stderr, "  account %u of %d: %u, between %u and %u\n", account, owner, number, first, last);
}

static void change_account(unsigned account) {
  static uint8_t data[LONGEST_VALUE + 4], old[LONGEST_VALUE + 4];
  char service[16], name[16];
  uint32_t now = model->done[who][account], next = now + 1;
  /* Mostly values; a deletion now and then. */
  if (is_deleted(next) && draw_below(3) != 0) next++;
  names_of(who, account, service, name);
  size_t length = make_value(data, next), old_length = make_value(old, now);
  model->begun[who][account] = next;
  CUSTOM_KEYBOARD_RV rv;
  do {
    if (is_deleted(next))
      rv = CustomVault_deleteItem(vault, service, name);
    else if (is_deleted(now))
      rv = CustomVault_addItem(vault, service, name, NULL, NULL, data, length);
    else if (draw_below(2))
      rv = CustomVault_updateItem(vault, service, name, "label", NULL, data, length);
    else
      rv = CustomVault_replaceItem(vault, service, name, old, old_length, data, length);
  } while (was_rekeyed(rv));
  /* A number that was skipped and the first deletion of an item that never was. */
  int is_right = rv == CUSTOM_KEYBOARD_OK || (is_deleted(next) && is_deleted(now) && rv == CUSTOM_KEYBOARD_NOT_FOUND);
  if (!CHECK(is_right)) fprintf(stderr, "  account %u: %d, from %u to %u\n", account, (int)rv, now, next);
  model->done[who][account] = next;
}

/* Calls that must fail and change nothing. */
static void refuse(unsigned account) {
  char service[16], name[16];
  uint32_t now = model->done[who][account];
  names_of(who, account, service, name);
  CUSTOM_KEYBOARD_RV rv, wanted;
  do {
    wanted = is_deleted(now) ? CUSTOM_KEYBOARD_NOT_FOUND : CUSTOM_KEYBOARD_MISMATCH;
    rv = CustomVault_replaceItem(vault, service, name, BYTES("something else"), BYTES("x"));
    /* MISMATCH is the answer here, too: whether the key was changed, reading tells. */
    size_t length = 0;
    if (rv == CUSTOM_KEYBOARD_MISMATCH && was_rekeyed(CustomVault_readItem(vault, service, name, NULL, 0, &length)))
      continue;
    CHECK_EQUAL(rv, wanted);
    break;
  } while (1);
}

static int work(unsigned long operations) {
  open_vault();
  for (unsigned long i = 0; i < operations && atomic_load(&check_failures) == 0; i++) {
    /* One opens it anew at first: with few operations, none might be drawn that does. */
    unsigned account = draw_below(ACCOUNTS), chosen = i == 0 ? 990 : draw_below(1000);
    model->operations++;
    if (chosen < 350) {
      change_account(account);
    } else if (chosen < 650) {
      check_read(who, account);
    } else if (chosen < 950) {
      check_read(who ^ 1, account);
    } else if (chosen < 990) {
      refuse(account);
    } else if (chosen < 998) {
      CHECK_RV(CustomVault_close(vault), OK);
      open_vault();
      model->reopened++;
    } else if (who == 0) {
      if (CHECK_RV(CustomVault_changeKey(vault, vault_keys[key_in_use ^ 1], 32), OK)) key_in_use ^= 1;
      model->keys++;
    }
  }
  CHECK_RV(CustomVault_close(vault), OK);
  return atomic_load(&check_failures) > 0;
}

static void map_model(const char *folder, int flags) {
  char name[300];
  snprintf(name, sizeof name, "%s/model", folder);
  int file = open(name, flags, 0600);
  REQUIRE(file >= 0 && ftruncate(file, sizeof *model) == 0);
  model = mmap(NULL, sizeof *model, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  REQUIRE(model != MAP_FAILED && close(file) == 0);
}

int main(int count, char **arguments) {
  if (count == 6 && strcmp(arguments[1], "--work") == 0) {
    snprintf(path, sizeof path, "%.250s/vault", arguments[2]);
    map_model(arguments[2], O_RDWR);
    who = atoi(arguments[3]);
    seed = strtoull(arguments[4], NULL, 10) + (uint64_t)who;
    return work(strtoul(arguments[5], NULL, 10));
  }
  char folder[256], texts[3][32];
  unsigned long operations = count > 1 ? strtoul(arguments[1], NULL, 10) : 10000;
  seed = getenv("SEED") != NULL ? strtoull(getenv("SEED"), NULL, 10) : (uint64_t)time(NULL);
  make_folder(folder, sizeof folder);
  map_model(folder, O_RDWR | O_CREAT);
  pid_t children[PROCESSES];
  for (int i = 0; i < PROCESSES; i++) {
    snprintf(texts[0], sizeof texts[0], "%d", i);
    snprintf(texts[1], sizeof texts[1], "%llu", (unsigned long long)seed);
    snprintf(texts[2], sizeof texts[2], "%lu", operations / PROCESSES);
    if ((children[i] = fork()) == 0) {
      execl(program_invocation_name, "vault_model", "--work", folder, texts[0], texts[1], texts[2], (char *)NULL);
      _exit(2);
    }
  }
  for (int i = 0; i < PROCESSES; i++) {
    int status = -1;
    REQUIRE(waitpid(children[i], &status, 0) == children[i]);
    if (!CHECK_EQUAL(status, 0)) fprintf(stderr, "  process %d, seed %llu\n", i, (unsigned long long)seed);
  }
  /* At the end, all of it once more. */
  snprintf(path, sizeof path, "%s/vault", folder);
  open_vault();
  for (int owner = 0; owner < PROCESSES; owner++)
    for (unsigned account = 0; account < ACCOUNTS; account++) {
      CHECK_EQUAL(model->begun[owner][account], model->done[owner][account]);
      check_read(owner, account);
    }
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_EQUAL(model->operations, operations / PROCESSES * PROCESSES);
  CHECK(model->read_own > 0 && model->read_whole > 0 && model->reopened > 0);
  printf("%lu operations: %lu own and %lu other reads, %lu times opened, %lu changes of the key, %lu times noticed\n",
         model->operations, model->read_own, model->read_whole, model->reopened, model->keys, model->mismatches);
  atomic_fetch_add(&check_count, model->read_own + model->read_whole);
  remove_folder(folder);
  return check_end("vault_model", operations / 3);
}
