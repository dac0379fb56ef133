/* What Swift's Glibc leaves out of Linux.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_SYSTEM_H
#define BANK_SYSTEM_H

#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* No core dump, and no other process of the same user reads this one's memory. */
static inline int bank_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* How many processors this process may run on: taskset, systemd's CPUAffinity and a container's set of processors lower
 * it. 0 if the machine has more than 8,192. */
static inline int bank_allowed_processors(void) {
  unsigned long sets[8192 / 8 / sizeof(unsigned long)];
  long size = syscall(SYS_sched_getaffinity, 0, sizeof sets, sets);
  int count = 0;
  for (long i = 0; i < size / (long)sizeof sets[0]; i++) count += __builtin_popcountl(sets[i]);
  return count;
}

#endif
