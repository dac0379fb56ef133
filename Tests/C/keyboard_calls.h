/*
 * The list of all calls of custom_keyboard.h: see calls.h. A new function needs rows in keyboard_rows.h, one that
 * succeeds and one that fails, and perhaps a `prepare` function in keyboard_world.h, sealing_world.h,
 * opaque_world.h or pin_world.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef KEYBOARD_CALLS_H
#define KEYBOARD_CALLS_H

#include "opaque_world.h"
#include "pin_world.h"
#include "sealing_world.h"
#include <math.h>

#define K w.keyboard

#define CALL(function, label, code, options, ...) CALL_RUN(keyboard, CustomKeyboard_, function, __VA_ARGS__)
#define WORDS(function, label, options, ...) CALL_RUN(keyboard, CustomKeyboard_, function, __VA_ARGS__)
#include "keyboard_rows.h"
#undef CALL
#undef WORDS

#define CALL(function, label, code, options, ...) CALL_ROW(keyboard, function, label, CUSTOM_KEYBOARD_##code, options)
#define WORDS(function, label, options, ...) CALL_ROW(keyboard, function, label, ANY_POINTER, options)
static const struct call keyboard_rows[] = {
#include "keyboard_rows.h"
};
#undef CALL
#undef WORDS
#undef K

static const struct call_list keyboard_calls = {"CustomKeyboard_", keyboard_rows,
                                                sizeof keyboard_rows / sizeof *keyboard_rows, release_world};

/* What a program keeps in the clear only during a call: everything that is or was made from secrets. */
__attribute__((unused)) static void hide_world(void) {
  wipe_bytes(w.password, sizeof w.password);
  wipe_bytes(w.not_utf8, sizeof w.not_utf8);
  wipe_bytes(w.key, sizeof w.key);
  wipe_bytes(w.clears, sizeof w.clears);
  wipe_bytes(w.blocks, sizeof w.blocks);
  wipe_bytes(w.check, sizeof w.check);
  wipe_bytes(w.space, w.space_size);
  wipe_bytes(w.derived, sizeof w.derived);
  wipe_bytes(w.derived_before, sizeof w.derived_before);
  wipe_bytes(&w.cipher, sizeof w.cipher);
  wipe_bytes(sealing.secret, sizeof sealing.secret);
  wipe_bytes(sealing.space, sizeof sealing.space);
  wipe_opaque();
}

#endif /* KEYBOARD_CALLS_H */
