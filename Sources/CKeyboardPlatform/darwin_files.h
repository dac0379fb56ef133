/*
 * Files and clocks of iPhones: part of files.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_DARWIN_FILES_H
#define CUSTOM_KEYBOARD_DARWIN_FILES_H

/* Looks at what a path names, or with an empty path at the open file `folder`. */
static inline int keyboard_look(int folder, const char *path, keyboard_file *file) {
  struct stat seen;
  if ((path[0] == 0 ? fstat(folder, &seen) : fstatat(folder, path, &seen, AT_SYMLINK_NOFOLLOW)) != 0) return -1;
  *file = (keyboard_file){{(uint64_t)(uint32_t)seen.st_dev, (uint64_t)seen.st_ino},
                          seen.st_mode, seen.st_uid, (uint64_t)seen.st_nlink, (uint64_t)seen.st_size};
  return 0;
}

/* fsync leaves bytes in the disk's own memory. Not every file system knows the other call. */
static inline int keyboard_flush(int file) { return fcntl(file, F_FULLFSYNC) != -1 ? 0 : fsync(file); }

/* Milliseconds since the device was started, with the time that it slept. */
static inline int64_t keyboard_running_clock(void) {
  struct timespec now;
  return clock_gettime(CLOCK_MONOTONIC_RAW, &now) == 0 ? (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 : 0;
}

/* A number of this start would mark the device, and a sandbox may refuse it. All starts have the same one instead, so
 * only the running clock measures a lock. Whoever sets the wall clock shortens none. After a restart, that clock has
 * counted no more than has passed since: a lock ends later than it would have, never earlier, and begins again where
 * the clock shows less than when it began. */
static inline keyboard_moment keyboard_now(void) {
  struct timespec time;
  keyboard_moment now = {0, keyboard_running_clock(), {1, 0}};
  if (clock_gettime(CLOCK_REALTIME, &time) == 0) now.wall = (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
  return now;
}

/* For less than a second. No cancellation point, unlike nanosleep. */
static inline void keyboard_sleep(int microseconds) {
  thread_switch(MACH_PORT_NULL, SWITCH_OPTION_WAIT, (unsigned)(microseconds + 999) / 1000);
}

#endif
