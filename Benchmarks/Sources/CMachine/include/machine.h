/*
 * What Swift has no functions for: the processor's own clock, its caches, on which processor a thread runs, and whether
 * the kernel interrupted it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCHMARKS_MACHINE_H
#define BENCHMARKS_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

/* Nanoseconds on a clock that is never adjusted. */
uint64_t machine_nanoseconds(void);

/* Nanoseconds that the calling thread has run on a processor. */
uint64_t machine_thread_nanoseconds(void);

/* The numbers of the processors that this process may run on, at most `capacity`. */
int machine_processors(int *numbers, int capacity);

/* Keeps the calling thread, and threads and processes that it starts later, on one processor. */
int machine_pin(int number);

/* How often the kernel took the processor away from the calling thread, or from children that have ended. */
long machine_interruptions(int of_children);

#endif
