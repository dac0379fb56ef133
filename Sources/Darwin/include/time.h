/*
 * Clocks. CLOCK_MONOTONIC_RAW counts the time that the device sleeps, too, and nobody can set it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct timespec {
  time_t tv_sec;
  long tv_nsec;
};

typedef enum { CLOCK_REALTIME = 0, CLOCK_MONOTONIC_RAW = 4, CLOCK_MONOTONIC = 6 } clockid_t;

int clock_gettime(clockid_t clock, struct timespec *time);

#ifdef __cplusplus
}
#endif
