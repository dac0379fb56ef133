/*
 * A disk that fails. SQLite reaches it through a VFS that is registered as its default before the library opens a file
 * (as SQLite's own crash tests do), the library through the functions of libc that are defined here in libc's place.
 * The library knows nothing of either.
 *
 * A call of a chosen kind fails: the one with a number, or that one and all later ones. Beside that, all changes of the
 * files of one folder are written down for disk.h, which makes of them what a power cut would leave.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FAULTY_H
#define FAULTY_H

#include "check.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <linux/stat.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* ---- Which call fails ------------------------------------------------------------------------------------------- */

enum faulty_call {
  CALL_OPEN, CALL_READ, CALL_WRITE, CALL_TRUNCATE, CALL_SYNC, CALL_SIZE, CALL_LOCK, CALL_DELETE, CALL_ACCESS,
  CALL_MAP_SHARED, CALL_LOCK_SHARED, CALL_MALLOC,
  OWN_OPEN, OWN_RIGHTS, OWN_SYNC, OWN_CLOSE, OWN_LINK, OWN_UNLINK, OWN_LOOK, OWN_STATX, OWN_LOCK,
  CALL_KINDS
};

static struct faulty {
  int is_armed, stays;             /* stays: all later calls of the kind fail, too                                   */
  enum faulty_call kind;
  unsigned long at;                /* 1 for the first                                                                */
  int code;                        /* what it answers: SQLite's code, or errno for the library's own calls           */
  unsigned long calls, failed;     /* of the kind, while armed                                                       */
} faulty;

/* Called at each call of SQLite's to the disk and for memory, for tests that look at that moment. */
static void (*faulty_hook)(enum faulty_call kind);

static inline int fails(enum faulty_call kind) {
  if (faulty_hook != NULL) faulty_hook(kind);
  if (!faulty.is_armed || kind != faulty.kind) return 0;
  unsigned long number = ++faulty.calls;
  if (faulty.stays ? number < faulty.at : number != faulty.at) return 0;
  faulty.failed++;
  return 1;
}

/* ---- What changes on the disk ----------------------------------------------------------------------------------- */

/* Implemented by disk.h; a program that does not include it has no folder that is watched. */
enum disk_event { DISK_WRITE, DISK_TRUNCATE, DISK_SYNC, DISK_CREATE, DISK_LINK, DISK_UNLINK, DISK_SYNC_FOLDER };
static void (*disk_changes)(enum disk_event event, const char *path, const char *to, const void *bytes, size_t count,
                            sqlite3_int64 offset);
static inline void tell_disk(enum disk_event event, const char *path, const char *to, const void *bytes, size_t count,
                             sqlite3_int64 offset) {
  if (disk_changes != NULL) disk_changes(event, path, to, bytes, count, offset);
}

static __thread int in_sqlite; /* libc is called by SQLite's VFS, which has counted the call already */

/* ---- The VFS ---------------------------------------------------------------------------------------------------- */

typedef struct faulty_file {
  sqlite3_file base;
  const char *path; /* SQLite keeps it as long as the file is open */
  sqlite3_file *real;
} faulty_file;

static sqlite3_vfs *real_vfs;
static sqlite3_io_methods faulty_methods;

#define REAL(file) (((faulty_file *)(file))->real)
/* Calls SQLite's own function, or answers the fault. */
#define PASS(kind, file, function, ...)                              \
  do {                                                               \
    if (fails(kind)) return faulty.code;                             \
    in_sqlite++;                                                     \
    int pass_code = REAL(file)->pMethods->function(__VA_ARGS__);     \
    in_sqlite--;                                                     \
    return pass_code;                                                \
  } while (0)

static int faulty_close(sqlite3_file *file) {
  in_sqlite++;
  int code = REAL(file)->pMethods->xClose(REAL(file));
  in_sqlite--;
  return code;
}
static int faulty_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  PASS(CALL_READ, file, xRead, REAL(file), bytes, count, offset);
}
static int faulty_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  /* A disk that becomes full takes the first half. */
  int has_failed = fails(CALL_WRITE), taken = !has_failed ? count : faulty.code == SQLITE_FULL ? count / 2 : 0;
  if (taken > 0) {
    in_sqlite++;
    int code = REAL(file)->pMethods->xWrite(REAL(file), bytes, taken, offset);
    in_sqlite--;
    if (code != SQLITE_OK) return code;
    tell_disk(DISK_WRITE, ((faulty_file *)file)->path, NULL, bytes, (size_t)taken, offset);
  }
  return has_failed ? faulty.code : SQLITE_OK;
}
static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size) {
  if (fails(CALL_TRUNCATE)) return faulty.code;
  in_sqlite++;
  int code = REAL(file)->pMethods->xTruncate(REAL(file), size);
  in_sqlite--;
  if (code == SQLITE_OK) tell_disk(DISK_TRUNCATE, ((faulty_file *)file)->path, NULL, NULL, 0, size);
  return code;
}
static int faulty_sync(sqlite3_file *file, int flags) {
  if (fails(CALL_SYNC)) return faulty.code;
  in_sqlite++;
  int code = REAL(file)->pMethods->xSync(REAL(file), flags);
  in_sqlite--;
  if (code == SQLITE_OK) tell_disk(DISK_SYNC, ((faulty_file *)file)->path, NULL, NULL, 0, 0);
  return code;
}
static int faulty_size(sqlite3_file *file, sqlite3_int64 *size) { PASS(CALL_SIZE, file, xFileSize, REAL(file), size); }
static int faulty_lock(sqlite3_file *file, int level) { PASS(CALL_LOCK, file, xLock, REAL(file), level); }
static int faulty_unlock(sqlite3_file *file, int level) { return REAL(file)->pMethods->xUnlock(REAL(file), level); }
static int faulty_is_reserved(sqlite3_file *file, int *answer) {
  return REAL(file)->pMethods->xCheckReservedLock(REAL(file), answer);
}
static int faulty_control(sqlite3_file *file, int operation, void *argument) {
  return REAL(file)->pMethods->xFileControl(REAL(file), operation, argument);
}
static int faulty_sector_size(sqlite3_file *file) { return REAL(file)->pMethods->xSectorSize(REAL(file)); }
static int faulty_characteristics(sqlite3_file *file) {
  return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}
static int faulty_map_shared(sqlite3_file *file, int page, int size, int extends, void volatile **place) {
  PASS(CALL_MAP_SHARED, file, xShmMap, REAL(file), page, size, extends, place);
}
static int faulty_lock_shared(sqlite3_file *file, int first, int count, int flags) {
  if (flags & SQLITE_SHM_UNLOCK) return REAL(file)->pMethods->xShmLock(REAL(file), first, count, flags);
  PASS(CALL_LOCK_SHARED, file, xShmLock, REAL(file), first, count, flags);
}
static void faulty_barrier(sqlite3_file *file) { REAL(file)->pMethods->xShmBarrier(REAL(file)); }
static int faulty_unmap_shared(sqlite3_file *file, int removes) {
  in_sqlite++;
  int code = REAL(file)->pMethods->xShmUnmap(REAL(file), removes);
  in_sqlite--;
  return code;
}

static int faulty_open(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out) {
  (void)vfs;
  faulty_file *own = (faulty_file *)file;
  struct stat before;
  file->pMethods = NULL;
  own->path = path;
  own->real = (sqlite3_file *)(own + 1);
  if (fails(CALL_OPEN)) return faulty.code;
  int is_new = path != NULL && (flags & SQLITE_OPEN_CREATE) && stat(path, &before) != 0;
  in_sqlite++;
  int code = real_vfs->xOpen(real_vfs, path, own->real, flags, out);
  in_sqlite--;
  if (own->real->pMethods != NULL) file->pMethods = &faulty_methods;
  if (code == SQLITE_OK && is_new) tell_disk(DISK_CREATE, path, NULL, NULL, 0, 0);
  return code;
}
static int faulty_delete(sqlite3_vfs *vfs, const char *path, int syncs) {
  (void)vfs;
  if (fails(CALL_DELETE)) return faulty.code;
  in_sqlite++;
  int code = real_vfs->xDelete(real_vfs, path, syncs);
  in_sqlite--;
  if (code == SQLITE_OK) tell_disk(DISK_UNLINK, path, NULL, NULL, 0, 0);
  if (code == SQLITE_OK && syncs) tell_disk(DISK_SYNC_FOLDER, path, NULL, NULL, 0, 0);
  return code;
}
static int faulty_access(sqlite3_vfs *vfs, const char *path, int flags, int *answer) {
  (void)vfs;
  if (fails(CALL_ACCESS)) return faulty.code;
  return real_vfs->xAccess(real_vfs, path, flags, answer);
}

/* ---- SQLite's memory -------------------------------------------------------------------------------------------- */

static sqlite3_mem_methods real_memory;
static void *faulty_malloc(int size) { return fails(CALL_MALLOC) ? NULL : real_memory.xMalloc(size); }
static void *faulty_realloc(void *old, int size) { return fails(CALL_MALLOC) ? NULL : real_memory.xRealloc(old, size); }

/* Before the library opens a vault. */
static inline void register_faulty(void) {
  static sqlite3_vfs vfs;
  static sqlite3_mem_methods memory;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_memory) == SQLITE_OK);
  memory = real_memory;
  memory.xMalloc = faulty_malloc;
  memory.xRealloc = faulty_realloc;
  REQUIRE(sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) == SQLITE_OK);
  REQUIRE(sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0) == SQLITE_OK); /* all memory comes from there */
  REQUIRE(sqlite3_initialize() == SQLITE_OK);
  REQUIRE((real_vfs = sqlite3_vfs_find(NULL)) != NULL && real_vfs->iVersion >= 2);
  vfs = *real_vfs;
  vfs.zName = "faulty";
  vfs.szOsFile = (int)sizeof(faulty_file) + real_vfs->szOsFile;
  vfs.pNext = NULL;
  vfs.xOpen = faulty_open;
  vfs.xDelete = faulty_delete;
  vfs.xAccess = faulty_access;
  faulty_methods = (sqlite3_io_methods){
      2, faulty_close, faulty_read, faulty_write, faulty_truncate, faulty_sync, faulty_size, faulty_lock,
      faulty_unlock, faulty_is_reserved, faulty_control, faulty_sector_size, faulty_characteristics,
      faulty_map_shared, faulty_lock_shared, faulty_barrier, faulty_unmap_shared, NULL, NULL};
  REQUIRE(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
}

/* ---- The library's own calls ------------------------------------------------------------------------------------ */

/* libc's function of that name. */
#define LIBC(type, name, parameters)                            \
  static type(*real_##name) parameters;                         \
  if (real_##name == NULL) *(void **)&real_##name = dlsym(RTLD_NEXT, #name)
#define FAIL_OWN(kind)              \
  if (!in_sqlite && fails(kind)) {  \
    errno = faulty.code;            \
    return -1;                      \
  }

int open(const char *path, int flags, ...) {
  LIBC(int, open, (const char *, int, ...));
  mode_t mode = 0;
  if (flags & O_CREAT) {
    __builtin_va_list more;
    __builtin_va_start(more, flags);
    mode = (mode_t)__builtin_va_arg(more, int);
    __builtin_va_end(more);
  }
  FAIL_OWN(OWN_OPEN);
  int file = real_open(path, flags, mode);
  if (!in_sqlite && file >= 0 && (flags & O_CREAT)) tell_disk(DISK_CREATE, path, NULL, NULL, 0, 0);
  return file;
}
int fchmod(int file, mode_t mode) {
  LIBC(int, fchmod, (int, mode_t));
  FAIL_OWN(OWN_RIGHTS);
  return real_fchmod(file, mode);
}
/* SQLite syncs files with fdatasync, through the VFS, and the folder of a file that it has made. */
static void tell_sync(int file) {
  char link[64], path[1024];
  struct stat about;
  if (disk_changes == NULL || fstat(file, &about) != 0 || (in_sqlite && !S_ISDIR(about.st_mode))) return;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  REQUIRE(length > 0);
  path[length] = 0;
  tell_disk(S_ISDIR(about.st_mode) ? DISK_SYNC_FOLDER : DISK_SYNC, path, NULL, NULL, 0, 0);
}
int fsync(int file) {
  LIBC(int, fsync, (int));
  FAIL_OWN(OWN_SYNC);
  int answer = real_fsync(file);
  if (answer == 0) tell_sync(file);
  return answer;
}
int fdatasync(int file) {
  LIBC(int, fdatasync, (int));
  FAIL_OWN(OWN_SYNC);
  int answer = real_fdatasync(file);
  if (answer == 0) tell_sync(file);
  return answer;
}
int close(int file) {
  LIBC(int, close, (int));
  int answer = real_close(file); /* a descriptor is gone even if close says that it failed */
  FAIL_OWN(OWN_CLOSE);
  return answer;
}
int flock(int file, int operation) {
  LIBC(int, flock, (int, int));
  if (operation != LOCK_UN) FAIL_OWN(OWN_LOCK);
  return real_flock(file, operation);
}
int link(const char *from, const char *to) {
  LIBC(int, link, (const char *, const char *));
  FAIL_OWN(OWN_LINK);
  int answer = real_link(from, to);
  if (answer == 0) tell_disk(DISK_LINK, from, to, NULL, 0, 0);
  return answer;
}
int unlink(const char *path) {
  LIBC(int, unlink, (const char *));
  FAIL_OWN(OWN_UNLINK);
  int answer = real_unlink(path);
  if (answer == 0 && !in_sqlite) tell_disk(DISK_UNLINK, path, NULL, NULL, 0, 0);
  return answer;
}
/* Files look as if they were on a disk with this major number: in memory it is 0, and mistakes do not show. */
enum { MAJOR = 8 };
int fstatat(int folder, const char *path, struct stat *about, int flags) {
  LIBC(int, fstatat, (int, const char *, struct stat *, int));
  FAIL_OWN(OWN_LOOK);
  int answer = real_fstatat(folder, path, about, flags);
  if (answer == 0) about->st_dev = makedev(MAJOR, minor(about->st_dev));
  return answer;
}
int stat(const char *path, struct stat *about) {
  LIBC(int, stat, (const char *, struct stat *));
  FAIL_OWN(OWN_LOOK);
  return real_stat(path, about);
}

/* What getrandom gives to the libraries, for tests that want to know it. */
static long (*faulty_draw)(void *to, size_t length);

/* The libraries ask the kernel itself where libc's function would be a cancellation point, or is hidden. Not with
 * "...": such a function writes all registers of arguments to the stack, and those that a call does not use may have a
 * secret. */
long fail_or_call(long number, long a, long b, long c, long d, long e, long f) __asm__("syscall");
static long (*real_syscall)(long, long, long, long, long, long, long);
long fail_or_call(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_getrandom && faulty_draw != NULL) return faulty_draw((void *)a, (size_t)b);
  if (number == SYS_statx) {
    /* Who sees a file's times makes the kernel write new ones with its next change. */
    CHECK(((unsigned long)d & (STATX_ATIME | STATX_BTIME | STATX_CTIME | STATX_MTIME)) == 0);
    FAIL_OWN(OWN_STATX);
    FAIL_OWN(OWN_LOOK);
  }
  long answer = real_syscall(number, a, b, c, d, e, f);
  if (number == SYS_statx && answer == 0) ((struct statx *)e)->stx_dev_major = MAJOR;
  return answer;
}
__attribute__((constructor)) static void find_syscall(void) { *(void **)&real_syscall = dlsym(RTLD_NEXT, "syscall"); }

#endif
