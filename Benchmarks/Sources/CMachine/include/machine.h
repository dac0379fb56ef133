/*
 * What Swift cannot say about the machine: the processor's own clock, its caches, on which processor a thread runs, and
 * whether it was taken away.
 */
#ifndef BENCHMARKS_MACHINE_H
#define BENCHMARKS_MACHINE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>

/* Nanoseconds on a clock that nobody sets. */
uint64_t machine_nanoseconds(void);

/* Nanoseconds that the calling thread has had on a processor. */
uint64_t machine_thread_nanoseconds(void);

/* The processors that this process may run on, as many as fit. */
int machine_processors(int *numbers, int capacity);

/* Keeps the calling thread, and what it starts from now on, on one processor. */
int machine_pin(int number);

/* How often the kernel took the processor away from the calling thread, or from children that have ended. */
long machine_interruptions(int of_children);

#endif
