/* What Swift's Glibc leaves out of Linux.
 * SPDX-License-Identifier: Apache-2.0 */

#ifndef BANK_SYSTEM_H
#define BANK_SYSTEM_H

#include <sys/prctl.h>
#include <sys/random.h>

/* No core dump, and no other process of the same user reads this one's memory. */
static inline int bank_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#endif
