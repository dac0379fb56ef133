/*
 * What the vault's library and its tests find in libSystem for files and clocks, and SQLite, which is Linux's: of
 * libsqlite3, only the functions with `…` are called in another way. Flags, errors and structures have other numbers
 * and forms on the two systems; a flag that is not here is an error.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "run.h"
#include <ctype.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

/* Below 35 they are the same, but for two. */
static int there(int error) {
  switch (error) {
  case EAGAIN: return 35;
  case EDEADLK: return 11;
  case ELOOP: return 62;
  case ENAMETOOLONG: return 63;
  case ENOTEMPTY: return 66;
  default:
    if (error >= 35) fail("error %d", error);
    return error;
  }
}
static int answered(int result) {
  if (result < 0) errno = there(errno);
  return result;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

enum { FOLDER_NOW = -2, EFFECTIVE = 0x10, NO_LINK = 0x20, REMOVE_FOLDER = 0x80 };
static int folder_here(int folder) { return folder == FOLDER_NOW ? AT_FDCWD : folder; }

int on_open(const char *path, int flags, void *stack);
int on_open(const char *path, int flags, void *stack) {
  static const int both[][2] = {{4, O_NONBLOCK},  {0x100, O_NOFOLLOW},     {0x200, O_CREAT},
                                {0x800, O_EXCL}, {0x100000, O_DIRECTORY}, {0x1000000, O_CLOEXEC}};
  if (strcmp(path, "/proc/self/smaps") == 0) return open_ranges();
  int mode = flags & 0x200 ? *(int *)stack : 0, left = flags & ~3, own = flags & 3;
  for (size_t i = 0; i < sizeof both / sizeof *both; i++)
    if (left & both[i][0]) own |= both[i][1], left &= ~both[i][0];
  if (left) fail("open(\"%s\", %#x)", path, (unsigned)flags);
  return answered(open(path, own, mode));
}
int on_fcntl(int file, int command, void *stack);
int on_fcntl(int file, int command, void *stack) {
  if (command == 51) return answered(fsync(file)); /* F_FULLFSYNC */
  if (command != 67) fail("fcntl(%d)", command);
  return answered(fcntl(file, F_DUPFD_CLOEXEC, *(int *)stack));
}
static int on_flock(int file, int what) { return answered(flock(file, what)); }

struct darwin_stat {
  int32_t device;
  uint16_t mode, links;
  uint64_t number;
  uint32_t owner, group;
  int32_t special;
  struct timespec accessed, modified, changed, born;
  int64_t size, blocks;
  int32_t block_size;
  uint32_t flags, generation;
  int32_t spare;
  int64_t spares[2];
};
static int tell(int result, const struct stat *seen, struct darwin_stat *out) {
  if (result != 0) return answered(result);
  int others = is_broken("rights") ? 044 : 0;
  *out = (struct darwin_stat){.device = (int32_t)seen->st_dev,
                              .mode = (uint16_t)(seen->st_mode | others),
                              .links = is_broken("links") ? 2 : (uint16_t)seen->st_nlink,
                              .number = seen->st_ino,
                              .owner = seen->st_uid,
                              .group = seen->st_gid,
                              .accessed = seen->st_atim,
                              .modified = seen->st_mtim,
                              .changed = seen->st_ctim,
                              .size = seen->st_size,
                              .blocks = seen->st_blocks};
  return 0;
}
static int on_stat(const char *path, struct darwin_stat *out) {
  struct stat seen;
  return tell(stat(path, &seen), &seen, out);
}
static int on_fstat(int file, struct darwin_stat *out) {
  struct stat seen;
  return tell(fstat(file, &seen), &seen, out);
}
static int on_fstatat(int folder, const char *path, struct darwin_stat *out, int flags) {
  struct stat seen;
  if (flags & ~NO_LINK) fail("fstatat with flags %#x", (unsigned)flags);
  return tell(fstatat(folder_here(folder), path, &seen, flags ? AT_SYMLINK_NOFOLLOW : 0), &seen, out);
}
static int on_faccessat(int folder, const char *path, int mode, int flags) {
  if (flags & ~EFFECTIVE) fail("faccessat with flags %#x", (unsigned)flags);
  return answered(faccessat(folder_here(folder), path, mode, flags ? AT_EACCESS : 0));
}
static int on_unlinkat(int folder, const char *path, int flags) {
  if (flags & ~REMOVE_FOLDER) fail("unlinkat with flags %#x", (unsigned)flags);
  return answered(unlinkat(folder_here(folder), path, flags ? AT_REMOVEDIR : 0));
}

struct darwin_dirent {
  uint64_t number, offset;
  uint16_t size, length;
  uint8_t kind;
  char name[1024];
};
static struct darwin_dirent *on_readdir(DIR *folder) {
  static _Thread_local struct darwin_dirent out;
  const struct dirent *seen = readdir(folder);
  if (!seen) return NULL;
  out = (struct darwin_dirent){.number = seen->d_ino, .size = sizeof out, .length = (uint16_t)strlen(seen->d_name),
                               .kind = seen->d_type};
  snprintf(out.name, sizeof out.name, "%s", seen->d_name);
  return &out;
}

/* ---- Clocks ------------------------------------------------------------------------------------------------------ */

/* What a test says that they say, in seconds; negative: what Linux's say. */
static atomic_long running = -1, wall = -1;
static void on_clocks(long new_running, long new_wall) {
  atomic_store(&running, new_running);
  atomic_store(&wall, new_wall);
}
/* Those that wait use the third, CLOCK_MONOTONIC. */
static int on_clock(int clock, struct timespec *time) {
  if (clock != 0 && clock != 4 && clock != 6) fail("clock_gettime(%d)", clock);
  if (is_broken("clocks")) clock = 0;
  long said = clock == 0 ? atomic_load(&wall) : clock == 4 ? atomic_load(&running) : -1;
  if (said < 0) return clock_gettime(clock == 0 ? CLOCK_REALTIME : clock == 4 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, time);
  *time = (struct timespec){said, 0};
  return 0;
}

/* ---- SQLite ------------------------------------------------------------------------------------------------------ */

int on_db_config(sqlite3 *database, int what, void *stack);
int on_db_config(sqlite3 *database, int what, void *stack) {
  int value, *out;
  memcpy(&value, stack, sizeof value), memcpy(&out, (char *)stack + 8, sizeof out);
  return sqlite3_db_config(database, what, value, out);
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

extern char darwin_open[], darwin_fcntl[], darwin_db_config[];

static const struct symbol table[] = {
    SAME(chdir), SAME(chmod), SAME(closedir), SAME(dirfd), SAME(fchmod), SAME(fsync), SAME(getcwd),
    SAME(geteuid), SAME(getpid), SAME(isalnum), SAME(link), SAME(mkdtemp), SAME(opendir), SAME(rename), SAME(rmdir),
    SAME(strcpy), SAME(strspn), SAME(strrchr), SAME(symlink), SAME(unlink),
    OWN(clock_gettime, on_clock), OWN(faccessat, on_faccessat), OWN(fcntl, darwin_fcntl), OWN(flock, on_flock),
    OWN(fstat, on_fstat), OWN(fstatat, on_fstatat), OWN(open, darwin_open), OWN(readdir, on_readdir),
    OWN(realpath$DARWIN_EXTSN, realpath), OWN(stat, on_stat), OWN(unlinkat, on_unlinkat),
    OWN(sqlite3_db_config, darwin_db_config),
    /* for locks.c */
    OWN(darwin_run_clocks, on_clocks),
};

void *file_symbol(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].place;
  return strncmp(name, "_sqlite3_", 9) == 0 ? dlsym(RTLD_DEFAULT, name + 1) : signal_symbol(name);
}
