/*
 * A passcode that is typed, or a new one that is typed twice, on keyboards of the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TYPING_H
#define TYPING_H

#include <custom_keyboard.h>

#include "window.h"

typedef struct Typing {
  Window *window;
  const char *what;               /* "PIN", "password" or "pattern" */
  size_t maximum;                 /* characters; 0 for no limit */
  gboolean is_new;                /* typed twice */
  void (*complete)(void *data);   /* the last character or the return key was pressed, or the finger has left */
  void (*begin)(void *data);      /* from the start, if there is no keyboard */
  void *data;
  CUSTOM_KEYBOARD first, again;   /* `again` is for the second typing */
} Typing;

/* Makes the keyboards. The other members are set, and the window comes before anything is typed. */
CUSTOM_KEYBOARD_RV typing_make(Typing *typing);

/* Gives both a layout, for which they must not be open. */
CUSTOM_KEYBOARD_RV typing_lay_out(Typing *typing, CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle);

/* Asks the person: "Enter your PIN", or for a new one "Choose a PIN". */
void typing_begin(Typing *typing);

/* Wipes what was typed, and shows no keys. */
void typing_forget(Typing *typing);

/* Wipes the keyboards, and all that is in them. */
void typing_end(Typing *typing);

#endif
