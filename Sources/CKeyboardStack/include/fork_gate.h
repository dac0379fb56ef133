/*
 * During a call, RSA's numbers are on mbedTLS's heap, which a fork copies. So fork() waits until no such call runs, for
 * some milliseconds at most. A call that begins meanwhile waits for the fork. _Fork() and the bare system call do not
 * wait.
 *
 * A thread never waits for itself: no signal handler runs inside the gate, because signals are held back there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_FORK_GATE_H
#define CUSTOM_KEYBOARD_FORK_GATE_H

#include <stdint.h>

#if defined(__wasm__)
static inline int keyboard_hold_forks(uint64_t *signals) { return *signals = 0, 1; }
static inline void keyboard_let_forks(uint64_t signals) { (void)signals; }
#else
/* Holds back forks and signals: a handler that forked would wait for the call that it interrupts. Gives the signals
 * that were held back before. Returns 0, with nothing held back, if there is no memory. */
__attribute__((visibility("hidden"))) int keyboard_hold_forks(uint64_t *signals);
__attribute__((visibility("hidden"))) void keyboard_let_forks(uint64_t signals);
#endif

#endif
