/*
 * What the vault takes from SQLite. It gets sealed rows only: SQLite allocates and caches as it likes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_SQLITE_H
#define CUSTOM_KEYBOARD_SQLITE_H

#if !__has_include(<sqlite3.h>)
#error "SQLite was not found. Debian, Ubuntu: apt-get install libsqlite3-dev."
#else
#include <sqlite3.h>
#if SQLITE_VERSION_NUMBER < 3037000
#error "SQLite 3.37 or later is needed, because the vault's tables are STRICT."
#endif
#endif

/* No statement of ours needs what a prepared file could use against us: triggers, views, functions in the schema,
 * writes to SQLite's own tables, virtual tables, which can take a change and forget it. Swift cannot call a function
 * with variable arguments. Returns SQLite's code. */
static inline int keyboard_sqlite_defend(sqlite3 *database) {
  int error = sqlite3_db_config(database, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
  if (error == SQLITE_OK) error = sqlite3_db_config(database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
  if (error == SQLITE_OK) error = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (int *)0);
  if (error == SQLITE_OK) error = sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (int *)0);
  if (error == SQLITE_OK) error = sqlite3_drop_modules(database, (const char **)0);
  return error;
}

/* Keeps the WAL when the last connection closes: a host that opens and closes the file itself drops SQLite's locks, and
 * another process could then remove a WAL that is in use. */
static inline int keyboard_sqlite_keep_wal(sqlite3 *database) {
  int on = 1;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &on);
}

static inline int keyboard_sqlite_note_pages(void *count, sqlite3 *database, const char *name, int pages) {
  (void)database, (void)name;
  *(int *)count = pages;
  return SQLITE_OK;
}

/* SQLite then copies nothing from the WAL into the file by itself: neither when the connection closes, nor after a
 * commit, which only notes in `pages` how many there are. Before 3.51.3 it loses what another process writes meanwhile,
 * so that the vault copies under its own lock. */
static inline int keyboard_sqlite_own_checkpoints(sqlite3 *database, int *pages) {
  sqlite3_wal_autocheckpoint(database, 0);
  sqlite3_wal_hook(database, keyboard_sqlite_note_pages, pages);
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/* The longest path that a file may have, with what SQLite adds to it for its own files beside it. */
static inline int keyboard_sqlite_path_limit(void) {
  sqlite3_vfs *files = sqlite3_vfs_find((const char *)0);
  return files != (sqlite3_vfs *)0 ? files->mxPathname - 8 : 0;
}

/* Whether nothing can be written: because of rights, the disk, or, once the first page was read, of what that says. */
static inline int keyboard_sqlite_may_only_read(sqlite3 *database) { return sqlite3_db_readonly(database, "main"); }

/* The file's path. */
static inline const char *keyboard_sqlite_path(sqlite3 *database) { return sqlite3_db_filename(database, "main"); }

/* The path of the WAL beside the file. */
static inline const char *keyboard_sqlite_wal_path(sqlite3 *database) {
  const char *path = sqlite3_db_filename(database, "main");
  return path != (const char *)0 ? sqlite3_filename_wal(path) : path;
}

/* Whether another file, or none, has the name that this one was opened with. */
static inline int keyboard_sqlite_has_moved(sqlite3 *database) {
  int moved = 1;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) != SQLITE_OK || moved;
}

#endif
