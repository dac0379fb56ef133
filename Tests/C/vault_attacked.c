/*
 * A program that may write a vault's file, but has no key, changes the file while the vault is open: rows, pages, the
 * schema. And what another thread or process does to a call that waits.
 *
 *     vault_attacked [SCENARIO]
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "vault_others.h"
#include <pthread.h>

enum { POLICY_SIZE = sizeof(CUSTOM_VAULT_POLICY), LARGE = 65536 };
static char copy[300], wal[310], kept[310];
static CUSTOM_VAULT_STATE state;

static void name_files(void) {
  snprintf(copy, sizeof copy, "%.250s/copy", folder);
  snprintf(wal, sizeof wal, "%s-wal", path);
  snprintf(kept, sizeof kept, "%s.kept", path);
}

/* A vault with a passcode of three tries, and then one lock for good. */
static void open_with_passcode(void) {
  REQUIRE_OK(open_file(path));
  CUSTOM_VAULT_POLICY policy = {POLICY_SIZE, 3, 9, 1};
  REQUIRE_OK(CustomVault_setPasscode(vault, "PIN", typed("right"), &policy));
  REQUIRE_OK(add("a", "first"));
}

/* ---- Rows that are put back -------------------------------------------------------------------------------------- */

static void a_row_that_is_put_back_gives_no_try(void) {
  open_with_passcode();
  let_others_run("CREATE TABLE away.kept AS SELECT * FROM main.passcode");
  let_others_run("UPDATE main.head SET id=1"); /* a change that changes nothing does no damage */
  let_others_run("VACUUM main");
  unsigned before = derived;
  CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), MISMATCH);
  CHECK_EQUAL(derived, before + 1);
  CHECK(is_state(&state, 2, 0, 0));
  /* The row with three tries, again and again. */
  let_others_run("REPLACE INTO main.passcode SELECT * FROM away.kept");
  for (int i = 0; i < 3; i++) CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), DAMAGED);
  CHECK_RV(try_passcode(vault, "PIN", "right", NULL, &state), DAMAGED);
  CHECK_EQUAL(derived, before + 1); /* nothing was checked */
  CHECK_RV(CustomVault_backup(vault, copy), DAMAGED);
  CHECK(access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), DAMAGED);
}

/* Past SQLite, which tells this process nothing: when the page is no longer in its memory, it is read again. */
static void a_page_that_is_put_back_gives_no_try(void) {
  enum { ITEMS = 160 }; /* more bytes than SQLite keeps in memory */
  static uint8_t data[LARGE];
  char account[20];
  size_t length;
  unsigned tries = 0;
  open_with_passcode();
  for (int i = 0; i < ITEMS; i++) {
    snprintf(account, sizeof account, "%d", i);
    REQUIRE_OK(CustomVault_addItem(vault, "s", account, NULL, NULL, data, sizeof data));
  }
  let_others_move("keep");
  for (int i = 0; i < 6; i++) {
    CUSTOM_KEYBOARD_RV rv = try_passcode(vault, "PIN", "wrong", NULL, &state);
    tries += rv == CUSTOM_KEYBOARD_MISMATCH;
    CHECK(rv == CUSTOM_KEYBOARD_MISMATCH || rv == CUSTOM_KEYBOARD_DAMAGED || rv == CUSTOM_KEYBOARD_LOCKED);
    for (int j = 0; j < ITEMS; j++) {
      snprintf(account, sizeof account, "%d", j);
      REQUIRE_OK(CustomVault_readItem(vault, "s", account, data, sizeof data, &length));
    }
    let_others_move("put it back");
  }
  CHECK(tries >= 1 && tries <= 3);
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), DAMAGED);
}

static void a_backup_has_all_rows(void) {
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(add("a", "first"));
  REQUIRE_OK(add("b", "second"));
  let_others_run("DELETE FROM main.item WHERE id=(SELECT min(id) FROM main.item)");
  CHECK_RV(CustomVault_backup(vault, copy), DAMAGED);
  CHECK(access(copy, F_OK) != 0);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- Another schema ---------------------------------------------------------------------------------------------- */

/* With such a column SQLite passes over each change of ours, and answers that all went well. */
#define PASSES_OVER(table, version) \
  "ALTER TABLE main." table " ADD COLUMN g INTEGER AS (CASE WHEN " version "<=2 THEN 1 END) NOT NULL " \
  "ON CONFLICT IGNORE;"
static void another_schema_is_noticed(void) {
  size_t length;
  unsigned before = derived;
  open_with_passcode();
  let_others_run(PASSES_OVER("passcode", "version") PASSES_OVER("item", "version") PASSES_OVER("head", "generation")
                     PASSES_OVER("passcode_key", "version"));
  for (int i = 0; i < 12; i++) CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), DAMAGED);
  CHECK_EQUAL(derived, before + 1); /* by setting the passcode */
  CHECK_RV(add("b", "lost"), DAMAGED);
  CHECK_RV(CustomVault_updateItem(vault, "s", "a", NULL, NULL, BYTES("lost")), DAMAGED);
  CHECK_RV(CustomVault_deleteItem(vault, "s", "a"), DAMAGED);
  CHECK_RV(CustomVault_resetPasscode(vault, "PIN"), DAMAGED);
  CHECK_RV(CustomVault_setPasscodeKey(vault, typed("right"), NULL, 0, NULL), DAMAGED);
  CHECK_RV(CustomVault_changeKey(vault, other_key, 32), DAMAGED);
  CHECK_RV(CustomVault_listItems(vault, NULL, count_item, &length), DAMAGED);
  CHECK_RV(CustomVault_backup(vault, copy), DAMAGED);
  /* Nothing was changed, and the vault stays as it is until it is closed. */
  let_others_run("ALTER TABLE main.passcode DROP COLUMN g;ALTER TABLE main.item DROP COLUMN g;"
                 "ALTER TABLE main.head DROP COLUMN g;ALTER TABLE main.passcode_key DROP COLUMN g");
  CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), DAMAGED);
  CHECK_RV(CustomVault_close(vault), OK);
  REQUIRE_OK(open_file(path));
  CHECK_RV(try_passcode(vault, "PIN", "wrong", NULL, &state), MISMATCH);
  CHECK(is_state(&state, 2, 0, 0));
  CHECK(holds(vault, "s", "a", "first"));
  CHECK_RV(CustomVault_close(vault), OK);
  CHECK_RV(open_file(path), OK);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* No number says that the schema was checked. */
static void every_number_of_a_schema_is_looked_at(void) {
  static const char *numbers[] = {"PRAGMA main.schema_version=-1", "PRAGMA main.schema_version=0",
                                  "PRAGMA main.schema_version=2147483647", "PRAGMA main.schema_version=-2147483648"};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    open_with_passcode();
    CHECK_RV(CustomVault_close(vault), OK);
    let_others_run(numbers[i]);
    CHECK_RV(open_file(path), OK);
    CHECK(holds(vault, "s", "a", "first"));
    CHECK_RV(CustomVault_close(vault), OK);
    let_others_run(PASSES_OVER("passcode", "version"));
    let_others_run(numbers[i]);
    CHECK_RV(open_file(path), DAMAGED);
    remove_folder(folder);
    REQUIRE(mkdir(folder, 0700) == 0);
  }
}

/* Tables that read rows from a copy, and take changes into an index only; each change is one row, as it should be. */
#define TAKES_NOTHING(table, columns) \
  "CREATE TABLE main.copy_" table " AS SELECT * FROM main." table ";ALTER TABLE main." table " RENAME TO own_" table \
  ";CREATE VIRTUAL TABLE main." table " USING fts5(" columns ",content='copy_" table "');" \
  "INSERT INTO main." table "(" table ") VALUES('rebuild');"
static const char takes_nothing[] =
    "BEGIN;CREATE TABLE main.kept AS SELECT rowid AS number,* FROM main.sqlite_schema;"
    TAKES_NOTHING("passcode", "id,version,seals,meta,data") TAKES_NOTHING("item", "id,version,seals,meta,data")
    TAKES_NOTHING("head", "id,epoch,generation,root,state") "COMMIT";
static const char puts_it_back[] =
    "PRAGMA writable_schema=ON;BEGIN;UPDATE main.sqlite_master SET name=k.name,tbl_name=k.tbl_name,sql=k.sql "
    "FROM (SELECT * FROM main.kept) k WHERE k.number=main.sqlite_master.rowid AND k.name<>'kept';"
    "DELETE FROM main.sqlite_master WHERE rowid NOT IN (SELECT number FROM main.kept WHERE name<>'kept');COMMIT";

/* Another schema under the number of the right one; and the right one in the file, while SQLite has the other one. */
static void a_virtual_table_takes_no_change(void) {
  for (int is_put_back = 0; is_put_back < 2; is_put_back++) {
    open_with_passcode();
    unsigned before = derived;
    if (!is_put_back) let_others_number("note");
    let_others_run(takes_nothing);
    if (is_put_back) let_others_number("note");
    (void)look_for("a"); /* SQLite takes the schema into its memory */
    if (is_put_back) let_others_run(puts_it_back);
    let_others_number("set");
    for (int i = 0; i < 6; i++) {
      CUSTOM_KEYBOARD_RV rv = try_passcode(vault, "PIN", "wrong", NULL, &state);
      if (!is_put_back) CHECK_EQUAL(rv, CUSTOM_KEYBOARD_DAMAGED);
    }
    CHECK(derived <= before + (is_put_back ? 3 : 0));
    /* What was answered OK was done. */
    CUSTOM_KEYBOARD_RV rv = add("b", "kept");
    CHECK(rv == CUSTOM_KEYBOARD_DAMAGED || (is_put_back && holds(vault, "s", "b", "kept")));
    rv = CustomVault_deleteItem(vault, "s", "a");
    CHECK(rv == CUSTOM_KEYBOARD_DAMAGED || (is_put_back && look_for("a") == CUSTOM_KEYBOARD_NOT_FOUND));
    rv = CustomVault_changeKey(vault, other_key, 32);
    CHECK(rv == CUSTOM_KEYBOARD_DAMAGED || is_put_back);
    CHECK_RV(CustomVault_close(vault), OK);
    if (is_put_back) CHECK_EQUAL(open_file(path), rv == CUSTOM_KEYBOARD_OK ? CUSTOM_KEYBOARD_MISMATCH : rv);
    remove_folder(folder);
    REQUIRE(mkdir(folder, 0700) == 0);
  }
}

/* Rows without ids, and an index that still has them with their ids: a change is made in the rows, and what is read is
 * in the index. */
#define COPIES(...) COPIES_OF(__VA_ARGS__) /* after ROW and HEAD have become two */
#define COPIES_OF(table, columns, names) \
  "CREATE TABLE main.e_" table "(" columns ");INSERT INTO main.e_" table " SELECT " names " FROM main." table \
  ";CREATE INDEX main.i_" table " ON e_" table "(" names ") WHERE id IS NOT NULL;"
#define NAMES_COPY(...) NAMES_COPY_OF(__VA_ARGS__)
#define NAMES_COPY_OF(table, columns, names) \
  "UPDATE main.e_" table " SET id=NULL;DELETE FROM main.sqlite_schema WHERE name IN ('" table "','e_" table "');" \
  "INSERT INTO main.sqlite_schema SELECT 'table','" table "','" table "',rootpage," \
  "'CREATE TABLE " table "(" columns ")' FROM away.roots WHERE name='e_" table "';" \
  "INSERT INTO main.sqlite_schema SELECT 'index','i_" table "','" table "',rootpage," \
  "'CREATE INDEX i_" table " ON " table "(" names ") WHERE id IS NOT NULL' FROM away.roots " \
  "WHERE name='i_" table "';"
#define ROW "id BLOB,version,seals,meta,data", "id,version,seals,meta,data"
#define HEAD "id INTEGER,epoch,generation,root,state", "id,epoch,generation,root,state"
static int is_without_passcode(void) {
  state.size = sizeof state;
  return CustomVault_passcodeState(vault, "PIN", &state) == CUSTOM_KEYBOARD_NOT_FOUND;
}
static void a_stale_index_loses_no_change(void) {
  uint8_t data[16];
  size_t length;
  for (int is_renumbered = 0; is_renumbered < 2; is_renumbered++) {
    open_with_passcode();
    let_others_number("note");
    let_others_run("CREATE TABLE away.own AS SELECT rowid AS number,* FROM main.sqlite_schema;"
                   COPIES("item", ROW) COPIES("passcode", ROW) COPIES("head", HEAD)
                   "CREATE TABLE away.roots AS SELECT name,rootpage FROM main.sqlite_schema;"
                   "PRAGMA writable_schema=ON;DELETE FROM main.sqlite_schema WHERE type='index' AND sql IS NOT NULL");
    if (is_renumbered) (void)look_for("a"); /* SQLite takes the schema into its memory */
    let_others_run("PRAGMA writable_schema=ON;BEGIN;" NAMES_COPY("item", ROW) NAMES_COPY("passcode", ROW)
                   NAMES_COPY("head", HEAD) "COMMIT");
    if (is_renumbered) let_others_number("set");
    (void)look_for("a");
    let_others_run("PRAGMA writable_schema=ON;BEGIN;DELETE FROM main.sqlite_schema;INSERT INTO main.sqlite_schema"
                   "(rowid,type,name,tbl_name,rootpage,sql) SELECT number,type,name,tbl_name,rootpage,sql "
                   "FROM away.own;COMMIT");
    CUSTOM_KEYBOARD_RV rv = CustomVault_updateItem(vault, "s", "a", NULL, NULL, BYTES("second"));
    CHECK(rv == CUSTOM_KEYBOARD_DAMAGED || holds(vault, "s", "a", "second"));
    rv = CustomVault_resetPasscode(vault, "PIN");
    CHECK(rv == CUSTOM_KEYBOARD_DAMAGED || is_without_passcode());
    CHECK_RV(CustomVault_close(vault), OK);
    REQUIRE_OK(open_file(path));
    CHECK(rv == CUSTOM_KEYBOARD_DAMAGED || is_without_passcode());
    CHECK_RV(CustomVault_readItem(vault, "s", "a", data, sizeof data, &length), OK);
    CHECK(length == 6 && memcmp(data, "second", 6) == 0);
    CHECK_RV(CustomVault_close(vault), OK);
    remove_folder(folder);
    REQUIRE(mkdir(folder, 0700) == 0);
  }
}

/* ---- A vault that nobody has open -------------------------------------------------------------------------------- */

static long size_of(const char *name) {
  struct stat file;
  return stat(name, &file) == 0 ? (long)file.st_size : 0;
}

/* What a try has counted is in the file when the call has ended. */
static void a_try_leaves_no_wal(void) {
  CUSTOM_KEYBOARD right = typed("right"), wrong = typed("wrong");
  CUSTOM_VAULT_POLICY policy = {POLICY_SIZE, 1, 9, 0};
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, right, NULL, 0, &policy));
  REQUIRE_OK(CustomVault_backup(vault, copy));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, right, NULL, 0, &policy));
  REQUIRE_OK(CustomVault_close(vault));
  CHECK_EQUAL(size_of(wal), 0);
  clocks_are_ours = 1, boot_number = 1, running_ms = 1000, wall_ms = 2000000000000;
  state.size = sizeof state;
  CHECK_RV(CustomVault_openWithPasscode(&vault, path, wrong, NULL, 0, &state), MISMATCH);
  CHECK_EQUAL(size_of(wal), 0);
  CHECK_RV(CustomVault_openWithPasscode(&vault, path, right, NULL, 0, &state), LOCKED);
  CHECK_EQUAL(size_of(wal), 0);
  boot_number = 2; /* the lock goes on in another start of the machine, which is written down */
  CHECK_RV(CustomVault_passcodeKeyState(path, &state), LOCKED);
  CHECK_EQUAL(size_of(wal), 0);
  REQUIRE(rename(copy, path) == 0);
  CHECK_RV(open_file(path), OK);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* Without its WAL, what is changed from now on would be lost. */
static void remove_wal(void) { REQUIRE(unlink(wal) == 0); }
static void a_wal_that_is_removed_is_missed(void) {
  CUSTOM_KEYBOARD right = typed("right");
  REQUIRE_OK(open_file(path));
  REQUIRE_OK(CustomVault_setPasscodeKey(vault, right, NULL, 0, NULL));
  REQUIRE_OK(CustomVault_close(vault));
  while_checking = remove_wal;
  state.size = sizeof state;
  CHECK_RV(CustomVault_openWithPasscode(&vault, path, right, NULL, 0, &state), STORAGE);
  CHECK_RV(CustomVault_openWithPasscode(&vault, path, right, NULL, 0, &state), OK);
  CHECK_RV(add("a", "first"), OK);
  CHECK_RV(CustomVault_close(vault), OK);
}

/* ---- A call that waits ------------------------------------------------------------------------------------------- */

static atomic_int is_checking, may_go_on, is_waiting;
static pid_t first_process;
static void wait_in_the_middle(void) {
  atomic_store(&is_checking, 1);
  while (!atomic_load(&may_go_on)) sched_yield();
}
static void *check_a_passcode(void *unused) {
  CHECK_RV(try_passcode(vault, "PIN", "right", NULL, &state), OK);
  return unused;
}
static void *read_an_item(void *unused) {
  uint8_t data[16];
  size_t length;
  atomic_store(&is_waiting, 1);
  CUSTOM_KEYBOARD_RV rv = CustomVault_readItem(vault, "s", "a", data, sizeof data, &length);
  if (getpid() != first_process) _exit(rv == CUSTOM_KEYBOARD_OP_DISABLE ? 0 : 1);
  CHECK_RV(rv, OK);
  return unused;
}
static atomic_int child;
static void fork_here(int number) {
  (void)number;
  pid_t made = fork();
  if (made == 0) alarm(LONGEST_CHILD);
  if (made > 0) atomic_store(&child, (int)made);
}

/* A thread waits for a vault that another thread uses, and a handler forks there: the other one is not in the child. */
static void a_child_does_not_wait(void) {
  pthread_t checking, reading;
  open_with_passcode();
  first_process = getpid();
  REQUIRE(signal(SIGUSR1, fork_here) != SIG_ERR);
  while_checking = wait_in_the_middle;
  REQUIRE(pthread_create(&checking, NULL, check_a_passcode, NULL) == 0);
  while (!atomic_load(&is_checking)) sched_yield();
  REQUIRE(pthread_create(&reading, NULL, read_an_item, NULL) == 0);
  while (!atomic_load(&is_waiting)) sched_yield();
  usleep(50000); /* until it waits for the lock */
  REQUIRE(pthread_kill(reading, SIGUSR1) == 0);
  while (atomic_load(&child) == 0) sched_yield();
  CHECK_EQUAL(status_of(atomic_load(&child)), 0);
  atomic_store(&may_go_on, 1);
  REQUIRE(pthread_join(checking, NULL) == 0 && pthread_join(reading, NULL) == 0);
  CHECK_RV(CustomVault_close(vault), OK);
}

static const struct scenario scenarios[] = {
    {"a row that is put back gives no try", a_row_that_is_put_back_gives_no_try, 14},
    {"a page that is put back gives no try", a_page_that_is_put_back_gives_no_try, 15},
    {"a backup has all rows", a_backup_has_all_rows, 4},
    {"another schema is noticed", another_schema_is_noticed, 28},
    {"every number of a schema is looked at", every_number_of_a_schema_is_looked_at, 20},
    {"a virtual table takes no change", a_virtual_table_takes_no_change, 20},
    {"a stale index loses no change", a_stale_index_loses_no_change, 18},
    {"a try leaves no WAL", a_try_leaves_no_wal, 9},
    {"a WAL that is removed is missed", a_wal_that_is_removed_is_missed, 4},
    {"a child does not wait", a_child_does_not_wait, 4},
};

int main(int count, char **arguments) {
  int status = do_as_another(count, arguments);
  if (status >= 0) return status;
  prepare_scenario = name_files;
  return RUN_SCENARIOS("vault_attacked", arguments[1]);
}
