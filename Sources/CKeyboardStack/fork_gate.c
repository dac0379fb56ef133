/* SPDX-License-Identifier: Apache-2.0 */
#include "../CKeyboardPlatform/platform.h"
#include "fork_gate.h"

#if !defined(__wasm__)
#include <stdatomic.h>

static atomic_int inside; /* calls with secrets on the heap */
static atomic_int forks;  /* forks that wait for those calls, or run now */
static atomic_int is_registered;

static void wait_a_little(void) {
  const struct timespec moment = {0, 50000};
  syscall(SYS_nanosleep, &moment, NULL);
}

static void before_fork(void) {
  atomic_fetch_add(&forks, 1);
  while (atomic_load(&inside) > 0) wait_a_little();
}
static void in_parent(void) { atomic_fetch_sub(&forks, 1); }
/* The counts may include threads of the parent, which do not exist in the child. */
static void in_child(void) {
  atomic_store(&inside, 0);
  atomic_store(&forks, 0);
}

/* pthread_atfork needs symbols of the start files, and the library is linked without them. The handle tells glibc which
 * module the handlers belong to, so that it removes them when that module, a plug-in for example, is unloaded. The
 * library itself is never unloaded, and has no handle. */
#if defined(__GLIBC__)
int __register_atfork(void (*)(void), void (*)(void), void (*)(void), void *);
extern void *__dso_handle __attribute__((weak, visibility("hidden")));
#define register_handlers(before, parent, child) __register_atfork(before, parent, child, &__dso_handle)
#else
#define register_handlers(before, parent, child) pthread_atfork(before, parent, child)
#endif

/* When the library is loaded: a fork that is under way does not run handlers that are added meanwhile. */
__attribute__((constructor)) static void register_gate(void) {
  atomic_store(&is_registered, register_handlers(before_fork, in_parent, in_child) == 0);
}

int keyboard_hold_forks(uint64_t *signals) {
  *signals = keyboard_hold_signals_and_faults();
  if (!atomic_load(&is_registered)) { /* there was no memory */
    keyboard_let_signals(*signals);
    return 0;
  }
  for (;;) {
    while (atomic_load(&forks) > 0) wait_a_little();
    atomic_fetch_add(&inside, 1);
    if (atomic_load(&forks) == 0) return 1;
    atomic_fetch_sub(&inside, 1);
  }
}

void keyboard_let_forks(uint64_t signals) {
  atomic_fetch_sub(&inside, 1);
  keyboard_let_signals(signals);
}

#endif
