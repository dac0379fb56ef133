/*
 * A program that may write a vault's file, but has no key: it changes the file with SQLite, or keeps all rows and puts
 * them back, so that they and the head agree. In another process than the one that has the vault open.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_PUT_BACK_H
#define VAULT_PUT_BACK_H

#include <sqlite3.h>
#include <stdio.h>

#define EACH_TABLE(DO) DO("head") DO("passcode_key") DO("item") DO("passcode") DO("words")
#define KEEP_TABLE(table) "CREATE TABLE away." table " AS SELECT * FROM main." table ";"
#define PUT_TABLE_BACK(table) "DELETE FROM main." table ";INSERT INTO main." table " SELECT * FROM away." table ";"
#define KEEP_ALL EACH_TABLE(KEEP_TABLE)
#define PUT_ALL_BACK "BEGIN;" EACH_TABLE(PUT_TABLE_BACK) "COMMIT"

/* `kept` is a file beside the vault: a table in the vault's own would be noticed. */
static inline int run_sql(const char *name, const char *sql) {
  sqlite3 *database;
  char attach[400];
  snprintf(attach, sizeof attach, "ATTACH '%s.kept' AS away", name);
  int is_right = sqlite3_open(name, &database) == SQLITE_OK &&
                 sqlite3_exec(database, attach, NULL, NULL, NULL) == SQLITE_OK &&
                 sqlite3_exec(database, sql, NULL, NULL, NULL) == SQLITE_OK;
  if (!is_right) fprintf(stderr, "  %s: %s\n", sql, sqlite3_errmsg(database));
  return sqlite3_close(database) != SQLITE_OK || !is_right;
}

#endif
