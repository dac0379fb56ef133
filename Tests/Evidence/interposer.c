/*
 * A library for LD_PRELOAD. It replaces the functions through which the system can refuse something. Each fails when
 * the program's plan says so (interposer.h), and otherwise works as usual. Outside the calls under test the plan is not
 * armed: nothing is counted and nothing fails.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "interposer.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

struct fault_plan fault_plan = {.kind = FAULT_NONE};

/* glibc's own names, so that no symbol must be looked up while memory is being allocated. */
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);

/* Whether this call must fail. */
static int fails(enum fault_kind kind) {
  if (!atomic_load(&fault_plan.armed)) return 0;
  unsigned long call = atomic_fetch_add(&fault_plan.calls[kind], 1) + 1;
  if (fault_plan.kind != kind || call < fault_plan.first || call > fault_plan.last) return 0;
  atomic_fetch_add(&fault_plan.failed, 1);
  return 1;
}

static int refuse(void) {
  if (fault_plan.error == 0) return 0;
  errno = fault_plan.error;
  return -1;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (fails(FAULT_MMAP)) return refuse(), MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}

int mprotect(void *address, size_t size, int protection) {
  if (fails(FAULT_MPROTECT)) return refuse();
  return (int)syscall(SYS_mprotect, address, size, protection);
}

int munmap(void *address, size_t size) {
  if (fails(FAULT_MUNMAP)) return refuse();
  return (int)syscall(SYS_munmap, address, size);
}

int mlock(const void *address, size_t size) {
  if (fails(FAULT_MLOCK)) return refuse();
  return (int)syscall(SYS_mlock, address, size);
}

int madvise(void *address, size_t size, int advice) {
  if (fails(FAULT_MADVISE)) return refuse();
  return (int)syscall(SYS_madvise, address, size, advice);
}

void *malloc(size_t size) { return fails(FAULT_MALLOC) ? refuse(), NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(FAULT_MALLOC) ? refuse(), NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails(FAULT_MALLOC) ? refuse(), NULL : __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) {
  return fails(FAULT_MALLOC) ? refuse(), NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void **block, size_t alignment, size_t size) {
  if (fails(FAULT_MALLOC)) return fault_plan.error;
  return (*block = __libc_memalign(alignment, size)) ? 0 : ENOMEM;
}

/* ---- Randomness -------------------------------------------------------------------------------------------------- */

ssize_t getrandom(void *buffer, size_t size, unsigned flags) {
  if (fails(size == 0 ? FAULT_GETRANDOM_NOTHING : FAULT_GETRANDOM)) {
    if (fault_plan.error != ONE_BYTE) return refuse();
    size = 1;
  }
  return (ssize_t)syscall(SYS_getrandom, buffer, size, flags);
}

/* ---- Locks ------------------------------------------------------------------------------------------------------- */

static int (*real_lock)(pthread_mutex_t *), (*real_unlock)(pthread_mutex_t *);
static __thread pthread_mutex_t *never_locked;

__attribute__((constructor)) static void find(void) {
  *(void **)&real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
  *(void **)&real_unlock = dlsym(RTLD_NEXT, "pthread_mutex_unlock");
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
  if (fails(FAULT_MUTEX_LOCK)) return never_locked = mutex, fault_plan.error;
  if (!real_lock) find();
  return real_lock(mutex);
}

/* A mutex that was not locked is not unlocked either, because that is undefined. */
int pthread_mutex_unlock(pthread_mutex_t *mutex) {
  if (never_locked == mutex) return never_locked = NULL, EPERM;
  if (!real_unlock) find();
  return real_unlock(mutex);
}
