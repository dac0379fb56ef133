/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "machine.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t machine_nanoseconds(void) { return nanoseconds(CLOCK_MONOTONIC_RAW); }

uint64_t machine_thread_nanoseconds(void) { return nanoseconds(CLOCK_THREAD_CPUTIME_ID); }

int machine_processors(int *numbers, int capacity) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 0;
  int count = 0;
  for (int i = 0; i < CPU_SETSIZE && count < capacity; i++)
    if (CPU_ISSET(i, &allowed)) numbers[count++] = i;
  return count;
}

int machine_pin(int number) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(number, &one);
  return sched_setaffinity(0, sizeof one, &one);
}

long machine_interruptions(int of_children) {
  struct rusage usage;
  getrusage(of_children ? RUSAGE_CHILDREN : RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}
