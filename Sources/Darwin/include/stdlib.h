/*
 * The heap, which holds no secret; the environment; paths.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

void *malloc(size_t size);
void free(void *memory);
int posix_memalign(void **memory, size_t alignment, size_t size);
char *getenv(const char *name);
char *realpath(const char *path, char *resolved) __asm("_realpath$DARWIN_EXTSN");

#ifdef __cplusplus
}
#endif
