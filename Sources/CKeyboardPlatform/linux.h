/*
 * Linux, with glibc or musl.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_LINUX_H
#define CUSTOM_KEYBOARD_LINUX_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* Slots for keyboards in a region, and how many regions there can be. */
enum { KEYBOARD_SLOTS_IN_REGION = 128, KEYBOARD_REGIONS = 65536 };

/* How many threads find memory for a computation at once without mapping some. */
enum { KEYBOARD_PASSWORD_WORKSPACES = 64, KEYBOARD_SEALED_TEXT_WORKSPACES = 16, KEYBOARD_BATCH_WORKSPACES = 16 };

/* How many threads find a stack for secrets at once. A call uses 10 KB of one; the rest is for handlers of libc's own
 * signals, and of SIGSYS, which do not wait. */
enum { KEYBOARD_SECRET_STACKS = 16, KEYBOARD_SECRET_STACK_SIZE = 49152, KEYBOARD_SECRET_STACK_GUARD = 65536 };

static inline size_t keyboard_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* No buffer reaches past this address. */
static inline uintptr_t keyboard_memory_end(void) { return UINTPTR_MAX; }

/* Zeroed pages that may be read and written. NULL when there is no memory. */
static inline void *keyboard_map(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* Addresses that nobody may touch. NULL when there are none. */
static inline void *keyboard_reserve(size_t size) {
  void *pages = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}

/* Makes reserved pages readable and writable. Returns 0 when there is no memory. */
static inline int keyboard_commit(void *pages, size_t size) { return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0; }

/* Asks for pages of 2 MiB where they fit, before the first use. Argon2id over 19 MiB then takes 16 ms instead of 24. */
static inline void keyboard_use_large_pages(void *pages, size_t size) { madvise(pages, size, MADV_HUGEPAGE); }

static inline void keyboard_unmap(void *pages, size_t size) { munmap(pages, size); }

/* Keeps pages out of core dumps, as far as the system allows, and asks for them to be empty in the child of a fork.
 * Returns 1 if they will be (Linux 4.14 and later). */
static inline int keyboard_keep_private(void *pages, size_t size) {
  madvise(pages, size, MADV_DONTDUMP);
  return madvise(pages, size, MADV_WIPEONFORK) == 0;
}

/* Keeps pages out of swap, as far as the limit on locked memory allows. The child of a fork inherits no lock. */
static inline void keyboard_lock_pages(void *pages, size_t size) {
  int error = errno;
  mlock(pages, size);
  errno = error;
}

/* Both. */
static inline int keyboard_make_secret(void *pages, size_t size) {
  keyboard_lock_pages(pages, size);
  return keyboard_keep_private(pages, size);
}

/* The same as keyboard_lock_pages for a mapping of its own, but pages that are never touched take no memory (Linux 4.4
 * and later). Within a mapping it would make the kernel split it. */
static inline void keyboard_lock_touched_pages(void *pages, size_t size) {
  int error = errno;
  if (syscall(SYS_mlock2, pages, size, 1 /* MLOCK_ONFAULT */) != 0) mlock(pages, size);
  errno = error;
}

/* Zeroes memory even if nobody reads it again. */
static inline void keyboard_wipe(void *memory, size_t size) { explicit_bzero(memory, size); }

/* ---- Cancellation ------------------------------------------------------------------------------------------------ */

/* A cancelled thread unwinds its stack without running Swift's `defer`: a lock would stay locked, and a secret would
 * stay in memory. A thread of the asynchronous type can be cancelled anywhere, and every thread at a cancellation
 * point.
 *
 * pthread_cancel sends a signal to an asynchronous thread. It may have decided to before cancellation was disabled, and
 * glibc's handler (2.36) looks only at the type, which cancellation points change. So the signal is blocked, too.
 * libc's own functions refuse to block it.
 *
 * While the signal is blocked, no cancellation point may be called: if pthread_cancel has marked the thread, glibc
 * (2.36) waits there for the signal, for ever. */
#if defined(__GLIBC__)
enum { KEYBOARD_CANCEL_SIGNAL = 32 };
#else
enum { KEYBOARD_CANCEL_SIGNAL = 33 };
#endif
static inline void keyboard_mask_cancellation(int how) {
  uint64_t signals = UINT64_C(1) << (KEYBOARD_CANCEL_SIGNAL - 1);
  syscall(SYS_rt_sigprocmask, how, &signals, NULL, sizeof signals);
}
static inline int keyboard_is_cancellation_masked(void) {
  uint64_t signals = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &signals, sizeof signals);
  return signals >> (KEYBOARD_CANCEL_SIGNAL - 1) & 1;
}

/* For code that has no cancellation point: a thread of the deferred type is not cancelled there. Returns the type. */
static inline int keyboard_defer_cancellation(void) {
  int type = PTHREAD_CANCEL_DEFERRED;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  if (type != PTHREAD_CANCEL_DEFERRED) keyboard_mask_cancellation(SIG_BLOCK);
  return type;
}
static inline void keyboard_undo_deferring(int type) {
  int ignored;
  if (type == PTHREAD_CANCEL_DEFERRED) return;
  keyboard_mask_cancellation(SIG_UNBLOCK);
  pthread_setcanceltype(type, &ignored);
}

/* For all code, callbacks too. Returns what keyboard_restore_cancellation takes. */
static inline int keyboard_disable_cancellation(void) {
  int state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  return state | keyboard_defer_cancellation() << 8;
}
static inline void keyboard_restore_cancellation(int before) {
  int ignored;
  pthread_setcancelstate(before & 0xff, &ignored);
  keyboard_undo_deferring(before >> 8);
}

/* For code that calls cancellation points, as SQLite does. The signal may not be blocked there. Instead, one that is on
 * its way to an asynchronous thread is awaited: libc does so at the end of a cancellation point, here a call that reads
 * nothing. A later pthread_cancel sends none, because cancellation is disabled. Returns what
 * keyboard_allow_cancellation takes. */
static inline int keyboard_forbid_cancellation(void) {
  int state = PTHREAD_CANCEL_ENABLE, type = PTHREAD_CANCEL_DEFERRED, error = errno;
  ssize_t nothing = 0;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state), pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  if (type != PTHREAD_CANCEL_DEFERRED && !keyboard_is_cancellation_masked()) nothing = read(-1, NULL, 0);
  (void)nothing;
  errno = error;
  return state | type << 8;
}
static inline void keyboard_allow_cancellation(int before) {
  int ignored;
  pthread_setcancelstate(before & 0xff, &ignored);
  pthread_setcanceltype(before >> 8, &ignored);
}

/* ---- Signals ----------------------------------------------------------------------------------------------------- */

/* Holds back the signals that other threads, processes and timers send. libc's own are not held back, from 32 to below
 * SIGRTMIN, because libc waits for their handlers. (SIGRTMIN itself is a function, which may not be bound yet.) Returns
 * what was held back before.
 *
 * The signals of faults (SIGILL, SIGTRAP, SIGBUS, SIGFPE, SIGSEGV) wait, if they are sent. But an instruction that
 * faults meanwhile ends the process, whatever its handler would do. So they are held back where only memory of our own
 * is touched, and not where the caller's is. SIGSYS never is: in a sandbox its handler may answer a system call. */
#if defined(__GLIBC__)
enum { KEYBOARD_FIRST_FREE_SIGNAL = 34 };
#else
enum { KEYBOARD_FIRST_FREE_SIGNAL = 35 };
#endif
#define KEYBOARD_SIGNAL(number) (UINT64_C(1) << ((number)-1))
static inline uint64_t keyboard_hold_all_but(uint64_t signals) {
  const uint64_t held = ~(signals | KEYBOARD_SIGNAL(SIGSYS) |
                          (KEYBOARD_SIGNAL(KEYBOARD_FIRST_FREE_SIGNAL) - KEYBOARD_SIGNAL(32)));
  uint64_t before = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &held, &before, sizeof before);
  return before;
}
/* While memory of the caller's may be touched. */
static inline uint64_t keyboard_hold_signals(void) {
  return keyboard_hold_all_but(KEYBOARD_SIGNAL(SIGILL) | KEYBOARD_SIGNAL(SIGTRAP) | KEYBOARD_SIGNAL(SIGBUS) |
                               KEYBOARD_SIGNAL(SIGFPE) | KEYBOARD_SIGNAL(SIGSEGV));
}
/* While only memory of our own is touched. */
static inline uint64_t keyboard_hold_signals_and_faults(void) { return keyboard_hold_all_but(0); }
#undef KEYBOARD_SIGNAL
static inline void keyboard_let_signals(uint64_t before) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

/* A number that differs from thread to thread. */
static inline uint64_t keyboard_thread(void) { return (uint64_t)(uintptr_t)pthread_self(); }

/* All zero, a lock is free and a condition has no waiters: memory that a fork has emptied needs no repair. */
typedef pthread_mutex_t keyboard_lock_t;
typedef pthread_cond_t keyboard_condition_t;

static inline void keyboard_lock(keyboard_lock_t *lock) { pthread_mutex_lock(lock); }
static inline void keyboard_unlock(keyboard_lock_t *lock) { pthread_mutex_unlock(lock); }
/* Waits for a tenth of a second at most, and returns whether the caller has the lock. In the child of a fork, the
 * thread that had it does not exist. */
static inline int keyboard_lock_for_a_moment(keyboard_lock_t *lock) {
  if (pthread_mutex_trylock(lock) == 0) return 1;
  struct timespec until;
  syscall(SYS_clock_gettime, CLOCK_REALTIME, &until);
  until.tv_nsec += 100000000;
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  return pthread_mutex_timedlock(lock, &until) == 0;
}
/* May return early. pthread_cond_wait is a cancellation point. */
static inline void keyboard_wait(keyboard_condition_t *condition, keyboard_lock_t *lock) {
  const struct timespec moment = {0, 1000000};
  if (!keyboard_is_cancellation_masked()) {
    pthread_cond_wait(condition, lock);
    return;
  }
  keyboard_unlock(lock);
  syscall(SYS_nanosleep, &moment, NULL);
  keyboard_lock(lock);
}
static inline void keyboard_wake_all(keyboard_condition_t *condition) { pthread_cond_broadcast(condition); }

/* ---- Randomness -------------------------------------------------------------------------------------------------- */

/* Fills memory from the system's generator. Returns 0 if it has nothing to give. libc's getrandom is a cancellation
 * point, so the kernel is called directly where none may be called. */
static inline int keyboard_random(void *memory, size_t size) {
  uint8_t *place = (uint8_t *)memory;
  int is_masked = keyboard_is_cancellation_masked();
  while (size > 0) {
    int state = PTHREAD_CANCEL_ENABLE;
    if (!is_masked) pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    ssize_t count = is_masked ? syscall(SYS_getrandom, place, size, 0) : getrandom(place, size, 0);
    if (!is_masked) pthread_setcancelstate(state, &state);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return 0;
    place += count;
    size -= (size_t)count;
  }
  return 1;
}

/* ---- The environment --------------------------------------------------------------------------------------------- */

/* NULL in a setuid program. */
char *secure_getenv(const char *name);
static inline const char *keyboard_environment(const char *name) { return secure_getenv(name); }

/* ---- Lazy binding ------------------------------------------------------------------------------------------------ */

/* Calls every function of libc that the library calls while registers hold secrets. In a program that binds lazily, the
 * dynamic linker saves all registers to the stack at the first call of each function, too deep to be wiped later. */
__attribute__((noinline)) static void keyboard_bind_libc(void) {
  /* All volatile, or a compiler that sees how little is moved makes memmove a memcpy, and memset nothing. */
  volatile size_t length = 1;
  char memory[2] = {0};
  char *volatile from = memory, *volatile to = memory + 1;
  int error = errno;
  void *volatile block = malloc(length);
  free(block);
  memcpy(to, from, length);
  memmove(to, from, length);
  memset(to, 0, length);
  keyboard_wipe(to, length);
  if (!keyboard_is_cancellation_masked()) { /* getrandom is a cancellation point: see keyboard_random */
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    if (getrandom(to, 0, GRND_NONBLOCK) != 0) *to = 0;
    pthread_setcancelstate(before, &before);
  }
  size_t page = keyboard_page_size();
  void *reserved = keyboard_reserve(page);
  if (reserved != NULL && keyboard_commit(reserved, page)) keyboard_make_secret(reserved, page);
  if (reserved != NULL) keyboard_unmap(reserved, page);
  keyboard_lock_t lock = PTHREAD_MUTEX_INITIALIZER;
  keyboard_lock(&lock);
  keyboard_unlock(&lock);
  keyboard_restore_cancellation(keyboard_disable_cancellation());
  *to = (char)keyboard_thread();
  uint64_t no_signals = 0;
  syscall(SYS_rt_sigprocmask, SIG_BLOCK, &no_signals, NULL, sizeof no_signals);
  errno = error;
}

/* Differs from one copy of the library in a process to another. */
static inline uint64_t keyboard_own_address(void) {
  static const char own = 0;
  return (uint64_t)(uintptr_t)&own;
}

#endif
