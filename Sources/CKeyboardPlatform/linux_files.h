/*
 * Files and clocks of Linux: part of files.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_LINUX_FILES_H
#define CUSTOM_KEYBOARD_LINUX_FILES_H

#include <linux/stat.h>
#include <sys/syscall.h>

#ifndef AT_EMPTY_PATH
#define AT_EMPTY_PATH 0x1000 /* of Linux; glibc shows it only with _GNU_SOURCE */
#endif

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

/* Returns when a file's bytes are on the disk: 0, or -1. */
static inline int keyboard_flush(int file) { return fsync(file); }

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

/* Reads the random number that the kernel gives this start: 32 hexadecimal digits and four dashes. Returns 0 if that
 * fails. */
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

/* Without the number of this start, or the offset of this process's namespace of time, `boot` is 0. */
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

#endif
