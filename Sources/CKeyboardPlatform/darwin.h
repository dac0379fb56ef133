/*
 * iPhones and iPads, and their simulator. Everything that is called is in libSystem and in a public header of iOS 15,
 * so that nobody who reviews an app finds a private function. Sources/Darwin/include declares it. Nothing here ever ran
 * on Apple's kernel: `make check-ios` runs it on Linux's, under emulation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_DARWIN_H
#define CUSTOM_KEYBOARD_DARWIN_H

#ifndef __STDC_WANT_LIB_EXT1__
#define __STDC_WANT_LIB_EXT1__ 1 /* memset_s */
#endif
#include <errno.h>
#include <mach/mach_traps.h>
#include <mach/thread_switch.h>
#include <mach/vm_inherit.h>
#include <os/lock.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysctl.h>
#include <unistd.h>
#include <CommonCrypto/CommonRandom.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------ */

/* An app has a keyboard or two, and a page has 16 KB. */
enum { KEYBOARD_SLOTS_IN_REGION = 8, KEYBOARD_REGIONS = 8192 };
enum { KEYBOARD_PASSWORD_WORKSPACES = 4, KEYBOARD_SEALED_TEXT_WORKSPACES = 2, KEYBOARD_BATCH_WORKSPACES = 1 };
enum { KEYBOARD_SECRET_STACKS = 4, KEYBOARD_SECRET_STACK_SIZE = 49152, KEYBOARD_SECRET_STACK_GUARD = 65536 };

static inline size_t keyboard_page_size(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* No buffer reaches past this address. */
static inline uintptr_t keyboard_memory_end(void) { return UINTPTR_MAX; }

static inline void *keyboard_map(size_t size) {
  void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}
static inline void *keyboard_reserve(size_t size) {
  void *pages = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANON, -1, 0);
  return pages == MAP_FAILED ? NULL : pages;
}
static inline int keyboard_commit(void *pages, size_t size) {
  return mprotect(pages, size, PROT_READ | PROT_WRITE) == 0;
}
static inline void keyboard_use_large_pages(void *pages, size_t size) { (void)pages, (void)size; }
static inline void keyboard_unmap(void *pages, size_t size) { munmap(pages, size); }

/* The child of a fork would not have these pages, and would end where it reads one. An app cannot fork. */
static inline int keyboard_keep_private(void *pages, size_t size) {
  return minherit(pages, size, VM_INHERIT_NONE) == 0;
}

/* Keeps pages from being compressed or swapped, as far as the limit on locked memory allows. */
static inline void keyboard_lock_pages(void *pages, size_t size) {
  int error = errno;
  mlock(pages, size);
  errno = error;
}
static inline int keyboard_make_secret(void *pages, size_t size) {
  keyboard_lock_pages(pages, size);
  return keyboard_keep_private(pages, size);
}
static inline void keyboard_lock_touched_pages(void *pages, size_t size) { keyboard_lock_pages(pages, size); }

/* Zeroes memory even if nobody reads it again. */
static inline void keyboard_wipe(void *memory, size_t size) { memset_s(memory, size, 0, size); }

/* ---- Instructions that take the same time for all data ----------------------------------------------------------- */

/* PSTATE.DIT, bit 24 of a register, makes the processor's multiplications and others take the same time for all data,
 * where the processor has it (A13 and later). A thread that had it off gets it back off. */
enum { KEYBOARD_DIT = 1 << 24 };
static inline int keyboard_has_dit(void) {
  static int known; /* 0: nobody has asked yet; 1: no; 2: yes */
  int seen = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (seen == 0) {
    int error = errno, is_there = 0;
    size_t size = sizeof is_there;
    int is_known = sysctlbyname("hw.optional.arm.FEAT_DIT", &is_there, &size, NULL, 0) == 0 && size == sizeof is_there;
    seen = is_known && is_there ? 2 : 1;
    __atomic_store_n(&known, seen, __ATOMIC_RELAXED);
    errno = error;
  }
  return seen == 2;
}

/* S3_3_C4_C2_5 is DIT, by a name that every assembler knows. Returns KEYBOARD_DIT if it was off and is on now. */
static inline int keyboard_set_dit(void) {
  uint64_t state;
  if (!keyboard_has_dit()) return 0;
  __asm__ volatile("mrs %0, S3_3_C4_C2_5" : "=r"(state));
  if (state & KEYBOARD_DIT) return 0;
  __asm__ volatile("msr S3_3_C4_C2_5, %0" ::"r"((uint64_t)KEYBOARD_DIT) : "memory");
  return KEYBOARD_DIT;
}
static inline void keyboard_give_back_dit(int was_set) {
  if (was_set & KEYBOARD_DIT) __asm__ volatile("msr S3_3_C4_C2_5, %0" ::"r"(UINT64_C(0)) : "memory");
}

/* ---- Cancellation ------------------------------------------------------------------------------------------------ */

/* Every call on secrets is between two of these functions, so they also set DIT. No signal is sent to a cancelled
 * thread, as far as Apple's open sources say. */
static inline int keyboard_defer_cancellation(void) {
  int type = PTHREAD_CANCEL_DEFERRED;
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
  return type | keyboard_set_dit();
}
static inline void keyboard_undo_deferring(int before) {
  int ignored, type = before & 0xff;
  keyboard_give_back_dit(before);
  if (type != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(type, &ignored);
}
static inline int keyboard_disable_cancellation(void) {
  int state = PTHREAD_CANCEL_ENABLE;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  return state << 8 | keyboard_defer_cancellation();
}
static inline void keyboard_restore_cancellation(int before) {
  int ignored;
  keyboard_undo_deferring(before);
  pthread_setcancelstate(before >> 8 & 0xff, &ignored);
}
static inline int keyboard_forbid_cancellation(void) { return keyboard_disable_cancellation(); }
static inline void keyboard_allow_cancellation(int before) { keyboard_restore_cancellation(before); }

/* ---- Signals ----------------------------------------------------------------------------------------------------- */

#define KEYBOARD_SIGNAL(number) (UINT32_C(1) << ((number)-1))
static inline uint64_t keyboard_hold_all_but(uint32_t signals) {
  const sigset_t held = ~(signals | KEYBOARD_SIGNAL(SIGSYS));
  sigset_t before = 0;
  pthread_sigmask(SIG_BLOCK, &held, &before);
  return before;
}
/* While memory of the caller's may be touched: a fault there is the caller's to handle. */
static inline uint64_t keyboard_hold_signals(void) {
  return keyboard_hold_all_but(KEYBOARD_SIGNAL(SIGILL) | KEYBOARD_SIGNAL(SIGTRAP) | KEYBOARD_SIGNAL(SIGBUS) |
                               KEYBOARD_SIGNAL(SIGFPE) | KEYBOARD_SIGNAL(SIGSEGV));
}
/* While only memory of our own is touched. */
static inline uint64_t keyboard_hold_signals_and_faults(void) { return keyboard_hold_all_but(0); }
#undef KEYBOARD_SIGNAL
static inline void keyboard_let_signals(uint64_t before) {
  const sigset_t set = (sigset_t)before;
  pthread_sigmask(SIG_SETMASK, &set, NULL);
}

/* ---- Threads ----------------------------------------------------------------------------------------------------- */

static inline uint64_t keyboard_thread(void) { return (uint64_t)(uintptr_t)pthread_self(); }

/* Waits for a millisecond. No cancellation point, unlike nanosleep. */
static inline void keyboard_pause(void) { thread_switch(MACH_PORT_NULL, SWITCH_OPTION_WAIT, 1); }

/* All zero, a lock is free. A condition counts how often it was signalled. */
typedef os_unfair_lock keyboard_lock_t;
typedef uint32_t keyboard_condition_t;

static inline void keyboard_lock(keyboard_lock_t *lock) { os_unfair_lock_lock(lock); }
static inline void keyboard_unlock(keyboard_lock_t *lock) { os_unfair_lock_unlock(lock); }
static inline int keyboard_lock_for_a_moment(keyboard_lock_t *lock) {
  for (int i = 0; i < 100; i++) {
    if (os_unfair_lock_trylock(lock)) return 1;
    keyboard_pause();
  }
  return 0;
}
/* May return early, after a tenth of a second. Waiting for an address is not in a public header of iOS 15. */
static inline void keyboard_wait(keyboard_condition_t *condition, keyboard_lock_t *lock) {
  uint32_t seen = __atomic_load_n(condition, __ATOMIC_RELAXED);
  keyboard_unlock(lock);
  for (int i = 0; i < 100 && __atomic_load_n(condition, __ATOMIC_RELAXED) == seen; i++) keyboard_pause();
  keyboard_lock(lock);
}
static inline void keyboard_wake_all(keyboard_condition_t *condition) {
  __atomic_fetch_add(condition, 1, __ATOMIC_RELAXED);
}

/* ---- Randomness -------------------------------------------------------------------------------------------------- */

/* Apps that call getentropy were refused. */
static inline int keyboard_random(void *memory, size_t size) {
  return CCRandomGenerateBytes(memory, size) == kCCSuccess;
}

/* ---- The environment --------------------------------------------------------------------------------------------- */

static inline const char *keyboard_environment(const char *name) { return issetugid() ? NULL : getenv(name); }

/* ---- Binding ----------------------------------------------------------------------------------------------------- */

/* Everything is bound before the first call: chained fixups have no lazy form. */
static inline void keyboard_bind_libc(void) {}

/* Differs between two copies of the library in a process. */
static inline uint64_t keyboard_own_address(void) {
  static const char own = 0;
  return (uint64_t)(uintptr_t)&own;
}

#endif
