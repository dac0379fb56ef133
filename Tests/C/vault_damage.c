/*
 * A vault's file that somebody changed: each byte of it and of its WAL in turn, and rows that were removed, exchanged,
 * renamed or put back by SQL. It is refused when it is opened or read, or everything in it is as it was: never a wrong
 * value. A WAL that ends earlier is an older state, whole.
 *
 *     vault_damage [STEP]          every STEP-th byte; 1 for all
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "vault.h"
#include <sqlite3.h>
#include <sys/wait.h>

enum { SQLITE_HEADER = 100 }; /* bytes, each of which is changed, whatever the step                                  */
static const uint8_t key[] = "the key of the vault, 32 bytes..";
static char path[300], good[300], older[300];

static void remove_vault(void) {
  char name[310];
  unlink(path);
  snprintf(name, sizeof name, "%s-wal", path);
  unlink(name);
  snprintf(name, sizeof name, "%s-shm", path);
  unlink(name);
}

/* Whether an item has its value: OK, DAMAGED, or -1 for anything else. */
static int read_item(CUSTOM_VAULT vault, const char *service, const char *account, const char *expected) {
  uint8_t data[64];
  size_t length = 0;
  CUSTOM_KEYBOARD_RV rv = CustomVault_readItem(vault, service, account, data, sizeof data, &length);
  if (rv == CUSTOM_KEYBOARD_DAMAGED) return (int)rv;
  return rv == CUSTOM_KEYBOARD_OK && length == strlen(expected) && memcmp(data, expected, length) == 0 ? 0 : -1;
}

/* Opens the file and says how that ends: a code, or -1 for a value or a list that is wrong. */
static int verdict(void) {
  CUSTOM_VAULT vault;
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&vault, path, key, 32);
  if (rv != CUSTOM_KEYBOARD_OK) return (int)rv;
  size_t count = 0;
  CUSTOM_KEYBOARD_RV listed = CustomVault_listItems(vault, NULL, count_item, &count);
  int codes[] = {read_item(vault, "bank", "kim", "token of kim"), read_item(vault, "bank", "lee", "token of lee"),
                 read_item(vault, "shop", "kim", "password"),
                 listed == CUSTOM_KEYBOARD_OK && count == 3 ? 0 : listed == CUSTOM_KEYBOARD_DAMAGED ? (int)listed : -1};
  CHECK_RV(CustomVault_close(vault), OK);
  int worst = 0;
  for (int i = 0; i < 4; i++) {
    if (codes[i] < 0) return -1;
    if (codes[i] > worst) worst = codes[i];
  }
  return worst;
}

/* A vault with three items in one file without a WAL, and an older copy of it in which one of them was different. */
static void make_vaults(void) {
  CUSTOM_VAULT vault;
  REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
  REQUIRE_OK(CustomVault_addItem(vault, "bank", "kim", NULL, NULL, BYTES("older token")));
  REQUIRE_OK(CustomVault_addItem(vault, "bank", "lee", NULL, NULL, BYTES("token of lee")));
  REQUIRE_OK(CustomVault_backup(vault, older));
  REQUIRE_OK(CustomVault_updateItem(vault, "bank", "kim", NULL, NULL, BYTES("token of kim")));
  REQUIRE_OK(CustomVault_addItem(vault, "shop", "kim", NULL, NULL, BYTES("password")));
  REQUIRE_OK(CustomVault_backup(vault, good));
  REQUIRE_OK(CustomVault_close(vault));
}

static void each_byte_matters_or_is_unused(size_t step) {
  static uint8_t file[1 << 20];
  size_t verdicts[17] = {0};
  FILE *opened = fopen(good, "rb");
  REQUIRE(opened != NULL);
  size_t size = fread(file, 1, sizeof file, opened);
  fclose(opened);
  REQUIRE(size >= 8192 && size < sizeof file);
  for (size_t place = 0; place < size; place += place < SQLITE_HEADER ? 1 : step) {
    remove_vault();
    file[place] ^= (uint8_t)(1 << place % 8);
    opened = fopen(path, "wb");
    REQUIRE(opened != NULL && fwrite(file, 1, size, opened) == size && fclose(opened) == 0 && chmod(path, 0600) == 0);
    file[place] ^= (uint8_t)(1 << place % 8);
    int code = verdict();
    if (!CHECK(code == CUSTOM_KEYBOARD_OK || code == CUSTOM_KEYBOARD_DAMAGED || code == CUSTOM_KEYBOARD_MISMATCH))
      fprintf(stderr, "  byte %zu: code %d\n", place, code);
    if (code >= 0 && code <= 16) verdicts[code]++;
  }
  /* Most of a small file is unused: some 1,000 bytes of 12,288 matter. */
  CHECK(verdicts[CUSTOM_KEYBOARD_DAMAGED] > 700 / step && verdicts[CUSTOM_KEYBOARD_MISMATCH] >= 60 / step);
}

/* ---- The WAL ---------------------------------------------------------------------------------------------------- */

/* What the three items have after each of the changes that are in the WAL; NULL for no item. */
static const char *const states[][3] = {{NULL, NULL, NULL},
                                        {"older token", NULL, NULL},
                                        {"older token", "token of lee", NULL},
                                        {"token of kim", "token of lee", NULL},
                                        {"token of kim", "token of lee", "password"}};
enum { STATES = sizeof states / sizeof *states };

/* Opens the file and returns which of the states it has, or the negative of a code, or -100 for a wrong value. */
static int state_of_file(void) {
  static const char *const names[3][2] = {{"bank", "kim"}, {"bank", "lee"}, {"shop", "kim"}};
  CUSTOM_VAULT vault;
  CUSTOM_KEYBOARD_RV rv = CustomVault_open(&vault, path, key, 32);
  if (rv != CUSTOM_KEYBOARD_OK) return -(int)rv;
  int state = -100, code = 0;
  char data[3][64];
  size_t lengths[3], listed = 0, expected = 0;
  CUSTOM_KEYBOARD_RV codes[3];
  for (int i = 0; i < 3; i++) {
    codes[i] = CustomVault_readItem(vault, names[i][0], names[i][1], (uint8_t *)data[i], sizeof data[i], &lengths[i]);
    if (codes[i] != CUSTOM_KEYBOARD_OK && codes[i] != CUSTOM_KEYBOARD_NOT_FOUND) code = -(int)codes[i];
    expected += codes[i] == CUSTOM_KEYBOARD_OK;
  }
  for (int which = 0; which < STATES && state < 0; which++) {
    int is_same = 1;
    for (int i = 0; i < 3; i++) {
      const char *value = states[which][i];
      is_same &= value == NULL ? codes[i] == CUSTOM_KEYBOARD_NOT_FOUND
                               : codes[i] == CUSTOM_KEYBOARD_OK && lengths[i] == strlen(value) &&
                                     memcmp(data[i], value, lengths[i]) == 0;
    }
    if (is_same) state = which;
  }
  rv = CustomVault_listItems(vault, NULL, count_item, &listed);
  if (state >= 0 && (rv != CUSTOM_KEYBOARD_OK || listed != expected)) state = -100;
  CHECK_RV(CustomVault_close(vault), OK);
  return code != 0 ? code : state;
}

static size_t read_file(const char *name, uint8_t *contents, size_t capacity) {
  FILE *file = fopen(name, "rb");
  REQUIRE(file != NULL);
  size_t size = fread(contents, 1, capacity, file);
  REQUIRE(fclose(file) == 0 && size < capacity);
  return size;
}
static void write_file(const char *name, const uint8_t *contents, size_t size) {
  FILE *file = fopen(name, "wb");
  REQUIRE(file != NULL && fwrite(contents, 1, size, file) == size && fclose(file) == 0 && chmod(name, 0600) == 0);
}

/* The file and its WAL as they are while the vault is open, so that the changes are in the WAL only. */
static void each_byte_of_the_wal_matters_or_is_unused(size_t step) {
  static uint8_t file[1 << 16], wal[1 << 17];
  char name[310], file_copy[310], wal_copy[310];
  size_t seen[STATES] = {0}, refused = 0;
  CUSTOM_VAULT vault;
  remove_vault();
  snprintf(name, sizeof name, "%s-wal", path);
  snprintf(file_copy, sizeof file_copy, "%s-1", good);
  snprintf(wal_copy, sizeof wal_copy, "%s-2", good);
  REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
  REQUIRE_OK(CustomVault_addItem(vault, "bank", "kim", NULL, NULL, BYTES("older token")));
  REQUIRE_OK(CustomVault_addItem(vault, "bank", "lee", NULL, NULL, BYTES("token of lee")));
  REQUIRE_OK(CustomVault_updateItem(vault, "bank", "kim", NULL, NULL, BYTES("token of kim")));
  REQUIRE_OK(CustomVault_addItem(vault, "shop", "kim", NULL, NULL, BYTES("password")));
  int status = -1;
  pid_t child = fork(); /* closing a descriptor here would drop SQLite's locks */
  if (child == 0) {
    copy_file(path, file_copy);
    copy_file(name, wal_copy);
    _exit(0);
  }
  REQUIRE(waitpid(child, &status, 0) == child && status == 0);
  REQUIRE_OK(CustomVault_close(vault));
  size_t size = read_file(file_copy, file, sizeof file), wal_size = read_file(wal_copy, wal, sizeof wal);
  REQUIRE(wal_size > 4 * 4096);
  for (size_t place = 0; place <= wal_size; place += step) {
    if (place < wal_size) wal[place] ^= (uint8_t)(1 << place % 8);
    remove_vault();
    write_file(path, file, size);
    write_file(name, wal, place < wal_size ? wal_size : place / 2); /* at last, half a WAL */
    if (place < wal_size) wal[place] ^= (uint8_t)(1 << place % 8);
    int state = state_of_file();
    if (!CHECK(state >= 0 || state == -(int)CUSTOM_KEYBOARD_DAMAGED || state == -(int)CUSTOM_KEYBOARD_MISMATCH))
      fprintf(stderr, "  byte %zu of the WAL: %d\n", place, state);
    if (state >= 0)
      seen[state]++;
    else
      refused++;
  }
  /* The file put back whole, with its WAL; and another vault's WAL beside it. */
  remove_vault();
  write_file(path, file, size);
  write_file(name, wal, wal_size);
  CHECK_EQUAL(state_of_file(), STATES - 1);
  remove_vault();
  copy_file(good, path);
  write_file(name, wal, wal_size);
  int state = state_of_file();
  if (!CHECK(state == STATES - 1 || state == -(int)CUSTOM_KEYBOARD_DAMAGED || state == -(int)CUSTOM_KEYBOARD_MISMATCH))
    fprintf(stderr, "  another vault's WAL: %d\n", state);
  for (int i = 0; i < STATES - 1; i++) CHECK(seen[i] > 0 || step > 500);
  printf("%zu bytes of the WAL changed: %zu older states, %zu refused\n", wal_size, wal_size / step - refused, refused);
}

/* Runs SQL on the file. OLDER names the older copy. */
static void change_by_sql(const char *sql) {
  char text[1024];
  sqlite3 *database;
  const char *name = strstr(sql, "OLDER");
  snprintf(text, sizeof text, "%.*s%s%s", name == NULL ? 0 : (int)(name - sql), sql, name == NULL ? "" : older,
           name == NULL ? sql : name + 5);
  REQUIRE(sqlite3_open(path, &database) == SQLITE_OK);
  if (sqlite3_exec(database, text, NULL, NULL, NULL) != SQLITE_OK) {
    fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(database));
    exit(1);
  }
  sqlite3_close(database);
}

/* What a person can do who has the file and sqlite3. */
static void rows_are_bound(void) {
  static const struct {
    const char *what, *sql;
    int code;
  } cases[] = {
      {"nothing", "SELECT 1", CUSTOM_KEYBOARD_OK},
      {"a row removed", "DELETE FROM item WHERE id=(SELECT min(id) FROM item)", CUSTOM_KEYBOARD_DAMAGED},
      {"all rows removed", "DELETE FROM item", CUSTOM_KEYBOARD_DAMAGED},
      {"data exchanged", "UPDATE item SET data=(SELECT data FROM item ORDER BY id DESC LIMIT 1) "
                         "WHERE id=(SELECT min(id) FROM item)", CUSTOM_KEYBOARD_DAMAGED},
      {"whole contents exchanged", "UPDATE item SET (version,seals,meta,data)="
                                   "(SELECT version,seals,meta,data FROM item ORDER BY id DESC LIMIT 1) "
                                   "WHERE id=(SELECT min(id) FROM item)", CUSTOM_KEYBOARD_DAMAGED},
      {"a version changed", "UPDATE item SET version=version+1 WHERE id=(SELECT min(id) FROM item)",
       CUSTOM_KEYBOARD_DAMAGED},
      {"a row renamed", "UPDATE item SET id=zeroblob(32) WHERE id=(SELECT min(id) FROM item)", CUSTOM_KEYBOARD_DAMAGED},
      {"a row added", "INSERT INTO item SELECT zeroblob(32),version,seals,meta,data FROM item LIMIT 1",
       CUSTOM_KEYBOARD_DAMAGED},
      {"all rows put back", "ATTACH 'OLDER' AS o; DELETE FROM item; INSERT INTO item SELECT * FROM o.item",
       CUSTOM_KEYBOARD_DAMAGED},
      {"a row put back", "ATTACH 'OLDER' AS o; REPLACE INTO item SELECT * FROM o.item", CUSTOM_KEYBOARD_DAMAGED},
      {"the head put back", "ATTACH 'OLDER' AS o; DELETE FROM head; INSERT INTO head SELECT * FROM o.head",
       CUSTOM_KEYBOARD_DAMAGED},
      {"the state put back", "ATTACH 'OLDER' AS o; UPDATE head SET state=(SELECT state FROM o.head)",
       CUSTOM_KEYBOARD_DAMAGED},
      {"the generation changed", "UPDATE head SET generation=generation+1", CUSTOM_KEYBOARD_DAMAGED},
      {"another epoch", "UPDATE head SET epoch=zeroblob(16)", CUSTOM_KEYBOARD_MISMATCH},
      {"no head", "DELETE FROM head", CUSTOM_KEYBOARD_DAMAGED},
      {"another head beside it", "INSERT INTO head SELECT 2,epoch,generation,root,state FROM head",
       CUSTOM_KEYBOARD_DAMAGED},
      {"a trigger", "CREATE TRIGGER t AFTER INSERT ON item BEGIN DELETE FROM item; END", CUSTOM_KEYBOARD_DAMAGED},
      {"a view", "CREATE VIEW v AS SELECT 1", CUSTOM_KEYBOARD_DAMAGED},
      {"an index", "CREATE INDEX i ON item(version)", CUSTOM_KEYBOARD_DAMAGED},
      {"a table", "CREATE TABLE t(x)", CUSTOM_KEYBOARD_DAMAGED},
      {"a column", "ALTER TABLE item ADD COLUMN more BLOB", CUSTOM_KEYBOARD_DAMAGED},
      {"statistics", "ANALYZE", CUSTOM_KEYBOARD_DAMAGED},
      {"an older version", "PRAGMA user_version=1", CUSTOM_KEYBOARD_DAMAGED}, /* which does not know the WAL's lock */
      {"another version", "PRAGMA user_version=3", CUSTOM_KEYBOARD_DAMAGED},
      {"a table with another name", "ALTER TABLE words RENAME TO phrases", CUSTOM_KEYBOARD_DAMAGED},
      {"a column with another name", "ALTER TABLE item RENAME COLUMN data TO text", CUSTOM_KEYBOARD_DAMAGED},
      {"no table", "DROP TABLE words", CUSTOM_KEYBOARD_DAMAGED},
      {"a view in a table's place", "DROP TABLE words; CREATE VIEW words AS SELECT * FROM item",
       CUSTOM_KEYBOARD_DAMAGED},
      {"a trigger that replaces a write",
       "CREATE TRIGGER t BEFORE UPDATE ON head BEGIN SELECT raise(IGNORE); END", CUSTOM_KEYBOARD_DAMAGED},
      {"a virtual table", "CREATE VIRTUAL TABLE v USING fts5(x)", CUSTOM_KEYBOARD_DAMAGED},
      {"SQLite's own table", "CREATE TABLE t(x INTEGER PRIMARY KEY AUTOINCREMENT); DROP TABLE t",
       CUSTOM_KEYBOARD_DAMAGED},
      {"a definition with a call of a function",
       "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql=replace(sql,'data BLOB NOT NULL','data BLOB NOT NULL "
       "CHECK(length(data)<9)') WHERE name='item'", CUSTOM_KEYBOARD_DAMAGED},
      {"two tables that exchanged their pages",
       "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage=(SELECT sum(rootpage) FROM sqlite_schema "
       "WHERE name IN('item','words'))-rootpage WHERE name IN('item','words')", CUSTOM_KEYBOARD_DAMAGED},
      {"two tables in one page",
       "PRAGMA writable_schema=ON; UPDATE sqlite_schema SET rootpage=(SELECT rootpage FROM sqlite_schema "
       "WHERE name='item') WHERE name='words'", CUSTOM_KEYBOARD_DAMAGED},
      {"a row in another table", "INSERT INTO words SELECT * FROM item LIMIT 1; DELETE FROM item WHERE id IN "
                                 "(SELECT id FROM words)", CUSTOM_KEYBOARD_DAMAGED},
      {"a passcode from elsewhere", "INSERT INTO passcode_key VALUES(1,1,zeroblob(52),zeroblob(48),zeroblob(60))",
       CUSTOM_KEYBOARD_DAMAGED},
      /* What changes nothing of a vault's. */
      {"a number that SQLite does not read", "PRAGMA application_id=7", CUSTOM_KEYBOARD_OK},
      {"no WAL", "PRAGMA journal_mode=DELETE", CUSTOM_KEYBOARD_OK},
      {"smaller pages", "PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM", CUSTOM_KEYBOARD_OK},
      {"larger pages", "PRAGMA journal_mode=DELETE; PRAGMA page_size=65536; VACUUM", CUSTOM_KEYBOARD_OK},
      {"pages that move", "PRAGMA auto_vacuum=FULL; VACUUM", CUSTOM_KEYBOARD_OK},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    remove_vault();
    copy_file(good, path);
    change_by_sql(cases[i].sql);
    int code = verdict();
    if (!CHECK(code == cases[i].code))
      fprintf(stderr, "  %s: code %d\n", cases[i].what, code);
  }
}

/* The same while the vault is open: a change of the key makes the sum anew, of all rows, and must not forget those that
 * were taken away. `code` is what it answers; the vault is then refused, as it is without a change of the key. */
static void changes_of_the_key_hide_nothing(void) {
  static const char *const cases[] = {
      "DELETE FROM item WHERE id=(SELECT min(id) FROM item)", "DELETE FROM passcode_key",
      "ATTACH 'OLDER' AS o; REPLACE INTO item SELECT * FROM o.item", "DELETE FROM words",
      "INSERT INTO head SELECT 2,epoch,generation,root,state FROM head"};
  static const uint8_t next[] = "another key of the vault, 32 by.";
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    CUSTOM_VAULT vault;
    CUSTOM_KEYBOARD keyboard;
    remove_vault();
    copy_file(good, path);
    REQUIRE_OK(CustomVault_open(&vault, path, key, 32));
    REQUIRE_OK(CustomVault_keepWords(vault, "wallet", "glow void ketchup thunder digital clock sport half six nice "
                                                      "open artefact"));
    REQUIRE_OK(CustomKeyboard_create(&keyboard));
    REQUIRE_OK(CustomKeyboard_open(keyboard));
    REQUIRE_OK(CustomKeyboard_input(keyboard, BYTES("1")));
    REQUIRE_OK(CustomVault_setPasscodeKey(vault, keyboard, NULL, 0, NULL));
    REQUIRE_OK(CustomKeyboard_destroy(keyboard));
    /* In a child: closing a descriptor of the file here would drop the vault's locks. */
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      change_by_sql(cases[i]);
      _exit(0);
    }
    int status;
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    if (!CHECK_RV(CustomVault_changeKey(vault, next, 32), DAMAGED)) fprintf(stderr, "  %s\n", cases[i]);
    CHECK_RV(CustomVault_close(vault), OK);
    if (!CHECK_RV(CustomVault_open(&vault, path, key, 32), DAMAGED)) fprintf(stderr, "  %s\n", cases[i]);
  }
}

int main(int count, char **arguments) {
  char folder[256];
  make_folder(folder, sizeof folder);
  snprintf(path, sizeof path, "%s/vault", folder);
  snprintf(good, sizeof good, "%s/good", folder);
  snprintf(older, sizeof older, "%s/older", folder);
  make_vaults();
  rows_are_bound();
  changes_of_the_key_hide_nothing();
  each_byte_of_the_wal_matters_or_is_unused(count > 1 ? (size_t)atoi(arguments[1]) : 1);
  each_byte_matters_or_is_unused(count > 1 ? (size_t)atoi(arguments[1]) : 1);
  remove_folder(folder);
  return check_end("vault_damage", 110);
}
