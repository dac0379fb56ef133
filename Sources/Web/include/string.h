/*
 * What the library and mbedTLS take from <string.h>: WebAssembly without a system has no libc.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *one, const void *other, size_t size);
int strcmp(const char *one, const char *other);
size_t strlen(const char *text);
