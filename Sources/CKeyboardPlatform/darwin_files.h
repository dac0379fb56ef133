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

/* A number for each start of the device would mark the device, and a sandbox may refuse to tell it. So every start has
 * the same number, and a lock is measured with the running clock alone: setting the wall clock does not shorten it.
 * After a restart the running clock begins at 0. A lock can then end later than it should. It cannot end earlier. */
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
