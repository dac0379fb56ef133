/*
 * Memory and C strings. `memset_s` writes even if nobody reads it again.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int errno_t;
typedef size_t rsize_t;

void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
errno_t memset_s(void *to, rsize_t capacity, int byte, rsize_t size);
int memcmp(const void *one, const void *other, size_t size);
int strcmp(const char *one, const char *other);
int strncmp(const char *one, const char *other, size_t most);
size_t strlen(const char *text);
size_t strspn(const char *text, const char *of);

#ifdef __cplusplus
}
#endif
