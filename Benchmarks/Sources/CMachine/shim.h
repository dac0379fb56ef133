/*
 * What Swift cannot say about the machine: the processor's own clock, its caches, and on which processor a thread runs.
 */
#ifndef BENCHMARKS_MACHINE_H
#define BENCHMARKS_MACHINE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/random.h>
#include <time.h>

/* Nanoseconds on a clock that nobody sets. */
static inline uint64_t machine_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Ticks of the processor's counter, read after all that stands before and before all that stands after. */
static inline uint64_t machine_ticks(void) {
#if defined(__x86_64__)
  uint32_t low, high;
  __asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
  return (uint64_t)high << 32 | low;
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
  return ticks;
#else
  return machine_nanoseconds();
#endif
}

/* Takes memory out of all caches. */
static inline void machine_evict(const void *memory, uintptr_t size) {
  for (uintptr_t i = 0; i < size; i += 64) {
    const char *line = (const char *)memory + i;
#if defined(__x86_64__)
    __asm__ volatile("clflush (%0)" ::"r"(line) : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("dc civac, %0" ::"r"(line) : "memory");
#else
    (void)line;
#endif
  }
#if defined(__x86_64__)
  __asm__ volatile("mfence" ::: "memory");
#elif defined(__aarch64__)
  __asm__ volatile("dsb sy" ::: "memory");
#endif
}

/* The processors that this process may run on, as many as fit. */
static inline int machine_processors(int *numbers, int capacity) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
  int count = 0;
  for (int i = 0; i < CPU_SETSIZE && count < capacity; i++)
    if (CPU_ISSET(i, &allowed)) numbers[count++] = i;
  return count;
}

/* Keeps the calling thread, and what it starts from now on, on one processor. */
static inline int machine_pin(int number) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  return sched_setaffinity(0, sizeof one, &one);
}

#endif
