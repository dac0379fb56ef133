/*
 * A passcode that opens a vault: tried, counted in the file before there is a key, locked, replaced and removed; what a
 * person who may write the file can do with its row, and what is noticed of that.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault_passcode.h"
#include <sqlite3.h>

static const uint8_t key[] = "the key of the vault, 32 bytes..", other_key[] = "another key of 32 bytes ........";
static const uint8_t pepper[] = "a pepper";
static char folder[256], path[300], older[300];
static CUSTOM_VAULT vault;
static CUSTOM_VAULT_STATE state;
static CUSTOM_KEYBOARD right, wrong;

static CUSTOM_KEYBOARD_RV open_with(CUSTOM_KEYBOARD keyboard, size_t pepperLength) {
  state = (CUSTOM_VAULT_STATE){.size = sizeof state};
  return CustomVault_openWithPasscode(&vault, path, keyboard, pepper, pepperLength, &state);
}

static CUSTOM_KEYBOARD_RV look(void) {
  state = (CUSTOM_VAULT_STATE){.size = sizeof state};
  return CustomVault_passcodeKeyState(path, &state);
}

static void close_vault(void) { CHECK_RV(CustomVault_close(vault), OK); }

static void open_vault(void) { CHECK_RV(CustomVault_open(&vault, path, key, 32), OK); }

/* What somebody does who has sqlite3. The vault is closed. */
static void change_file(const char *sql) {
  sqlite3 *database;
  char *message = NULL;
  REQUIRE(sqlite3_open(path, &database) == SQLITE_OK);
  if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, message);
    exit(1);
  }
  REQUIRE(sqlite3_close(database) == SQLITE_OK);
}

static void it_opens_the_vault(void) {
  CHECK_RV(look(), NOT_FOUND);
  CHECK_RV(open_with(right, 8), NOT_FOUND);
  CHECK(access(path, F_OK) != 0); /* no file is made */
  open_vault();
  CHECK_RV(CustomVault_addItem(vault, "bank", "kim", NULL, NULL, BYTES("token")), OK);
  close_vault();
  CHECK_RV(look(), NOT_FOUND);
  CHECK_RV(open_with(right, 8), NOT_FOUND);
  open_vault();
  CHECK_RV(CustomVault_removePasscodeKey(vault), NOT_FOUND);
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, NULL), OK);
  CHECK(memory_asked == 19456 && passes_asked == 2);
  CHECK_RV(look(), BUSY);
  CHECK_RV(open_with(right, 8), BUSY);
  close_vault();
  CHECK_RV(look(), OK);
  CHECK(is_state(&state, 5, 0, 0));
  CHECK_RV(open_with(right, 8), OK);
  CHECK(is_state(&state, 5, 0, 0) && holds(vault, "bank", "kim", "token"));
  CHECK_RV(CustomVault_updateItem(vault, "bank", "kim", NULL, NULL, BYTES("token 2")), OK);
  close_vault();
  CHECK_RV(open_with(right, 7), MISMATCH); /* another pepper */
  CHECK(is_state(&state, 4, 0, 0));
  CHECK_RV(open_with(wrong, 8), MISMATCH);
  CHECK(is_state(&state, 3, 0, 0));
  CHECK_RV(look(), OK);
  CHECK(is_state(&state, 3, 0, 0));
  CHECK_RV(open_with(right, 8), OK);
  CHECK(is_state(&state, 5, 0, 0) && holds(vault, "bank", "kim", "token 2"));
  close_vault();
  open_vault(); /* and the key still does, too */
  close_vault();
}

static void codes_have_their_order(void) {
  CUSTOM_KEYBOARD dead = typed(""), idle, empty = typed("");
  CUSTOM_VAULT mine = 7;
  CUSTOM_VAULT_STATE none = {.size = 11};
  CUSTOM_VAULT_POLICY policy = {sizeof policy, 0, 1, 0};
  uint8_t long_pepper[65] = {0};
  REQUIRE_OK(CustomKeyboard_destroy(dead));
  REQUIRE_OK(CustomKeyboard_create(&idle));
  unsigned before = derived;
  CHECK_RV(CustomVault_openWithPasscode(NULL, path, right, pepper, 8, NULL), ARGUMENT);
  CHECK_RV(CustomVault_openWithPasscode(&mine, NULL, right, pepper, 8, NULL), ARGUMENT);
  CHECK_RV(CustomVault_openWithPasscode(&mine, "", idle, pepper, 8, NULL), ARGUMENT);
  CHECK_RV(CustomVault_openWithPasscode(&mine, path, right, NULL, 8, NULL), ARGUMENT);
  CHECK_RV(CustomVault_openWithPasscode(&mine, path, right, pepper, 8, &none), ARGUMENT);
  CHECK_RV(CustomVault_openWithPasscode(&mine, path, dead, long_pepper, 65, NULL), ARGUMENT);
  CHECK_RV(CustomVault_openWithPasscode(&mine, path, idle, long_pepper, 65, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_openWithPasscode(&mine, folder, right, long_pepper, 65, NULL), MAXLEN);
  CHECK_RV(CustomVault_openWithPasscode(&mine, folder, right, pepper, 8, NULL), STORAGE);
  CHECK_RV(CustomVault_passcodeKeyState(NULL, &state), ARGUMENT);
  CHECK_RV(CustomVault_passcodeKeyState(path, NULL), ARGUMENT);
  CHECK_RV(CustomVault_passcodeKeyState(path, &none), ARGUMENT);
  CHECK_RV(CustomVault_passcodeKeyState("", &state), ARGUMENT);
  CHECK_RV(CustomVault_setPasscodeKey(0, right, pepper, 8, NULL), ARGUMENT);
  CHECK_RV(CustomVault_removePasscodeKey(0), ARGUMENT);
  open_vault();
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, NULL, 8, NULL), ARGUMENT);
  CHECK_RV(CustomVault_setPasscodeKey(vault, idle, pepper, 8, &policy), ARGUMENT);
  CHECK_RV(CustomVault_setPasscodeKey(vault, dead, long_pepper, 65, NULL), ARGUMENT);
  CHECK_RV(CustomVault_setPasscodeKey(vault, idle, long_pepper, 65, NULL), OP_DISABLE);
  CHECK_RV(CustomVault_setPasscodeKey(vault, empty, long_pepper, 65, NULL), MAXLEN);
  CHECK_RV(CustomVault_setPasscodeKey(vault, empty, pepper, 8, NULL), REFUSED);
  CHECK_EQUAL(derived, before);
  close_vault();
  CHECK(mine == 7);
  CHECK_RV(open_with(empty, 8), MISMATCH); /* nothing is a wrong try, too */
  CHECK(is_state(&state, 4, 0, 0));
  pid_t child = fork();
  if (child == 0)
    _exit(look() == CUSTOM_KEYBOARD_OP_DISABLE && open_with(right, 8) == CUSTOM_KEYBOARD_OP_DISABLE ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  CHECK_OK(CustomKeyboard_destroy(idle));
  CHECK_OK(CustomKeyboard_destroy(empty));
}

static void it_is_locked(void) {
  CUSTOM_VAULT_POLICY policy = {sizeof policy, 2, 100, 2};
  open_vault();
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, &policy), OK);
  close_vault();
  clocks_are_ours = 1, boot_number = 1, running_ms = 10000, wall_ms = 5000000;
  unsigned before = derived;
  CHECK_RV(open_with(wrong, 8), MISMATCH);
  CHECK_RV(open_with(wrong, 8), MISMATCH);
  CHECK(is_state(&state, 0, 100, 1));
  CHECK_RV(open_with(right, 8), LOCKED);
  CHECK_EQUAL(derived, before + 2);
  boot_number = 2, running_ms = 1000, wall_ms = 5040000; /* another start: from now on its clock counts */
  CHECK_RV(look(), LOCKED);
  CHECK(is_state(&state, 0, 60, 1));
  running_ms = 31000, wall_ms = 1;
  CHECK_RV(look(), LOCKED);
  CHECK(is_state(&state, 0, 30, 1));
  running_ms = 61000;
  CHECK_RV(open_with(right, 8), OK);
  CHECK(is_state(&state, 2, 0, 0));
  close_vault();
  for (int i = 0; i < 4; i++) {
    CHECK_RV(open_with(wrong, 8), MISMATCH);
    if (i == 1) running_ms += 100000;
  }
  CHECK(is_state(&state, 0, UINT32_MAX, 2));
  running_ms += 1000000;
  CHECK_RV(open_with(right, 8), LOCKED);
  clocks_are_ours = 0;
  open_vault(); /* the key does not ask */
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, NULL), OK);
  close_vault();
  CHECK_RV(open_with(right, 8), OK);
  close_vault();
}

static void kill_now(void) { kill(getpid(), SIGKILL); }

static void a_killed_process_had_no_try_for_nothing(void) {
  for (uint32_t tries = 5; tries-- > 3;) {
    int status = -1;
    pid_t child = run_self("--kill", path, "");
    CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
    CHECK_RV(look(), OK);
    CHECK(is_state(&state, tries, 0, 0));
  }
  CHECK_RV(open_with(right, 8), OK);
  close_vault();
}

/* In the moment between counting and checking. */
static void replace_it(void) {
  int status = -1;
  pid_t child = run_self("--replace", path, "");
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

static void one_that_was_replaced_opens_nothing(void) {
  while_checking = replace_it;
  CHECK_RV(open_with(right, 8), MISMATCH);
  CHECK_RV(look(), OK);
  CHECK(is_state(&state, 5, 0, 0)); /* those of the new one */
  CHECK_RV(open_with(right, 8), MISMATCH);
  open_vault();
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, NULL), OK);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), OK); /* removes it */
  CHECK_RV(CustomVault_removePasscodeKey(vault), NOT_FOUND);
  CHECK_RV(CustomVault_changeKey(vault, key, 32), OK);
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, NULL), OK);
  CHECK_RV(CustomVault_removePasscodeKey(vault), OK);
  close_vault();
  CHECK_RV(open_with(right, 8), NOT_FOUND);
}

/* The counts can be changed, as it is said. A row that was removed or put back, or another policy, is noticed. */
/* While a right passcode is checked, somebody who has no key writes another row, which looks locked since the beginning
 * of time; after all rows were checked, and before the try is forgotten. */
static pid_t writer;
static int write_impossible_times(const char *mark) {
  sqlite3 *database;
  REQUIRE(sqlite3_open(path, &database) == SQLITE_OK);
  REQUIRE(sqlite3_exec(database,
                       "BEGIN IMMEDIATE;UPDATE passcode_key SET root=zeroblob(60),counts=CAST(substr(counts,1,8)||"
                       "x'e803000000000000'||substr(counts,17,16)||x'0000000000000080'||substr(counts,41) AS BLOB)",
                       NULL, NULL, NULL) == SQLITE_OK);
  fclose(fopen(mark, "w"));
  syscall(SYS_nanosleep, &(struct timespec){0, 500000000}, NULL);
  int is_right = sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
  return sqlite3_close(database) != SQLITE_OK || !is_right;
}
static void let_it_write(void) {
  writer = run_self("--write", path, older);
  while (access(older, F_OK) != 0) syscall(SYS_nanosleep, &(struct timespec){0, 1000000}, NULL);
}
static void impossible_times_are_survived(void) {
  CUSTOM_VAULT_POLICY policy = {sizeof policy, 1, 100, 0};
  remove_folder(folder);
  REQUIRE(mkdir(folder, 0700) == 0);
  clocks_are_ours = 1, boot_number = 1, running_ms = 10000, wall_ms = 5000000;
  open_vault();
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, &policy), OK);
  close_vault();
  int status = -1;
  while_checking = let_it_write;
  CHECK_RV(open_with(right, 8), MISMATCH); /* it was replaced */
  REQUIRE(waitpid(writer, &status, 0) == writer && status == 0);
  CHECK(is_state(&state, 0, 100, 1));
  clocks_are_ours = 0;
}

static void the_row_is_in_the_sum(void) {
  char sql[1024];
  open_vault();
  CHECK_RV(CustomVault_setPasscodeKey(vault, right, pepper, 8, NULL), OK);
  CHECK_RV(CustomVault_backup(vault, older), OK);
  CHECK_RV(CustomVault_setPasscodeKey(vault, wrong, pepper, 8, NULL), OK);
  close_vault();
  static const struct {
    const char *sql;
    CUSTOM_KEYBOARD_RV by_key, by_passcode;
  } cases[] = {
      {"UPDATE passcode_key SET counts=zeroblob(48)", CUSTOM_KEYBOARD_OK, CUSTOM_KEYBOARD_OK},
      {"UPDATE passcode_key SET settings=CAST(x'e8030000'||substr(settings,5) AS BLOB)", CUSTOM_KEYBOARD_DAMAGED,
       CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET settings=CAST(x'00000000'||substr(settings,5) AS BLOB)", CUSTOM_KEYBOARD_DAMAGED,
       CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET settings=CAST(substr(settings,1,15)||x'7f'||substr(settings,17) AS BLOB)",
       CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET counts=CAST(x'05000000'||zeroblob(44) AS BLOB)", CUSTOM_KEYBOARD_DAMAGED,
       CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET counts=CAST(zeroblob(15)||x'7f'||zeroblob(32) AS BLOB)", CUSTOM_KEYBOARD_DAMAGED,
       CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET counts=zeroblob(47)", CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET version=version+1", CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_DAMAGED},
      {"UPDATE passcode_key SET root=zeroblob(60)", CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_MISMATCH},
      {"UPDATE passcode_key SET id=2", CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_DAMAGED},
      {"INSERT INTO passcode_key SELECT 2,version,settings,counts,root FROM passcode_key", CUSTOM_KEYBOARD_DAMAGED,
       CUSTOM_KEYBOARD_DAMAGED},
      {"DELETE FROM passcode_key", CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_NOT_FOUND},
      {"ATTACH 'OLDER' AS o;DELETE FROM passcode_key;INSERT INTO passcode_key SELECT * FROM o.passcode_key",
       CUSTOM_KEYBOARD_DAMAGED, CUSTOM_KEYBOARD_MISMATCH},
  };
  char kept[320], name[320];
  snprintf(kept, sizeof kept, "%s.kept", path);
  open_vault();
  CHECK_RV(CustomVault_backup(vault, kept), OK);
  close_vault();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *other = strstr(cases[i].sql, "OLDER");
    snprintf(sql, sizeof sql, "%.*s%s%s", other == NULL ? 0 : (int)(other - cases[i].sql), cases[i].sql,
             other == NULL ? "" : older, other == NULL ? cases[i].sql : other + 5);
    for (int by_key = 0; by_key < 2; by_key++) {
      unlink(path);
      snprintf(name, sizeof name, "%s-wal", path);
      unlink(name);
      snprintf(name, sizeof name, "%s-shm", path);
      unlink(name);
      copy_file(kept, path);
      change_file(sql);
      CUSTOM_KEYBOARD_RV rv = by_key ? CustomVault_open(&vault, path, key, 32) : open_with(wrong, 8);
      if (!CHECK_EQUAL(rv, by_key ? cases[i].by_key : cases[i].by_passcode)) fprintf(stderr, "  %s\n", sql);
      if (rv == CUSTOM_KEYBOARD_OK) close_vault();
    }
  }
  /* The older passcode with its own older row: the root opens, and then the sum is not right. */
  CHECK_RV(open_with(right, 8), DAMAGED);
}

int main(int count, char **arguments) {
  right = typed("the right one");
  wrong = typed("the other one");
  if (count == 4) {
    snprintf(path, sizeof path, "%s", arguments[2]);
    if (strcmp(arguments[1], "--kill") == 0) {
      while_checking = kill_now;
      return open_with(wrong, 8) == CUSTOM_KEYBOARD_OK;
    }
    if (strcmp(arguments[1], "--write") == 0) return write_impossible_times(arguments[3]);
    REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
    REQUIRE_OK(CustomVault_setPasscodeKey(vault, wrong, pepper, 8, NULL));
    REQUIRE_OK(CustomVault_close(vault));
    return 0;
  }
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(older, sizeof older, "%s/older", folder);
  it_opens_the_vault();
  codes_have_their_order();
  it_is_locked();
  a_killed_process_had_no_try_for_nothing();
  one_that_was_replaced_opens_nothing();
  the_row_is_in_the_sum();
  CHECK(files_hold_bytes_now(folder, "SQLite format 3", 15)); /* the search finds what is there */
  CHECK(!files_hold_bytes_now(folder, "the right one", 13) && !files_hold_bytes_now(folder, "a pepper", 8));
  CHECK(!files_hold_bytes_now(folder, last_derived, 16) && !files_hold_bytes_now(folder, key, 32));
  impossible_times_are_survived();
  remove_folder(folder);
  return check_end("vault_passcode_key", 145);
}
