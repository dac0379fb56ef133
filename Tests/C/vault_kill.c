/*
 * A process that changes a vault is killed at random moments. After each: the vault opens, every change that was
 * reported as done is there, and the one that was under way is there whole or not at all.
 *
 *     vault_kill [TIMES]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault.h"
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static const uint8_t keys[2][33] = {"the key of the vault, 32 bytes..", "another key of 32 bytes ........"};
enum { ACCOUNTS = 8, KEY_EVERY = 7 };

/* The value number `number` of an account: as long as the number says, so that half a value is noticed. */
static size_t value(uint8_t *data, uint32_t number) {
  size_t length = 4 + number % 5000;
  for (size_t i = 0; i < length; i++) data[i] = (uint8_t)(number * 31 + i);
  memcpy(data, &number, 4);
  return length;
}

static void account_name(char *name, unsigned account) { snprintf(name, 16, "account %u", account); }

/* Changes one account after another, and tells each change before and after. Every seventh changes the key. */
static void change_until_killed(const char *path, int which, uint32_t number, int reports) {
  static uint8_t data[CUSTOM_VAULT_MAXDATASIZE];
  CUSTOM_VAULT vault;
  char name[16];
  if (CustomVault_open(&vault, path, keys[which], 32) != CUSTOM_KEYBOARD_OK) _exit(2);
  for (;; number++) {
    uint32_t report[2] = {number, 0};
    if (write(reports, report, sizeof report) != sizeof report) _exit(3);
    CUSTOM_KEYBOARD_RV rv;
    if (number % KEY_EVERY == 0) {
      rv = CustomVault_changeKey(vault, keys[which ^= 1], 32);
    } else {
      account_name(name, number % ACCOUNTS);
      size_t length = value(data, number);
      rv = CustomVault_updateItem(vault, "s", name, NULL, NULL, data, length);
      if (rv == CUSTOM_KEYBOARD_NOT_FOUND) rv = CustomVault_addItem(vault, "s", name, NULL, NULL, data, length);
    }
    if (rv != CUSTOM_KEYBOARD_OK) _exit(4);
    report[1] = 1;
    if (write(reports, report, sizeof report) != sizeof report) _exit(5);
  }
}

/* The number of the value that an account has, after looking at all of it; 0 if there is none. */
static uint32_t number_of(CUSTOM_VAULT vault, unsigned account) {
  static uint8_t data[CUSTOM_VAULT_MAXDATASIZE], expected[CUSTOM_VAULT_MAXDATASIZE];
  char name[16];
  size_t length = 0;
  uint32_t number = 0;
  account_name(name, account);
  CUSTOM_KEYBOARD_RV rv = CustomVault_readItem(vault, "s", name, data, sizeof data, &length);
  if (rv == CUSTOM_KEYBOARD_NOT_FOUND) return 0;
  CHECK_EQUAL(rv, CUSTOM_KEYBOARD_OK);
  memcpy(&number, data, 4);
  CHECK(length == value(expected, number) && memcmp(data, expected, length) == 0);
  return number;
}

int main(int count, char **arguments) {
  if (count == 6 && strcmp(arguments[1], "--change") == 0)
    change_until_killed(arguments[2], atoi(arguments[3]), (uint32_t)atoi(arguments[4]), atoi(arguments[5]));
  char folder[256], path[300];
  int times = count > 1 ? atoi(arguments[1]) : 100, which = 0;
  uint32_t done[ACCOUNTS] = {0}, next = 1;
  unsigned seed = (unsigned)time(NULL);
  srand(seed);
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  for (int i = 0; i < times; i++) {
    int reports[2];
    REQUIRE(pipe(reports) == 0);
    pid_t child = fork();
    if (child == 0) {
      /* A program of its own: a forked child of a process that opened a vault has none. */
      char numbers[3][16];
      snprintf(numbers[0], 16, "%d", which);
      snprintf(numbers[1], 16, "%u", next);
      snprintf(numbers[2], 16, "%d", reports[1]);
      execl("/proc/self/exe", "vault_kill", "--change", path, numbers[0], numbers[1], numbers[2], (char *)NULL);
      _exit(1);
    }
    close(reports[1]);
    struct timespec moment = {0, 1000000L * (5 + rand() % 40)};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    int status;
    REQUIRE(waitpid(child, &status, 0) == child);
    if (!CHECK(WIFSIGNALED(status))) fprintf(stderr, "  it ended by itself: %x\n", status);
    uint32_t report[2], begun = 0;
    while (read(reports[0], report, sizeof report) == sizeof report) {
      begun = report[1] ? 0 : report[0];
      next = report[0] + 1;
      if (report[1] && report[0] % KEY_EVERY == 0) which ^= 1;
      if (report[1] && report[0] % KEY_EVERY != 0) done[report[0] % ACCOUNTS] = report[0];
    }
    close(reports[0]);
    CUSTOM_VAULT vault;
    CUSTOM_KEYBOARD_RV rv = CustomVault_open(&vault, path, keys[which], 32);
    if (rv == CUSTOM_KEYBOARD_MISMATCH && begun % KEY_EVERY == 0)
      rv = CustomVault_open(&vault, path, keys[which ^= 1], 32);
    if (!CHECK_EQUAL(rv, CUSTOM_KEYBOARD_OK)) break;
    for (unsigned account = 0; account < ACCOUNTS; account++) {
      uint32_t number = number_of(vault, account);
      int is_new = begun != 0 && begun % KEY_EVERY != 0 && begun % ACCOUNTS == account && number == begun;
      if (!CHECK(number == done[account] || is_new))
        fprintf(stderr, "  account %u has %u, and %u was done (seed %u)\n", account, number, done[account], seed);
      done[account] = number;
    }
    CHECK_RV(CustomVault_close(vault), OK);
  }
  CHECK(next > (uint32_t)times); /* changes were made */
  remove_folder(folder);
  return check_end("vault_kill", 9ul * (unsigned long)times);
}
