/*
 * Files of the vault. SQLite opens them; here they are made, linked and looked at, without a descriptor on a file that
 * SQLite may have open: closing one would drop SQLite's locks. Only the WAL may be opened: SQLite locks nothing there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_FILES_H
#define CUSTOM_KEYBOARD_FILES_H

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KEYBOARD_PATH_SIZE = PATH_MAX };

/* What a path names. */
enum {
  KEYBOARD_FILE_SAFE,    /* a regular file of ours that nobody else may read or write                                 */
  KEYBOARD_FILE_MISSING, /* nothing                                                                                   */
  KEYBOARD_FILE_LINKED,  /* the same with two names: perhaps one is that under which it was made                      */
  KEYBOARD_FILE_UNSAFE,  /* anything else                                                                             */
  KEYBOARD_FILE_UNKNOWN  /* the system does not say                                                                   */
};

/* Which file it is, as long as it exists. */
typedef struct keyboard_file_id {
  uint64_t device, inode;
} keyboard_file_id;

/* What is looked at of a file. */
typedef struct keyboard_file {
  keyboard_file_id id;
  mode_t mode;
  uid_t owner;
  uint64_t links, size;
} keyboard_file;

/* What time it is, for locks that end: in milliseconds since 1970, and since the machine was started, with the time
 * that it slept. The second one means something within one start only, of which `boot` is the number; 0 where nobody
 * knows it. */
typedef struct keyboard_moment {
  int64_t wall, running;
  uint64_t boot[2];
} keyboard_moment;

#if defined(__APPLE__)
#include "darwin_files.h"
#else
#include "linux_files.h"
#endif

static inline int keyboard_look_at_file(const char *path, keyboard_file_id *id) {
  keyboard_file file;
  if (keyboard_look(AT_FDCWD, path, &file) != 0) return errno == ENOENT ? KEYBOARD_FILE_MISSING : KEYBOARD_FILE_UNKNOWN;
  *id = file.id;
  if (!S_ISREG(file.mode) || file.owner != geteuid() || (file.mode & 077) != 0) return KEYBOARD_FILE_UNSAFE;
  return file.links == 1 ? KEYBOARD_FILE_SAFE : file.links == 2 ? KEYBOARD_FILE_LINKED : KEYBOARD_FILE_UNSAFE;
}

/* Whether a path names anything but an empty file; -1 if the system does not say. */
static inline int keyboard_has_bytes(const char *path) {
  keyboard_file file;
  if (keyboard_look(AT_FDCWD, path, &file) != 0) return errno == ENOENT ? 0 : -1;
  return !S_ISREG(file.mode) || file.size > 0;
}

/* Whether this user may make files in a folder, and its disk is not one that can only be read. */
static inline int keyboard_may_write(const char *folder) {
  return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) == 0;
}

/* Whether a folder is ours, and nobody else may write into it. */
static inline int keyboard_is_folder_safe(const char *path) {
  struct stat folder;
  return stat(path, &folder) == 0 && S_ISDIR(folder.st_mode) && folder.st_uid == geteuid() &&
         (folder.st_mode & 022) == 0;
}

/* Writes a folder's path without links. Returns 0, or the error's number. */
static inline int keyboard_resolve(const char *folder, char resolved[KEYBOARD_PATH_SIZE]) {
  return realpath(folder, resolved) != NULL ? 0 : errno;
}

static inline int keyboard_sync(const char *path, int flags) {
  int file = open(path, flags | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return 0;
  int is_synced = keyboard_flush(file) == 0;
  return close(file) == 0 && is_synced;
}

/* Makes an empty file that only its owner may read and write. Returns 0 if that fails, or if the path names
 * something. */
static inline int keyboard_make_file(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return 0;
  int is_right = fchmod(file, 0600) == 0 && keyboard_flush(file) == 0;
  return close(file) == 0 && is_right;
}

/* Only for a file that SQLite does not have open. */
static inline int keyboard_sync_file(const char *path) { return keyboard_sync(path, O_RDONLY); }

/* Opens a folder for its sync. Returns -1 if that fails. */
static inline int keyboard_open_folder(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}
static inline int keyboard_sync_folder(int folder) { return keyboard_flush(folder) == 0; }
static inline void keyboard_close_folder(int folder) { (void)close(folder); }

/* Opens a file that is locked as a whole, and is never read or written through this descriptor: a number from 3 on,
 * because programs close and open the first three for themselves. Returns 0 if that fails. */
static inline int keyboard_open_lock(const char *path) {
  int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0 || file > 2) return file < 0 ? 0 : file;
  int higher = fcntl(file, F_DUPFD_CLOEXEC, 3);
  close(file);
  return higher < 0 ? 0 : higher;
}
/* Whether a descriptor is still that of a file, because the host may have closed it and opened another file; -1 if the
 * system does not say. */
static inline int keyboard_is_lock_of(int file, keyboard_file_id id) {
  keyboard_file seen;
  if (keyboard_look(file, "", &seen) != 0) return -1;
  return seen.id.device == id.device && seen.id.inode == id.inode;
}
/* Does not wait. Returns 0, EWOULDBLOCK if another descriptor has the lock, or the error's number. The children of
 * forks share the lock: it ends with this process's unlock, or when the last of them has ended or has called exec. */
static inline int keyboard_lock_file(int file) { return flock(file, LOCK_EX | LOCK_NB) == 0 ? 0 : errno; }
static inline void keyboard_unlock_file(int file) { (void)flock(file, LOCK_UN); }
static inline void keyboard_close_lock(int file) { (void)close(file); }

/* Gives a file another name. Returns 0, or the error's number: EEXIST if something has the name. */
static inline int keyboard_link(const char *from, const char *to) { return link(from, to) == 0 ? 0 : errno; }
static inline void keyboard_remove(const char *path) { (void)unlink(path); }

/* A file is made under its name, a dot and 16 hexadecimal digits. */
enum { KEYBOARD_DRAFT_DIGITS = 16 };
static inline int keyboard_is_draft(const char *name, const char *of, size_t length) {
  if (strncmp(name, of, length) != 0 || name[length] != '.') return 0;
  return strspn(name + length + 1, "0123456789abcdef") == KEYBOARD_DRAFT_DIGITS &&
         name[length + 1 + KEYBOARD_DRAFT_DIGITS] == 0;
}

/* Removes the name under which a file was made, if it still has it: the process that made it may have been killed
 * between giving it its own name and removing this one, or may be there now. `name` is the file's own in the folder. */
static inline void keyboard_remove_draft(const char *folder, const char *name, keyboard_file_id id) {
  DIR *names = opendir(folder);
  if (names == NULL) return;
  size_t length = strlen(name);
  for (struct dirent *entry; (entry = readdir(names)) != NULL;) {
    keyboard_file file;
    if (!keyboard_is_draft(entry->d_name, name, length)) continue;
    if (keyboard_look(dirfd(names), entry->d_name, &file) != 0) continue;
    if (file.id.device == id.device && file.id.inode == id.inode)
      (void)unlinkat(dirfd(names), entry->d_name, 0);
  }
  closedir(names);
}

/* Seconds since 1970. */
static inline int64_t keyboard_wall_clock(void) {
  struct timespec now;
  return clock_gettime(CLOCK_REALTIME, &now) == 0 ? (int64_t)now.tv_sec : 0;
}

/* Milliseconds of a clock that is never set. */
static inline int64_t keyboard_steady_clock(void) {
  struct timespec now;
  return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 : 0;
}

static inline int64_t keyboard_process(void) { return (int64_t)getpid(); }

#endif
