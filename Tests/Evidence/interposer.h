/*
 * Shared by the program under test and the interposed library (interposer.c): which libc function fails next, when and
 * how, and how often each was called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef INTERPOSER_H
#define INTERPOSER_H

#include <stdatomic.h>

enum fault_kind {
  FAULT_NONE = -1,
  FAULT_MMAP,
  FAULT_MPROTECT,
  FAULT_MUNMAP,
  FAULT_MLOCK,
  FAULT_MADVISE,
  FAULT_GETRANDOM,
  FAULT_GETRANDOM_NOTHING, /* a call for 0 bytes, which may fail */
  FAULT_MALLOC,            /* also calloc, realloc, memalign: everything that allocates */
  FAULT_MUTEX_LOCK,
  FAULT_KINDS
};

/* An `error` that is none: getrandom answers with one byte. */
enum { ONE_BYTE = -1 };

/* Calls `first` to `last` of one kind fail, counted from 1 while armed. An `error` of 0 makes the call return 0. */
struct fault_plan {
  atomic_int armed;
  enum fault_kind kind;
  unsigned long first, last;
  int error;
  atomic_ulong calls[FAULT_KINDS], failed;
};

#endif /* INTERPOSER_H */
