/*
 * What stack.S calls at the end: zeroing the used stack and the registers, which residue.h knows how to do.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../CKeyboardPlatform/platform.h"

#if !defined(__wasm__)
__attribute__((visibility("hidden"))) void keyboard_wipe_secret_stack(int width, uint64_t depth);
void keyboard_wipe_secret_stack(int width, uint64_t depth) { keyboard_wipe_residue(width, depth); }
#endif
