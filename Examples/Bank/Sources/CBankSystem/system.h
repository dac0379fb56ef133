/* What Swift's Glibc leaves out of Linux.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_SYSTEM_H
#define BANK_SYSTEM_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <sched.h>
#include <sys/prctl.h>
#include <sys/random.h>

/* No core dump, and no other process of the same user reads this one's memory. */
static inline int bank_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

/* How many processors this process may run on: taskset, systemd's CPUAffinity and a container's set of processors lower
 * it. 0 if the machine has more than 8,192. */
static inline int bank_allowed_processors(void) {
  cpu_set_t sets[8];
  return sched_getaffinity(0, sizeof sets, sets) == 0 ? CPU_COUNT_S(sizeof sets, sets) : 0;
}

#endif
