/*
 * What is typed is in the library's keyboards and nowhere else: this file learns how many characters there are, and
 * when the last one was typed.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "typing.h"

#include <custom_keyboard_messages.h>
#include <locale.h>

#include "keyboard_view.h"

enum { LEAST_DOTS = 4 }; /* of a pattern */

static void leave(void *data, CUSTOM_KEYBOARD keyboard);

static void show_count(void *data, CUSTOM_KEYBOARD keyboard, size_t count) {
  Typing *typing = data;
  (void)keyboard;
  window_show_count(typing->window, count, typing->maximum);
  if (count > 0) window_say(typing->window->message, "%s", "");
}

static void type(Typing *typing, CUSTOM_KEYBOARD keyboard, const char *order) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_open(keyboard);
  if (rv) {
    window_say(typing->window->message, "%s", CustomKeyboardMessages_ofCode(setlocale(LC_MESSAGES, NULL), rv));
    window_offer(typing->window, "Try again", typing->begin, typing->data);
    return;
  }
  window_say(typing->window->prompt, "%s %s", order, typing->what);
  show_count(typing, keyboard, 0);
  keyboard_view_show(typing->window->view, keyboard, leave, typing);
  window_let_type(typing->window, TRUE);
}

/* The last character or the return key was pressed. */
static void complete(void *data, CUSTOM_KEYBOARD keyboard) {
  Typing *typing = data;
  size_t count;
  if (CustomKeyboard_count(keyboard, &count) || count == 0) return;
  if (typing->is_new && keyboard == typing->first)
    type(typing, typing->again, "Type the same");
  else
    typing->complete(typing->data);
}

/* The finger has left a pattern. */
static void leave(void *data, CUSTOM_KEYBOARD keyboard) {
  Typing *typing = data;
  size_t count;
  if (CustomKeyboard_count(keyboard, &count)) return;
  if (count >= LEAST_DOTS) {
    complete(typing, keyboard);
    return;
  }
  CustomKeyboard_clear(keyboard);
  window_say(typing->window->message, "Join at least %d dots.", LEAST_DOTS);
}

static CUSTOM_KEYBOARD_RV make(Typing *typing, CUSTOM_KEYBOARD *keyboard) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_create(keyboard);
  if (!rv) rv = CustomKeyboard_setTextField(*keyboard, show_count, typing);
  if (!rv) rv = CustomKeyboard_setOKAction(*keyboard, complete, typing);
  return rv;
}

CUSTOM_KEYBOARD_RV typing_make(Typing *typing) {
  CUSTOM_KEYBOARD_RV rv = make(typing, &typing->first);
  return rv ? rv : make(typing, &typing->again);
}

CUSTOM_KEYBOARD_RV typing_lay_out(Typing *typing, CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_setLayout(typing->first, layout, shuffle, typing->maximum);
  return rv ? rv : CustomKeyboard_setLayout(typing->again, layout, shuffle, typing->maximum);
}

void typing_begin(Typing *typing) { type(typing, typing->first, typing->is_new ? "Choose a" : "Enter your"); }

void typing_forget(Typing *typing) {
  keyboard_view_show(typing->window->view, 0, NULL, NULL);
  CustomKeyboard_close(typing->first);
  CustomKeyboard_close(typing->again);
}

void typing_end(Typing *typing) {
  CustomKeyboard_destroy(typing->first);
  CustomKeyboard_destroy(typing->again);
}
