/*
 * The sentences of cause.h, one of each library for each thread.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "include/cause.h"

#if defined(__ELF__)
__attribute__((tls_model("initial-exec")))
#endif
static _Thread_local const char *sentences[KEYBOARD_CAUSE_COUNT];

void keyboard_set_cause(int library, const char *sentence) { sentences[library] = sentence; }

const char *keyboard_cause(int library) { return sentences[library]; }
