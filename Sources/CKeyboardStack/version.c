/*
 * The version of all libraries, which is in custom_keyboard.h and nowhere else.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../../Include/custom_keyboard.h"
#include "include/version.h"

const char *keyboard_version(void) { return CUSTOM_KEYBOARD_VERSION; }
