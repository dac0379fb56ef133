/*
 * A library for LD_PRELOAD: kills the program at one of the calls by which it changes files. KILL_AT is the number of
 * that call, from 1. With KILL_HALF=1, a part of what the call writes is written before. If KILL_AT is larger than the
 * number of calls, nothing happens.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_long calls;

static long number(const char *name) {
  const char *value = getenv(name);
  return value == NULL ? 0 : atol(value);
}

static int is_the_one(void) { return atomic_fetch_add(&calls, 1) + 1 == number("KILL_AT"); }

static void die(void) { kill(getpid(), SIGKILL); }

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (descriptor > 2 && is_the_one()) {
    if (number("KILL_HALF")) syscall(SYS_write, descriptor, bytes, count / 2);
    die();
  }
  return syscall(SYS_write, descriptor, bytes, count);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t offset) {
  if (is_the_one()) {
    if (number("KILL_HALF")) syscall(SYS_pwrite64, descriptor, bytes, count / 8, offset);
    die();
  }
  return syscall(SYS_pwrite64, descriptor, bytes, count, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t offset) {
  return pwrite(descriptor, bytes, count, offset);
}

int fsync(int descriptor) {
  if (is_the_one()) die();
  return syscall(SYS_fsync, descriptor);
}

int ftruncate(int descriptor, off_t length) {
  if (is_the_one()) die();
  return syscall(SYS_ftruncate, descriptor, length);
}

int ftruncate64(int descriptor, off_t length) { return ftruncate(descriptor, length); }

int link(const char *from, const char *to) {
  if (is_the_one()) die();
  return syscall(SYS_linkat, -100, from, -100, to, 0);
}

int unlink(const char *path) {
  if (is_the_one()) die();
  return syscall(SYS_unlinkat, -100, path, 0);
}
