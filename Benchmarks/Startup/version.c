/*
 * The same program with the library, which is loaded, bound and called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_keyboard.h>

int main(void) { return CustomKeyboard_version()[0] == 0; }
