/*
 * What the C programs that compare two libraries measure with. Needs _GNU_SOURCE.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BENCHMARKS_CLOCK_H
#define BENCHMARKS_CLOCK_H

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

/* In nanoseconds. */
static inline double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* How often the kernel has given the processor to another program. */
static inline long interruptions(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

/* For qsort, of numbers of type double. */
static inline int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static inline void use_one_processor(void) {
  cpu_set_t allowed, one; /* the last processor: the first one handles most interrupts */
  CPU_ZERO(&one);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  for (int i = CPU_SETSIZE - 1; i >= 0 && CPU_COUNT(&one) == 0; i--)
    if (CPU_ISSET(i, &allowed)) CPU_SET(i, &one);
  sched_setaffinity(0, sizeof one, &one);
}

#endif
