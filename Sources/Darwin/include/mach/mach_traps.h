/*
 * Waiting without a point of cancellation.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#ifdef __cplusplus
extern "C" {
#endif

#define MACH_PORT_NULL 0

int thread_switch(unsigned thread, int option, unsigned milliseconds);

#ifdef __cplusplus
}
#endif
