/*
 * Registers a passcode with the example bank, and logs in with it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LOGIN_H
#define LOGIN_H

#include <custom_keyboard.h>

#include "agreement.h"
#include "bank.h"
#include "typing.h"
#include "window.h"

typedef struct Login {
  Window *window;
  Bank *bank;
  const char *account;
  gboolean is_sealed;   /* the bank gets the passcode; or it gets nothing, by OPAQUE */
  CUSTOM_ENCWAY way;    /* how texts are sealed; the bank does not choose it */
  Typing typing;        /* `is_new` while it registers */
  Agreement agreement;
} Login;

/* Makes the keyboards. The other members are set. */
CUSTOM_KEYBOARD_RV login_open(Login *login, CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle);

/* Asks for the bank's key, and then for the passcode. */
void login_begin(void *login);

/* Wipes the keyboards, and all that is in them. */
void login_close(Login *login);

#endif
