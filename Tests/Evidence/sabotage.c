/*
 * A library for LD_PRELOAD that removes one protection, which a check must notice. Compile with -DNO_WIPE or
 * -DNO_ADVICE.
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
#else
#error "define NO_WIPE or NO_ADVICE"
#endif
