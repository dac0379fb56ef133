/*
 * What each of the libraries last answered in this thread but OK: a sentence that is never freed.
 *
 * A pointer for each thread is the only thing here that Swift without a runtime cannot have. It is part of each
 * thread's block from its beginning (initial-exec), so that nothing is allocated for it, and nothing can fail.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CUSTOM_KEYBOARD_CAUSE_H
#define CUSTOM_KEYBOARD_CAUSE_H

/* In a Swift program all of them are one program. */
enum { KEYBOARD_CAUSE, VAULT_CAUSE, FIDO_CAUSE, KEYBOARD_CAUSE_COUNT };

__attribute__((visibility("hidden"))) void keyboard_set_cause(int library, const char *sentence);

/* NULL before the first. */
__attribute__((visibility("hidden"))) const char *keyboard_cause(int library);

#endif
