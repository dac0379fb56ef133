/*
 * A keyboard's callbacks, on their way to JavaScript.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "../../Include/custom_keyboard.h"

__attribute__((import_module("keyboard"), import_name("changed"))) void keyboard_changed(CUSTOM_KEYBOARD keyboard,
                                                                                         size_t characterCount);
__attribute__((import_module("keyboard"), import_name("complete"))) void keyboard_complete(CUSTOM_KEYBOARD keyboard);

static void changed(void *context, CUSTOM_KEYBOARD keyboard, size_t characterCount) {
  (void)context;
  keyboard_changed(keyboard, characterCount);
}

static void complete(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context;
  keyboard_complete(keyboard);
}

/* Sets both callbacks: JavaScript has no pointers to C functions. Answers what setTextField and setOKAction do. */
__attribute__((export_name("keyboard_listen"))) CUSTOM_KEYBOARD_RV keyboard_listen(CUSTOM_KEYBOARD keyboard) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_setTextField(keyboard, changed, NULL);
  return rv != CUSTOM_KEYBOARD_OK ? rv : CustomKeyboard_setOKAction(keyboard, complete, NULL);
}
