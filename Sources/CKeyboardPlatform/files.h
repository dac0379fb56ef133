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
#include <linux/stat.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000 /* of Linux; glibc shows it only with _GNU_SOURCE */
#endif

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

/* A device as `struct stat` has it: Linux gives 12 bits of the one number, and 20 of the other. */
static inline uint64_t keyboard_device(uint32_t major, uint32_t minor) {
  return (minor & 0xff) | major << 8 | (minor & ~0xffu) << 12;
}

/* Looks at what a path names, or with an empty path at the open file `folder`, but not at its times. Who sees those
 * makes Linux, from 6.13 on, give the file a new time with its next change, and then a sync has more to write: a third
 * of what a vault's change takes. */
static inline int keyboard_look(int folder, const char *path, keyboard_file *file) {
  const unsigned wanted = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_INO | STATX_SIZE;
  const int flags = AT_SYMLINK_NOFOLLOW | (path[0] == 0 ? AT_EMPTY_PATH : 0);
  struct statx seen;
  if (syscall(SYS_statx, folder, path, flags, wanted, &seen) == 0) {
    *file = (keyboard_file){{keyboard_device(seen.stx_dev_major, seen.stx_dev_minor), seen.stx_ino},
                            seen.stx_mode, seen.stx_uid, seen.stx_nlink, seen.stx_size};
    return 0;
  }
  if (errno != ENOSYS && errno != EPERM) return -1;
  struct stat old; /* before Linux 4.11, and in sandboxes that do not know the call */
  if (fstatat(folder, path, &old, flags) != 0) return -1;
  *file = (keyboard_file){{(uint64_t)old.st_dev, (uint64_t)old.st_ino},
                          old.st_mode, old.st_uid, (uint64_t)old.st_nlink, (uint64_t)old.st_size};
  return 0;
}

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
  int is_synced = fsync(file) == 0;
  return close(file) == 0 && is_synced;
}

/* Makes an empty file that only its owner may read and write. Returns 0 if that fails, or if the path names
 * something. */
static inline int keyboard_make_file(const char *path) {
  int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (file < 0) return 0;
  int is_right = fchmod(file, 0600) == 0 && fsync(file) == 0;
  return close(file) == 0 && is_right;
}

/* Only for a file that SQLite does not have open. */
static inline int keyboard_sync_file(const char *path) { return keyboard_sync(path, O_RDONLY); }

/* Opens a folder for its sync. Returns -1 if that fails. */
static inline int keyboard_open_folder(const char *path) {
  return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}
static inline int keyboard_sync_folder(int folder) { return fsync(folder) == 0; }
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

/* What time it is, for locks that end: in milliseconds since 1970, and since the machine was started, with the time
 * that it slept. The second one means something within one start only, which the kernel gives a random number. Where
 * the number cannot be read, or the offset of this process's namespace of time, `boot` is 0. */
typedef struct keyboard_moment {
  int64_t wall, running;
  uint64_t boot[2];
} keyboard_moment;

/* Reads a file of /proc, or the beginning of it. Returns how many bytes; -1 if it cannot be opened. */
static inline int keyboard_read_text(const char *path, char *text, size_t capacity) {
  int file = open(path, O_RDONLY | O_CLOEXEC), have = 0;
  if (file < 0) return -1;
  for (ssize_t count; have < (int)capacity; have += (int)count) {
    count = read(file, text + have, capacity - (size_t)have);
    if (count <= 0) break;
  }
  close(file);
  return have;
}

/* Reads the kernel's number of this start: 32 hexadecimal digits and four dashes. Returns 0 if that fails. */
static inline int keyboard_read_boot(uint64_t boot[2]) {
  char text[36];
  int digits = 0, have = keyboard_read_text("/proc/sys/kernel/random/boot_id", text, sizeof text);
  boot[0] = boot[1] = 0;
  for (int i = 0; i < have; i++) {
    char c = text[i];
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (digit < 0 && c != '-') return 0;
    if (digit < 0) continue;
    boot[digits / 16 & 1] = boot[digits / 16 & 1] << 4 | (uint64_t)digit;
    digits++;
  }
  return digits == 32;
}

/* Whether the namespace of time is also that of the next children. */
static inline int keyboard_stays_in_namespace_of_time(void) {
  struct stat own, next;
  return stat("/proc/self/ns/time", &own) == 0 && stat("/proc/self/ns/time_for_children", &next) == 0 &&
         own.st_dev == next.st_dev && own.st_ino == next.st_ino;
}

/* How far the clock of this process's namespace of time is ahead of the machine's: anybody may begin a namespace in
 * which the machine has been running for years. The kernel tells the offsets of the namespace of the next children, so
 * nobody can say while that is another one, or becomes another one meanwhile. Returns 0 then. Kernels before 5.6 have
 * no such namespaces, but others: /proc/self has none after the end of the process's first thread. */
static inline int keyboard_read_clock_offset(struct timespec *offset) {
  struct stat any;
  char text[256], *line;
  *offset = (struct timespec){0, 0};
  if (stat("/proc/self/ns/time", &any) != 0 && errno == ENOENT) return stat("/proc/self/ns/mnt", &any) == 0;
  if (!keyboard_stays_in_namespace_of_time()) return 0;
  int have = keyboard_read_text("/proc/self/timens_offsets", text, sizeof text - 1);
  if (have <= 0 || !keyboard_stays_in_namespace_of_time()) return 0;
  text[have] = 0;
  if ((line = strstr(text, "boottime ")) == NULL) return 0;
  offset->tv_sec = (time_t)strtoll(line + 9, &line, 10);
  offset->tv_nsec = (long)strtoll(line, &line, 10);
  return *line == '\n' && offset->tv_nsec >= 0 && offset->tv_nsec < 1000000000;
}

static inline keyboard_moment keyboard_now(void) {
  struct timespec time, offset;
  keyboard_moment now = {0, 0, {0, 0}};
  if (clock_gettime(CLOCK_REALTIME, &time) == 0) now.wall = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
  int is_known = clock_gettime(CLOCK_BOOTTIME, &time) == 0 && keyboard_read_clock_offset(&offset);
  if (is_known && keyboard_read_boot(now.boot)) {
    int64_t seconds = (int64_t)time.tv_sec - offset.tv_sec, rest = time.tv_nsec - offset.tv_nsec;
    now.running = seconds * 1000 + (rest < 0 ? rest + 1000000000 : rest) / 1000000 - (rest < 0 ? 1000 : 0);
  } else {
    now.boot[0] = now.boot[1] = 0;
  }
  return now;
}

/* Milliseconds of a clock that is never set. */
static inline int64_t keyboard_steady_clock(void) {
  struct timespec now;
  return clock_gettime(CLOCK_MONOTONIC, &now) == 0 ? (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 : 0;
}

/* Milliseconds since the machine was started, with the time that it slept. */
static inline int64_t keyboard_running_clock(void) {
  struct timespec now;
  return clock_gettime(CLOCK_BOOTTIME, &now) == 0 ? (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 : 0;
}

/* For less than a second. */
static inline void keyboard_sleep(int microseconds) {
  struct timespec time = {0, (long)microseconds * 1000};
  syscall(SYS_nanosleep, &time, NULL);
}

static inline int64_t keyboard_process(void) { return (int64_t)getpid(); }

#endif
