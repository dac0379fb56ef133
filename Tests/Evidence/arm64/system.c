/*
 * Replaces what the C tests need from Linux and qemu-user does not do. Linked into a test, these functions take the
 * place of the C library's, for the test and for the library. (qemu 7.2; an arm64 machine needs none of this.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Programs that start themselves again: EMULATOR has the emulator's name -------------------------------------- */

int execl(const char *path, const char *name, ...) {
  enum { MOST = 8 };
  char program[4096];
  const char *words[MOST + 5];
  int count = 0;
  va_list rest;
  ssize_t length = readlink(path, program, sizeof program - 1);
  if (length < 0) length = snprintf(program, sizeof program, "%s", path); /* no link: it is the program */
  if (length >= (ssize_t)sizeof program) return -1;
  program[length] = 0;
  words[count++] = getenv("EMULATOR");
  words[count++] = "-0";
  words[count++] = name;
  words[count++] = program;
  va_start(rest, name);
  while (count < MOST + 4 && (words[count] = va_arg(rest, const char *))) count++;
  va_end(rest);
  words[count] = NULL;
  return execv(words[0], (char *const *)words);
}

/* ---- Memory that a fork empties: qemu says that it is emptied, but does not do it -------------------------------- */

enum { MOST_RANGES = 1 << 14 };
static struct range {
  _Atomic(unsigned char *) start; /* NULL where nothing is, TAKEN while it is written */
  size_t length;
} ranges[MOST_RANGES];
static atomic_int range_count; /* none is behind them */
#define TAKEN ((unsigned char *)1)

static void remember(unsigned char *start, size_t length) {
  for (int i = 0; i < MOST_RANGES; i++) {
    unsigned char *none = NULL;
    if (!atomic_compare_exchange_strong(&ranges[i].start, &none, TAKEN)) continue;
    ranges[i].length = length;
    atomic_store(&ranges[i].start, start);
    int count = atomic_load(&range_count);
    while (count <= i && !atomic_compare_exchange_weak(&range_count, &count, i + 1)) continue;
    return;
  }
  fputs("system.c: more than 16384 ranges\n", stderr);
  abort();
}

int madvise(void *address, size_t length, int advice) {
  if (advice == MADV_WIPEONFORK) remember(address, length);
  return (int)syscall(SYS_madvise, address, length, advice);
}

static void empty(void) {
  for (int i = 0; i < atomic_load(&range_count); i++) {
    unsigned char *start = atomic_load(&ranges[i].start);
    if (start && start != TAKEN) memset(start, 0, ranges[i].length);
  }
}

/* fork.c counts who asks for such handlers, and this is not the library: its own function is passed by. */
__attribute__((constructor)) static void empty_after_fork(void) {
  int (*ask)(void (*)(void), void (*)(void), void (*)(void), void *);
  *(void **)&ask = dlsym(RTLD_NEXT, "__register_atfork");
  if (!ask || ask(NULL, NULL, empty, NULL) != 0) abort();
}

/* ---- /proc/self/smaps: qemu's says of no memory that a fork empties it ------------------------------------------- */

static int open_ranges(void) {
  char line[128];
  int file = (int)syscall(SYS_memfd_create, "smaps", 0);
  for (int i = 0; file >= 0 && i < atomic_load(&range_count); i++) {
    unsigned char *start = atomic_load(&ranges[i].start);
    if (!start || start == TAKEN) continue;
    int size = snprintf(line, sizeof line, "%lx-%lx rw-p 00000000 00:00 0\nVmFlags: rd wr wf \n", (unsigned long)start,
                        (unsigned long)(start + ranges[i].length));
    if (write(file, line, (size_t)size) != size) abort();
  }
  if (file >= 0) lseek(file, 0, SEEK_SET);
  return file;
}

/* Weak: a test may have an `open` of its own. */
__attribute__((weak)) int open(const char *path, int flags, ...) {
  va_list rest;
  if (strcmp(path, "/proc/self/smaps") == 0) return open_ranges();
  va_start(rest, flags);
  int mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, int) : 0;
  va_end(rest);
  return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

/* ---- RLIMIT_AS: qemu does not enforce it ------------------------------------------------------------------------- */

static atomic_size_t mapped = 4 << 20 /* roughly the program and its libraries */, most = SIZE_MAX;

void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
  if (atomic_fetch_add(&mapped, length) + length > atomic_load(&most)) {
    atomic_fetch_sub(&mapped, length);
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return (void *)syscall(SYS_mmap, address, length, protection, flags, file, offset);
}

int munmap(void *address, size_t length) {
  unsigned char *start = address;
  for (int i = 0; i < atomic_load(&range_count); i++) {
    unsigned char *range = atomic_load(&ranges[i].start);
    if (range >= start && range < start + length) atomic_store(&ranges[i].start, NULL);
  }
  int result = (int)syscall(SYS_munmap, address, length);
  if (result == 0) atomic_fetch_sub(&mapped, length);
  return result;
}

int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit) {
  if (resource == RLIMIT_AS) atomic_store(&most, limit->rlim_cur == RLIM_INFINITY ? SIZE_MAX : limit->rlim_cur);
  return (int)syscall(SYS_prlimit64, 0, resource, limit, NULL);
}

/* ---- Seccomp: there is one filter in the tests, and it denies getrandom ------------------------------------------ */

static atomic_int denied;

int prctl(int option, ...) {
  va_list rest;
  unsigned long words[4];
  va_start(rest, option);
  for (int i = 0; i < 4; i++) words[i] = va_arg(rest, unsigned long);
  va_end(rest);
  if (option != PR_SET_SECCOMP) return (int)syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]);
  atomic_store(&denied, 1);
  return 0;
}

ssize_t getrandom(void *buffer, size_t length, unsigned flags) {
  if (!atomic_load(&denied)) return syscall(SYS_getrandom, buffer, length, flags);
  errno = ENOSYS;
  return -1;
}
