/*
 * Another process, which may write a vault's file but has no key: what it does there, with SQLite and past it. The
 * program runs itself for each of these (vault_scenarios.h).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VAULT_OTHERS_H
#define VAULT_OTHERS_H

#include "vault_scenarios.h"
#include "vault_put_back.h"

enum { PAGE = 4096 };

static inline void let_others_run(const char *sql) { CHECK_EQUAL(status_of(run_self("--sql", path, sql)), 0); }

/* Keeps the page of the passcode's row, or writes it back, past SQLite. */
static int move_page(const char *name, const char *how) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  uint8_t page[PAGE];
  char other[400];
  int on = 1;
  snprintf(other, sizeof other, "%s.kept", name);
  REQUIRE(sqlite3_open(name, &database) == SQLITE_OK);
  REQUIRE(sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &on) == SQLITE_OK);
  REQUIRE(sqlite3_prepare_v2(database, "SELECT rootpage FROM sqlite_schema WHERE name='passcode'", -1, &statement,
                             NULL) == SQLITE_OK);
  REQUIRE(sqlite3_step(statement) == SQLITE_ROW);
  long place = (sqlite3_column_int(statement, 0) - 1L) * PAGE;
  sqlite3_finalize(statement);
  REQUIRE(sqlite3_exec(database, "PRAGMA wal_checkpoint(PASSIVE)", NULL, NULL, NULL) == SQLITE_OK);
  int is_kept = strcmp(how, "keep") == 0;
  FILE *from = fopen(is_kept ? name : other, "rb"), *to = fopen(is_kept ? other : name, is_kept ? "wb" : "r+b");
  REQUIRE(from != NULL && to != NULL);
  REQUIRE(fseek(from, is_kept ? place : 0, SEEK_SET) == 0 && fread(page, PAGE, 1, from) == 1);
  REQUIRE(fseek(to, is_kept ? 0 : place, SEEK_SET) == 0 && fwrite(page, PAGE, 1, to) == 1);
  REQUIRE(fclose(from) == 0 && fclose(to) == 0);
  return sqlite3_close(database);
}
static inline void let_others_move(const char *how) { CHECK_EQUAL(status_of(run_self("--page", path, how)), 0); }

/* The schema's number, by which SQLite knows it: notes it, or sets it to what was noted. */
static int number_schema(const char *name, const char *how) {
  sqlite3 *database;
  sqlite3_stmt *statement;
  char other[400], text[64] = "PRAGMA schema_version";
  int number = 0;
  snprintf(other, sizeof other, "%s.number", name);
  FILE *file = fopen(other, strcmp(how, "note") == 0 ? "w" : "r");
  REQUIRE(file != NULL && sqlite3_open(name, &database) == SQLITE_OK);
  if (strcmp(how, "note") != 0) {
    REQUIRE(fscanf(file, "%d", &number) == 1);
    snprintf(text, sizeof text, "PRAGMA schema_version=%d", number);
  }
  REQUIRE(sqlite3_prepare_v2(database, text, -1, &statement, NULL) == SQLITE_OK);
  if (sqlite3_step(statement) == SQLITE_ROW) fprintf(file, "%d", sqlite3_column_int(statement, 0));
  sqlite3_finalize(statement);
  REQUIRE(fclose(file) == 0);
  return sqlite3_close(database);
}
static inline void let_others_number(const char *how) { CHECK_EQUAL(status_of(run_self("--number", path, how)), 0); }

/* The exit status, if the program was run for one of these; otherwise -1. */
static int do_as_another(int count, char **arguments) {
  if (count != 4) return -1;
  if (strcmp(arguments[1], "--sql") == 0) return run_sql(arguments[2], arguments[3]);
  if (strcmp(arguments[1], "--page") == 0) return move_page(arguments[2], arguments[3]);
  if (strcmp(arguments[1], "--number") == 0) return number_schema(arguments[2], arguments[3]);
  return -1;
}

#endif
