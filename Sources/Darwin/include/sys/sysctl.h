/*
 * What the system says of the processor.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

int sysctlbyname(const char *name, void *value, size_t *size, void *next, size_t next_size);

#ifdef __cplusplus
}
#endif
