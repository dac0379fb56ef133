/*
 * Another process gives the vault another key in the middle of a call. The call answers MISMATCH, or NOT_FOUND where
 * the passcode that opened the vault went with the old key, and tells nothing of tries: a right passcode must not look
 * like a wrong one. A copy is made under the old key, or not at all; nor is it made if somebody who has no key removes
 * a row meanwhile.
 *
 * When the change of the key is on the disk, changeKey cannot fail any more: the caller would throw the new key away.
 *
 *     vault_rekey               the tests
 *     vault_rekey now PATH      what the other process does
 *     vault_rekey remove PATH   what somebody does who has no key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"
#include <pthread.h>
#include <sqlite3.h>
#include <sys/mman.h>

static const uint8_t old_key[] = "the key of the vault, 32 bytes..", new_key[] = "another key of it, 32 bytes too.";
static const char *program;
static char path[300], copy[300];

static void let_another_process(const char *what) {
  int status;
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    execl(program, program, what, path, (char *)NULL);
    _exit(1);
  }
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}
static void change_key(void) { let_another_process("now"); }
static void remove_row(void) { let_another_process("remove"); }

static int remove_row_now(const char *name) {
  sqlite3 *database;
  return sqlite3_open(name, &database) != SQLITE_OK ||
         sqlite3_exec(database, "DELETE FROM item", NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_close(database) != SQLITE_OK;
}

/* The library gives a draft its rights with it, between its look at the vault and the copy. */
static void (*while_copying)(void);
int fchmod(int file, mode_t mode) {
  int (*original)(int, mode_t);
  *(void **)&original = dlsym(RTLD_NEXT, "fchmod");
  if (while_copying != NULL) {
    void (*now)(void) = while_copying;
    while_copying = NULL;
    now();
  }
  return original(file, mode);
}

/* A vault with a passcode, which opens it, too. */
static CUSTOM_VAULT made(CUSTOM_KEYBOARD keyboard) {
  static const char *const ends[] = {"", "-wal", "-shm"};
  char name[320];
  CUSTOM_VAULT vault;
  for (int i = 0; i < 3; i++) {
    snprintf(name, sizeof name, "%s%s", path, ends[i]);
    unlink(name);
  }
  REQUIRE_OK(CustomVault_open(&vault, path, old_key, 32));
  REQUIRE_OK(CustomVault_setPasscode(vault, "door", keyboard, NULL));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL));
  return vault;
}

enum { UNTOLD = 77 };
#define UNTOLD_STATE (CUSTOM_VAULT_STATE){sizeof(CUSTOM_VAULT_STATE), UNTOLD, UNTOLD, UNTOLD}
static int is_untold(const CUSTOM_VAULT_STATE *state) {
  return state->triesLeft == UNTOLD && state->secondsLeft == UNTOLD && state->locks == UNTOLD;
}

static void right_passcodes_are_not_called_wrong(void) {
  CUSTOM_KEYBOARD right = typed("1"), next = typed("2");
  CUSTOM_VAULT_STATE state = UNTOLD_STATE;
  uint8_t passcode_key[32];
  CUSTOM_VAULT vault = made(right);
  while_checking = change_key;
  CHECK_RV(CustomVault_checkPasscode(vault, "door", right, passcode_key, &state), MISMATCH);
  CHECK(is_untold(&state));
  CHECK_RV(CustomVault_close(vault), OK);

  vault = made(right);
  while_checking = change_key;
  CHECK_RV(CustomVault_changePasscode(vault, "door", right, next, &state), MISMATCH);
  CHECK(is_untold(&state));
  CHECK_RV(CustomVault_close(vault), OK);

  CHECK_RV(CustomVault_close(made(right)), OK);
  while_checking = change_key;
  CHECK_RV(CustomVault_openWithPasscode(&vault, path, right, NULL, 0, &state), NOT_FOUND);
  CHECK(is_untold(&state));

  /* The hook itself changes nothing: wrong passcodes are told. */
  vault = made(right);
  CHECK_RV(CustomVault_checkPasscode(vault, "door", next, passcode_key, &state), MISMATCH);
  CHECK_EQUAL(state.triesLeft, 4);
  CHECK_RV(CustomVault_close(vault), OK);
  state = UNTOLD_STATE;
  CHECK_RV(CustomVault_openWithPasscode(&vault, path, next, NULL, 0, &state), MISMATCH);
  CHECK_EQUAL(state.triesLeft, 4);
  REQUIRE_OK(CustomKeyboard_destroy(right));
  REQUIRE_OK(CustomKeyboard_destroy(next));
}

static void copies_have_the_key_that_was_asked_for(void) {
  CUSTOM_KEYBOARD right = typed("1");
  CUSTOM_VAULT vault = made(right), opened;
  while_copying = change_key;
  CHECK_RV(CustomVault_backup(vault, copy), MISMATCH);
  CHECK(while_copying == NULL);
  CHECK(access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_close(vault), OK);
  vault = made(right);
  CHECK_RV(CustomVault_backup(vault, copy), OK);
  CHECK_RV(CustomVault_open(&opened, copy, old_key, 32), OK);
  CHECK_RV(CustomVault_close(opened), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  REQUIRE(unlink(copy) == 0);
  vault = made(right);
  REQUIRE_OK(CustomVault_addItem(vault, "s", "a", NULL, NULL, BYTES("first")));
  while_copying = remove_row;
  CHECK_RV(CustomVault_backup(vault, copy), DAMAGED);
  CHECK(while_copying == NULL && access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_close(vault), OK);
  REQUIRE_OK(CustomKeyboard_destroy(right));
}

/* ---- No memory after the change --------------------------------------------------------------------------------- */

/* Threads that keep all stacks for secrets while this thread gets no memory: each waits where its stack is locked for
 * the first time, and one works on the stack that this thread has used before. */
enum { THREADS = 40 };
static int is_armed, has_no_memory;
static atomic_int is_holding, is_over;
static pthread_t changing, threads[THREADS];

/* Not with "...": what a call does not give would be read. */
long hold_or_call(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
long hold_or_call(long number, long a, long b, long c, long d, long e, long f) {
  static long (*original)(long, ...);
  if (original == NULL) *(void **)&original = dlsym(RTLD_NEXT, "syscall");
  while (number == SYS_mlock2 && atomic_load(&is_holding) && !pthread_equal(pthread_self(), changing))
    (void)original(SYS_nanosleep, &(struct timespec){0, 1000000}, NULL);
  return original(number, a, b, c, d, e, f);
}

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  if (has_no_memory && pthread_equal(pthread_self(), changing)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

static void *compute_seeds(void *unused) {
  static const char words[] = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon "
                              "about";
  uint8_t seed[CUSTOM_VAULT_SEEDSIZE];
  while (!atomic_load(&is_over)) REQUIRE_OK(CustomVault_wordsSeed(words, "", seed));
  return unused;
}

int fdatasync(int file) {
  int rv = (int)syscall(SYS_fdatasync, file);
  if (is_armed && pthread_equal(pthread_self(), changing)) {
    is_armed = 0;
    atomic_store(&is_holding, 1);
    for (int i = 0; i < THREADS; i++) REQUIRE(pthread_create(&threads[i], NULL, compute_seeds, NULL) == 0);
    syscall(SYS_nanosleep, &(struct timespec){0, 100000000}, NULL);
    has_no_memory = 1;
  }
  return rv;
}

static void a_change_that_is_done_is_told(void) {
  CUSTOM_KEYBOARD right = typed("1");
  CUSTOM_VAULT vault = made(right);
  REQUIRE_OK(CustomVault_addItem(vault, "s", "a", NULL, NULL, BYTES("first")));
  changing = pthread_self();
  is_armed = 1;
  CHECK_RV(CustomVault_changeKey(vault, new_key, 32), OK);
  CHECK(has_no_memory);
  has_no_memory = 0;
  atomic_store(&is_over, 1);
  atomic_store(&is_holding, 0);
  for (int i = 0; i < THREADS; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(CustomVault_addItem(vault, "s", "b", NULL, NULL, BYTES("second")), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(CustomVault_open(&vault, path, old_key, 32), MISMATCH);
  CHECK_RV(CustomVault_open(&vault, path, new_key, 32), OK);
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(CustomVault_close(vault), OK);
  REQUIRE_OK(CustomKeyboard_destroy(right));
}

int main(int count, char **arguments) {
  CUSTOM_VAULT vault;
  if (count == 3 && strcmp(arguments[1], "remove") == 0) return remove_row_now(arguments[2]);
  if (count == 3) {
    REQUIRE_OK(CustomVault_open(&vault, arguments[2], old_key, 32));
    REQUIRE_OK(CustomVault_changeKey(vault, new_key, 32));
    REQUIRE_OK(CustomVault_close(vault));
    return 0;
  }
  char folder[256];
  program = arguments[0];
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(copy, sizeof copy, "%s/copy", folder);
  right_passcodes_are_not_called_wrong();
  copies_have_the_key_that_was_asked_for();
  a_change_that_is_done_is_told();
  remove_folder(folder);
  return check_end("vault_rekey", 30);
}
