/*
 * What a check must notice: a library to be preloaded that takes one protection away. Compile with one of -DNO_WIPE,
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
/* Pages are dumped like any other. That a fork empties them is left alone. */
int madvise(void *memory, size_t size, int advice) {
  return advice == MADV_DONTDUMP ? 0 : (int)syscall(SYS_madvise, memory, size, advice);
}
#elif defined(NO_GUARDS)
void *mmap(void *address, size_t size, int protection, int flags, int file, off_t offset) {
  if (protection == PROT_NONE) protection = PROT_READ | PROT_WRITE;
  return (void *)syscall(SYS_mmap, address, size, protection, flags, file, offset);
}
#else
#error "what is to be taken away?"
#endif
