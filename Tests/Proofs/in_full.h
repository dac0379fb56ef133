/* What the programs of in_full.py share. SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>

uint64_t draw(void);
void same(int is_same, const char *what);
void tried(const char *what, unsigned long long count);
/* Calls a function with two pointers as Swift does, where `self` is in memory. */
uint64_t call_with_self(const void *from, void *to, void (*function)(void), const void *self);

void text_in_full(void);
