/*
 * One store of items, a vault or a table of SQLite's or SQLCipher's, which does what standard input says:
 *
 *     open               opens the store, which is made if there is none
 *     close
 *     add N              adds N items, each durable when its call returns
 *     read N             reads N items that are there, in a random order
 *     count              how many items there are
 *
 * and answers each line with the nanoseconds that it took, or a number. Compiled with -DSTORE_VAULT, -DSTORE_SQLITE or
 * -DSTORE_SQLCIPHER, because both of the latter have the same names.
 *
 *     store FILE
 *
 * The peers are as they would be used with the same durability: WAL, synchronous=FULL, a transaction for each item,
 * statements that are prepared once. SQLCipher gets its key as bytes, so that no password is stretched.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SERVICES 100 /* items have one of so many services */
#define DATA 64      /* bytes: a token, a key */

static void check(int is_right, const char *what) {
  if (is_right) return;
  fprintf(stderr, "store: %s failed\n", what);
  exit(EXIT_FAILURE);
}

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* SplitMix64: the same items for each store. */
static uint64_t state = 1;
static uint64_t next(void) {
  uint64_t word = state += 0x9e3779b97f4a7c15;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
  word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
  return word ^ (word >> 31);
}

static void name_item(uint64_t number, char service[32], char account[32]) {
  snprintf(service, 32, "service-%" PRIu64 ".example", number % SERVICES);
  snprintf(account, 32, "account-%" PRIu64, number * 0x9e3779b97f4a7c15);
}

static void make_data(uint64_t number, uint8_t data[DATA]) {
  for (int i = 0; i < DATA; i++) data[i] = (uint8_t)(number >> (i % 8 * 8)) ^ (uint8_t)i;
}

static const char *path;

#ifdef STORE_VAULT
#include <custom_vault.h>

static CUSTOM_VAULT vault;

static void open_store(void) {
  uint8_t key[CUSTOM_VAULT_KEYSIZE] = {1};
  check(CustomVault_open(&vault, path, key, sizeof key) == CUSTOM_KEYBOARD_OK, "open");
}

static void close_store(void) { check(CustomVault_close(vault) == CUSTOM_KEYBOARD_OK, "close"); }

static void add_item(const char *service, const char *account, const uint8_t *data) {
  check(CustomVault_addItem(vault, service, account, NULL, "token", data, DATA) == CUSTOM_KEYBOARD_OK, "add");
}

static size_t read_item(const char *service, const char *account, uint8_t *data) {
  size_t length;
  check(CustomVault_readItem(vault, service, account, data, DATA, &length) == CUSTOM_KEYBOARD_OK, "read");
  return length;
}

static int count_one(void *count, const CUSTOM_VAULT_ITEM *item) {
  (void)item;
  ++*(int64_t *)count;
  return 0;
}
static int64_t count_items(void) {
  int64_t count = 0;
  check(CustomVault_listItems(vault, NULL, count_one, &count) == CUSTOM_KEYBOARD_OK, "list");
  return count;
}
#else
#ifdef STORE_SQLCIPHER
#define SQLITE_HAS_CODEC
#include <sqlcipher/sqlite3.h>
#else
#include <sqlite3.h>
#endif

static sqlite3 *database;
static sqlite3_stmt *adding, *reading;

static void run(const char *sql) { check(sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK, sql); }

static void open_store(void) {
  check(sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL) ==
            SQLITE_OK,
        "open");
#ifdef STORE_SQLCIPHER
  run("PRAGMA key=\"x'0100000000000000000000000000000000000000000000000000000000000000'\"");
#endif
  run("PRAGMA synchronous=FULL; PRAGMA journal_mode=WAL");
  run("CREATE TABLE IF NOT EXISTS item(service TEXT NOT NULL,account TEXT NOT NULL,label TEXT NOT NULL,"
      "kind TEXT NOT NULL,created INTEGER NOT NULL,modified INTEGER NOT NULL,data BLOB NOT NULL,"
      "PRIMARY KEY(service,account))WITHOUT ROWID");
  check(sqlite3_prepare_v2(database, "INSERT INTO item VALUES(?1,?2,'','token',?3,?3,?4)", -1, &adding, NULL) ==
                SQLITE_OK &&
            sqlite3_prepare_v2(database, "SELECT data FROM item WHERE service=?1 AND account=?2", -1, &reading,
                               NULL) == SQLITE_OK,
        "prepare");
}

static void close_store(void) {
  sqlite3_finalize(adding);
  sqlite3_finalize(reading);
  check(sqlite3_close(database) == SQLITE_OK, "close");
}

static void add_item(const char *service, const char *account, const uint8_t *data) {
  sqlite3_bind_text(adding, 1, service, -1, SQLITE_STATIC);
  sqlite3_bind_text(adding, 2, account, -1, SQLITE_STATIC);
  sqlite3_bind_int64(adding, 3, time(NULL));
  sqlite3_bind_blob(adding, 4, data, DATA, SQLITE_STATIC);
  check(sqlite3_step(adding) == SQLITE_DONE && sqlite3_reset(adding) == SQLITE_OK, "add");
}

static size_t read_item(const char *service, const char *account, uint8_t *data) {
  sqlite3_bind_text(reading, 1, service, -1, SQLITE_STATIC);
  sqlite3_bind_text(reading, 2, account, -1, SQLITE_STATIC);
  check(sqlite3_step(reading) == SQLITE_ROW, "read");
  size_t length = (size_t)sqlite3_column_bytes(reading, 0);
  check(length <= DATA, "the length");
  memcpy(data, sqlite3_column_blob(reading, 0), length);
  check(sqlite3_reset(reading) == SQLITE_OK, "read");
  return length;
}

static int64_t count_items(void) {
  sqlite3_stmt *counting;
  check(sqlite3_prepare_v2(database, "SELECT count(*) FROM item", -1, &counting, NULL) == SQLITE_OK &&
            sqlite3_step(counting) == SQLITE_ROW,
        "count");
  int64_t count = sqlite3_column_int64(counting, 0);
  sqlite3_finalize(counting);
  return count;
}
#endif

int main(int count, char **arguments) {
  check(count == 2, "the command line: store FILE");
  path = arguments[1];
  char line[64], service[32], account[32];
  uint8_t data[DATA], wanted[DATA];
  uint64_t items = 0;
  while (fgets(line, sizeof line, stdin) != NULL) {
    uint64_t number = strchr(line, ' ') != NULL ? strtoull(strchr(line, ' '), NULL, 10) : 0;
    int64_t begin = now();
    if (strncmp(line, "open", 4) == 0) {
      open_store();
      int64_t end = now();
      items = (uint64_t)count_items();
      printf("%" PRId64 "\n", end - begin);
    } else if (strncmp(line, "close", 5) == 0) {
      close_store();
      printf("%" PRId64 "\n", now() - begin);
    } else if (strncmp(line, "add", 3) == 0) {
      for (uint64_t i = 0; i < number; i++, items++) {
        name_item(items, service, account);
        make_data(items, data);
        add_item(service, account, data);
      }
      printf("%" PRId64 "\n", now() - begin);
    } else if (strncmp(line, "read", 4) == 0) {
      for (uint64_t i = 0; i < number; i++) {
        uint64_t which = next() % items;
        name_item(which, service, account);
        make_data(which, wanted);
        check(read_item(service, account, data) == DATA && memcmp(data, wanted, DATA) == 0, "the data");
      }
      printf("%" PRId64 "\n", now() - begin);
    } else {
      printf("%" PRId64 "\n", count_items());
    }
    fflush(stdout);
  }
  return EXIT_SUCCESS;
}
