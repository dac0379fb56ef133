/*
 * The files of a vault: SQLite keeps changes in `NAME-wal` until they are in `NAME`, and uses `NAME-shm` while it is
 * open. What one of them has when the others were moved, removed, copied, put back or can only be read.
 *
 *     vault_files [SCENARIO]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vault_scenarios.h"
#include <grp.h>
#include <pthread.h>
#include <sqlite3.h>

enum { POLICY_SIZE = sizeof(CUSTOM_VAULT_POLICY) };
static char copy[300], wal[310], copied_wal[310];
static CUSTOM_VAULT_STATE state;

static void name_files(void) {
  snprintf(copy, sizeof copy, "%.250s/copy", folder);
  snprintf(wal, sizeof wal, "%s-wal", path);
  snprintf(copied_wal, sizeof copied_wal, "%s-wal", copy);
}

static CUSTOM_KEYBOARD_RV update(const char *account, const char *data) {
  return CustomVault_updateItem(vault, "s", account, NULL, NULL, BYTES(data));
}
static int reads(const char *account, const char *data) { return holds(vault, "s", account, data); }
static int is_missing(const char *account) { return look_for(account) == CUSTOM_KEYBOARD_NOT_FOUND; }

/* Another process does something with the vault in a file, and is killed. */
static int do_and_die(const char *how, const char *name) {
  REQUIRE_OK(open_file(name));
  if (strcmp(how, "--leave") == 0) REQUIRE_OK(add("old", "of the vault that was here"));
  kill(getpid(), SIGKILL);
  return 1;
}

/* Makes a vault in a file, and removes the file: its WAL is left, with changes. */
static void leave_a_wal(const char *name) {
  CHECK_EQUAL(status_of(run_self("--leave", name, "")), SIGKILL);
  REQUIRE(unlink(name) == 0);
}

/* ---- A WAL that is left ----------------------------------------------------------------------------------------- */

static void what_is_left_is_not_opened(void) {
  leave_a_wal(path);
  CHECK_RV(open_file(path), STORAGE);
  CHECK(access(path, F_OK) != 0); /* no file was made for the WAL to be played into */
  REQUIRE(unlink(wal) == 0);
  CHECK_RV(open_file(path), OK);
  CHECK(is_missing("old"));
  CHECK_RV(CustomVault_close(vault), OK);
  /* A vault that was closed leaves nothing. */
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("old", "of the vault that was here"));
  REQUIRE_OK(CustomVault_close(vault));
  REQUIRE(unlink(path) == 0);
  CHECK_RV(open_file(path), OK);
  CHECK(is_missing("old"));
  CHECK_RV(CustomVault_close(vault), OK);
}

static void a_backup_takes_nothing_that_is_left(void) {
  leave_a_wal(copy);
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  CHECK_RV(CustomVault_backup(vault, copy), EXISTS);
  CHECK(access(copy, F_OK) != 0);
  REQUIRE(unlink(copied_wal) == 0);
  CHECK_RV(CustomVault_backup(vault, copy), OK);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(copy), OK);
  CHECK(reads("a", "first") && is_missing("old"));
  CHECK_RV(CustomVault_close(vault), OK);
}

/* A backup is put back, under the same key and after another one; by copying and by moving. */
static void a_backup_is_put_back(void) {
  for (int way = 0; way < 4; way++) {
    REQUIRE_OK(open_file(path));
    REQUIRE_OK(add("a", "first"));
    REQUIRE_OK(CustomVault_backup(vault, copy));
    if (way & 1) REQUIRE_OK(CustomVault_changeKey(vault, other_key, 32));
    REQUIRE_OK(update("a", "second"));
    REQUIRE_OK(CustomVault_close(vault));
    if (way & 2)
      REQUIRE(rename(copy, path) == 0);
    else
      copy_file(copy, path);
    CHECK_RV(open_file(path), OK);
    CHECK(reads("a", "first"));
    CHECK_RV(CustomVault_close(vault), OK);
    remove_folder(folder);
    REQUIRE(mkdir(folder, 0700) == 0);
  }
}

/* ---- What a change destroys ------------------------------------------------------------------------------------- */

/* The only row of a query, which is a blob. In another process while the vault is open. */
static size_t blob_of(const char *query, uint8_t *bytes, size_t capacity) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  REQUIRE(sqlite3_open(path, &database) == SQLITE_OK);
  REQUIRE(sqlite3_prepare_v2(database, query, -1, &statement, NULL) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  size_t length = (size_t)sqlite3_column_bytes(statement, 0);
  REQUIRE(length > 0 && length <= capacity);
  memcpy(bytes, sqlite3_column_blob(statement, 0), length);
  sqlite3_finalize(statement);
  sqlite3_close(database);
  return length;
}

/* While the vault is open only another process may look: closing a descriptor would drop SQLite's locks. */
static int files_hold_bytes(const uint8_t *bytes, size_t length) {
  pid_t child = fork();
  if (child == 0) _exit(files_hold_bytes_now(folder, bytes, length));
  return status_of(child) != 0;
}

static CUSTOM_KEYBOARD_RV remove_key(CUSTOM_KEYBOARD keyboard) {
  (void)keyboard;
  return CustomVault_removePasscodeKey(vault);
}
static CUSTOM_KEYBOARD_RV replace_key(CUSTOM_KEYBOARD keyboard) {
  return CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL);
}
static CUSTOM_KEYBOARD_RV reset_passcode(CUSTOM_KEYBOARD keyboard) {
  (void)keyboard;
  return CustomVault_resetPasscode(vault, "PIN");
}
static CUSTOM_KEYBOARD_RV change_key(CUSTOM_KEYBOARD keyboard) {
  (void)keyboard;
  return CustomVault_changeKey(vault, key, 32);
}

static const struct removal {
  const char *name, *query;
  CUSTOM_KEYBOARD_RV (*change)(CUSTOM_KEYBOARD keyboard);
} removals[] = {
    {"a removed passcode's key", "SELECT root FROM passcode_key", remove_key},
    {"a replaced passcode's key", "SELECT root FROM passcode_key", replace_key},
    {"a passcode that was reset", "SELECT data FROM passcode", reset_passcode},
    {"a row under the old key", "SELECT data FROM item", change_key},
};

/* What a passcode or a key opened is in no file when the call has answered, while the vault is open. */
static void what_is_removed_is_in_no_file(void) {
  static uint8_t bytes[1024];
  CUSTOM_KEYBOARD keyboard = typed("1234");
  for (size_t i = 0; i < sizeof removals / sizeof *removals; i++) {
    REQUIRE_OK(open_file(path));
    REQUIRE_OK(add("a", "first"));
    REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", keyboard, NULL));
    REQUIRE_OK(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL));
    REQUIRE_OK(CustomVault_close(vault));
    size_t length = blob_of(removals[i].query, bytes, sizeof bytes);
    CHECK(files_hold_bytes_now(folder, bytes, length)); /* the control */
    REQUIRE_OK(open_file(path));
    /* Into the WAL with it. */
    REQUIRE_OK(update("a", "second"));
    REQUIRE_OK(removals[i].change(keyboard));
    if (!CHECK(!files_hold_bytes(bytes, length))) fprintf(stderr, "  %s\n", removals[i].name);
    CHECK_RV(CustomVault_close(vault), OK);
    remove_folder(folder);
    REQUIRE(mkdir(folder, 0700) == 0);
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* Another process that reads keeps the WAL from being emptied. It is emptied after the next change. */
static void a_reader_only_delays_that(void) {
  static uint8_t bytes[1024];
  int begin[2], end[2];
  char byte = 0;
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  REQUIRE_OK(CustomVault_close(vault));
  size_t length = blob_of("SELECT data FROM item", bytes, sizeof bytes);
  REQUIRE(pipe(begin) == 0 && pipe(end) == 0);
  pid_t reader = fork(); /* this process has no vault yet */
  if (reader == 0) {
    sqlite3 *database;
    int is_right = sqlite3_open(path, &database) == SQLITE_OK &&
                   sqlite3_exec(database, "BEGIN;SELECT count(*) FROM item", NULL, NULL, NULL) == SQLITE_OK &&
                   write(begin[1], &byte, 1) == 1 && read(end[0], &byte, 1) == 1 &&
                   sqlite3_close(database) == SQLITE_OK;
    _exit(!is_right);
  }
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(update("a", "second"));
  REQUIRE(read(begin[0], &byte, 1) == 1);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), OK); /* waits five seconds for the reader */
  CHECK(files_hold_bytes(bytes, length));
  REQUIRE(write(end[1], &byte, 1) == 1);
  CHECK_EQUAL(status_of(reader), 0);
  CHECK_RV(add("b", "third"), OK);
  CHECK(!files_hold_bytes(bytes, length));
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- Under an open vault ---------------------------------------------------------------------------------------- */

static void without_its_wal_it_takes_no_change(void) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  REQUIRE(unlink(wal) == 0);
  CHECK_RV(add("b", "lost"), STORAGE);
  CHECK_RV(update("a", "lost"), STORAGE);
  CHECK(reads("a", "first"));
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK);
  CHECK(is_missing("b"));
  CHECK_RV(add("b", "third"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* Threads that wait for a vault that is closed do not keep its file. */
static atomic_int waiting_ends;
static void *wait_for_it(void *unused) {
  while (!atomic_load(&waiting_ends)) (void)CustomVault_readItem(vault, "s", "a", NULL, 0, &(size_t){0});
  return unused;
}
static void closing_frees_the_file(void) {
  pthread_t threads[3];
  for (int round = 0; round < 40; round++) {
    REQUIRE_OK(open_file(path));
    atomic_store(&waiting_ends, 0);
    for (int i = 0; i < 3; i++) REQUIRE(pthread_create(&threads[i], NULL, wait_for_it, NULL) == 0);
    CUSTOM_VAULT closed = vault, again;
    CHECK_RV(CustomVault_close(closed), OK);
    CHECK_RV(CustomVault_open(&again, path, key, 32), OK);
    atomic_store(&waiting_ends, 1);
    for (int i = 0; i < 3; i++) REQUIRE(pthread_join(threads[i], NULL) == 0);
    CHECK_RV(CustomVault_close(again), OK);
  }
}

/* ---- A copy that can only be read ------------------------------------------------------------------------------- */

static void a_copy_is_read_where_nothing_can_be_written(void) {
  CUSTOM_KEYBOARD keyboard = typed("right");
  if (geteuid() == 0) { /* root may write everything, so root goes on as the user `nobody` */
    REQUIRE(chown(folder, 65534, 65534) == 0);
    REQUIRE(setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
  }
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", keyboard, &(CUSTOM_VAULT_POLICY){POLICY_SIZE, 1, 900, 0}));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL));
  CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), MISMATCH);
  REQUIRE_OK(CustomVault_backup(vault, copy));
  REQUIRE_OK(CustomVault_close(vault));
  static const mode_t rights[][2] = {{0400, 0700}, {0400, 0500}, {0600, 0500}};
  for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
    REQUIRE(chmod(copy, rights[i][0]) == 0 && chmod(folder, rights[i][1]) == 0);
    if (!CHECK_RV(open_file(copy), OK)) fprintf(stderr, "  with %o in %o\n", rights[i][0], rights[i][1]);
    CHECK(reads("a", "first"));
    CHECK_RV(add("b", "second"), STORAGE);
    CHECK_RV(try_passcode(vault, "PIN", "right", NULL, &state), STORAGE);
    state.size = sizeof state;
    CHECK_RV(CustomVault_passcodeState(vault, "PIN", &state), LOCKED);
    CHECK(state.secondsLeft > 0 && state.secondsLeft <= 900);
    /* In another start of the machine, too, where the state would be stored anew. */
    clocks_are_ours = 1, boot_number = 7, running_ms = 1000, wall_ms = (int64_t)time(NULL) * 1000;
    CHECK_RV(CustomVault_passcodeState(vault, "PIN", &state), LOCKED);
    clocks_are_ours = 0;
    CHECK_RV(CustomVault_close(vault), OK);
    CHECK_RV(CustomVault_passcodeKeyState(copy, &state), OK);
    CHECK(is_state(&state, 5, 0, 0));
    REQUIRE(chmod(folder, 0700) == 0);
  }
}

/* ---- All -------------------------------------------------------------------------------------------------------- */

static const struct scenario scenarios[] = {
    {"what is left is not opened", what_is_left_is_not_opened, 8},
    {"a backup takes nothing that is left", a_backup_takes_nothing_that_is_left, 8},
    {"a backup is put back", a_backup_is_put_back, 12},
    {"what is removed is in no file", what_is_removed_is_in_no_file, 12},
    {"a reader only delays that", a_reader_only_delays_that, 6},
    {"without its WAL it takes no change", without_its_wal_it_takes_no_change, 8},
    {"closing frees the file", closing_frees_the_file, 120},
    {"a copy is read where nothing can be written", a_copy_is_read_where_nothing_can_be_written, 25},
};

int main(int count, char **arguments) {
  if (count == 4) return do_and_die(arguments[1], arguments[2]);
  prepare_scenario = name_files;
  return RUN_SCENARIOS("vault_files", arguments[1]);
}
