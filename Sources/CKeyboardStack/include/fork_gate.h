/*
 * RSA's numbers are on mbedTLS's heap, which a fork copies. So fork() waits until no call has any there, some
 * milliseconds at most, and calls that begin meanwhile wait for the fork. _Fork() and the bare system call do not wait.
 *
 * A thread never waits for itself: no signal handler runs inside the gate, because signals are held back there.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_FORK_GATE_H
#define CUSTOM_KEYBOARD_FORK_GATE_H

#if defined(__wasm__)
static inline int keyboard_hold_forks(void) { return 1; }
static inline void keyboard_let_forks(void) {}
#else
/* Returns 0 if there is no memory. */
__attribute__((visibility("hidden"))) int keyboard_hold_forks(void);
__attribute__((visibility("hidden"))) void keyboard_let_forks(void);
#endif

#endif
