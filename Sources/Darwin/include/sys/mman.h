/*
 * Pages.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PROT_NONE 0x00
#define PROT_READ 0x01
#define PROT_WRITE 0x02
#define MAP_PRIVATE 0x0002
#define MAP_ANON 0x1000
#define MAP_FAILED ((void *)-1)

void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
int munmap(void *address, size_t size);
int mprotect(void *address, size_t size, int protection);
int mlock(const void *address, size_t size);
int minherit(void *address, size_t size, int inheritance);

#ifdef __cplusplus
}
#endif
