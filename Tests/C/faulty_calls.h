/*
 * Which calls fail, and what the library's function then answers: for tests that let each of them fail in turn.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAULTY_CALLS_H
#define FAULTY_CALLS_H

#include "faulty.h"
#include <custom_vault.h>

static const struct fault {
  const char *name;
  enum faulty_call kind;
  int code;
  CUSTOM_KEYBOARD_RV answer;
} faults[] = {
    {"opening a file", CALL_OPEN, SQLITE_CANTOPEN, CUSTOM_KEYBOARD_STORAGE},
    {"reading", CALL_READ, SQLITE_IOERR_READ, CUSTOM_KEYBOARD_STORAGE},
    {"writing", CALL_WRITE, SQLITE_IOERR_WRITE, CUSTOM_KEYBOARD_STORAGE},
    {"a full disk", CALL_WRITE, SQLITE_FULL, CUSTOM_KEYBOARD_STORAGE},
    {"a disk that became read-only", CALL_WRITE, SQLITE_READONLY, CUSTOM_KEYBOARD_STORAGE},
    {"truncating", CALL_TRUNCATE, SQLITE_IOERR_TRUNCATE, CUSTOM_KEYBOARD_STORAGE},
    {"syncing", CALL_SYNC, SQLITE_IOERR_FSYNC, CUSTOM_KEYBOARD_STORAGE},
    {"looking at a size", CALL_SIZE, SQLITE_IOERR_FSTAT, CUSTOM_KEYBOARD_STORAGE},
    {"locking", CALL_LOCK, SQLITE_IOERR_LOCK, CUSTOM_KEYBOARD_STORAGE},
    {"removing a file", CALL_DELETE, SQLITE_IOERR_DELETE, CUSTOM_KEYBOARD_STORAGE},
    {"looking for a file", CALL_ACCESS, SQLITE_IOERR_ACCESS, CUSTOM_KEYBOARD_STORAGE},
    {"the WAL's index", CALL_MAP_SHARED, SQLITE_IOERR_SHMMAP, CUSTOM_KEYBOARD_STORAGE},
    {"locking the WAL's index", CALL_LOCK_SHARED, SQLITE_IOERR_SHMLOCK, CUSTOM_KEYBOARD_STORAGE},
    {"SQLite's memory", CALL_MALLOC, 0, CUSTOM_KEYBOARD_MEMORY},
    {"open of its own", OWN_OPEN, EMFILE, CUSTOM_KEYBOARD_STORAGE},
    {"fchmod", OWN_RIGHTS, EPERM, CUSTOM_KEYBOARD_STORAGE},
    {"fsync of its own", OWN_SYNC, EIO, CUSTOM_KEYBOARD_STORAGE},
    {"close of its own", OWN_CLOSE, EIO, CUSTOM_KEYBOARD_STORAGE},
    {"link", OWN_LINK, EPERM, CUSTOM_KEYBOARD_STORAGE},
    {"unlink", OWN_UNLINK, EIO, CUSTOM_KEYBOARD_STORAGE},
    {"flock", OWN_LOCK, ENOLCK, CUSTOM_KEYBOARD_STORAGE},
    {"stat of its own", OWN_LOOK, EACCES, CUSTOM_KEYBOARD_STORAGE},
    {"a kernel without statx", OWN_STATX, ENOSYS, CUSTOM_KEYBOARD_OK},
    {"a sandbox without statx", OWN_STATX, EPERM, CUSTOM_KEYBOARD_OK},
};
enum { FAULTS = sizeof faults / sizeof *faults };

#endif
