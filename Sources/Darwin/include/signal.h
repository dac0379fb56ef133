/*
 * Masks of signals: bit 0 is signal 1.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t sigset_t;

#define SIG_BLOCK 1
#define SIG_SETMASK 3
#define SIGILL 4
#define SIGTRAP 5
#define SIGFPE 8
#define SIGBUS 10
#define SIGSEGV 11
#define SIGSYS 12

int pthread_sigmask(int how, const sigset_t *set, sigset_t *before);

#ifdef __cplusplus
}
#endif
