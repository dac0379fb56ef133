/*
 * A library for LD_PRELOAD that removes one protection, which a check must notice. Compile with one of -DNO_WIPE,
 * -DNO_ADVICE, -DNO_GUARDS.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(NO_WIPE)
void explicit_bzero(void *memory, size_t size) { (void)memory, (void)size; }
#elif defined(NO_ADVICE)
/* Secret pages are dumped like any others. A fork still empties them. */
int madvise(void *memory, size_t size, int advice) {
  return advice == MADV_DONTDUMP ? 0 : (int)syscall(SYS_madvise, memory, size, advice);
}
#elif defined(NO_GUARDS)
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (protection == PROT_NONE) protection = PROT_READ | PROT_WRITE;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
#else
#error "define NO_WIPE, NO_ADVICE or NO_GUARDS"
#endif
