/*
 * From the first key to the bank's verdict. The passcode is in the library's keyboard and nowhere else; what comes out
 * of it is a text that only the bank can open, sealed for the bank's challenge.
 *
 *     begin ──► the bank's key ──► type ──► the bank's challenge ──► seal ──► the bank's verdict ──► begin
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "login.h"

#include <custom_keyboard_messages.h>
#include <locale.h>

#include "keyboard_view.h"

enum { LEAST_DOTS = 4 }; /* of a pattern */

static void ask_for_challenge(void *data);
static void leave(void *data, CUSTOM_KEYBOARD keyboard);

static void explain(Login *login, const BankAnswer *answer) {
  window_say(login->window.prompt, "%s", "");
  if (answer->outcome != BANK_WRONG)
    window_say(login->window.message, "%s", answer->message);
  else if (answer->attempts_left < 0)
    window_say(login->window.message, "Wrong %s.", login->what);
  else
    window_say(login->window.message, "Wrong %s. %d attempt%s left.", login->what, answer->attempts_left,
               answer->attempts_left == 1 ? "" : "s");
}

static void show_count(void *data, CUSTOM_KEYBOARD keyboard, size_t count) {
  Login *login = data;
  (void)keyboard;
  window_show_count(&login->window, count, login->maximum);
  if (count > 0) window_say(login->window.message, "%s", "");
}

static void type(Login *login, CUSTOM_KEYBOARD keyboard, const char *order) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_open(keyboard);
  if (rv) {
    window_say(login->window.message, "%s", CustomKeyboardMessages_ofCode(setlocale(LC_MESSAGES, NULL), rv));
    window_offer(&login->window, "Try again", login_begin, login);
    return;
  }
  window_say(login->window.prompt, "%s %s", order, login->what);
  show_count(login, keyboard, 0);
  keyboard_view_show(login->window.view, keyboard, leave, login);
  window_let_type(&login->window, TRUE);
}

/* Wipes what was typed. The keys stay. */
static void forget(Login *login) {
  keyboard_view_show(login->window.view, 0, NULL, NULL);
  CustomKeyboard_close(login->first);
  CustomKeyboard_close(login->again);
}

static void take_key(const BankAnswer *answer, void *data) {
  Login *login = data;
  if (answer->outcome != BANK_OK)
    explain(login, answer);
  else if (CustomKeyboard_setEncKey(login->first, answer->bytes, answer->length, login->way) ||
           CustomKeyboard_setEncKey(login->again, answer->bytes, answer->length, login->way))
    window_say(login->window.message, "The bank's key is not valid.");
  else {
    type(login, login->first, login->is_registering ? "Choose a" : "Enter your");
    return;
  }
  window_offer(&login->window, "Try again", login_begin, login);
}

void login_begin(void *data) {
  Login *login = data;
  forget(login);
  window_say(login->window.title, "%s, %s", login->is_registering ? "Welcome" : "Hello", login->account);
  window_say(login->window.prompt, "One moment …");
  gtk_widget_set_visible(login->window.view, TRUE);
  window_let_type(&login->window, FALSE);
  bank_get_key(login->bank, take_key, login);
}

/* What the button does when all is done. */
static void log_in(void *data) {
  Login *login = data;
  login->is_registering = FALSE;
  login_begin(login);
}

static void begin_again(const BankAnswer *answer, void *data) {
  (void)answer; /* a session that the bank does not end ends by itself */
  login_begin(data);
}

static void log_out(void *data) {
  Login *login = data;
  window_say(login->window.prompt, "One moment …");
  bank_logout(login->bank, begin_again, login);
}

static void take_verdict(const BankAnswer *answer, void *data) {
  Login *login = data;
  if (answer->outcome == BANK_OK) {
    forget(login);
    window_say(login->window.dots, "%s", "");
    window_say(login->window.prompt, login->is_registering ? "You are registered." : "You are logged in.");
    gtk_widget_set_visible(login->window.view, FALSE);
    if (login->is_registering)
      window_offer(&login->window, "Log in", log_in, login);
    else
      window_offer(&login->window, "Log out", log_out, login);
    return;
  }
  explain(login, answer);
  if (answer->outcome == BANK_UNREACHABLE)
    window_offer(&login->window, "Try again", ask_for_challenge, login); /* the keyboard still has the passcode */
  else if (answer->outcome == BANK_LOCKED)
    window_offer(&login->window, "Try again", login_begin, login);
  else
    login_begin(login);
}

/* NULL if the text is not a challenge. */
static const uint8_t *seal(CUSTOM_KEYBOARD keyboard, const BankAnswer *challenge, uint8_t *space, size_t *length) {
  size_t offset;
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_setContext(keyboard, challenge->bytes, challenge->length);
  if (!rv) rv = CustomKeyboard_getText(keyboard, space, CUSTOM_KEYBOARD_ENCDATASPACESIZE, &offset, length);
  return rv ? NULL : space + offset;
}

static void take_challenge(const BankAnswer *answer, void *data) {
  Login *login = data;
  uint8_t space[2][CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t length;
  if (answer->outcome != BANK_OK) {
    explain(login, answer);
    window_offer(&login->window, "Try again", answer->outcome == BANK_UNREACHABLE ? ask_for_challenge : login_begin,
                 login);
    return;
  }
  const uint8_t *text = seal(login->first, answer, space[0], &length);
  const uint8_t *again = login->is_registering ? seal(login->again, answer, space[1], &length) : NULL;
  if (!text || (login->is_registering && !again)) {
    window_say(login->window.message, "The bank's challenge cannot be used.");
    window_offer(&login->window, "Try again", login_begin, login);
  } else if (login->is_registering) {
    bank_register(login->bank, text, again, length, take_verdict, login);
  } else {
    bank_login(login->bank, text, length, take_verdict, login);
  }
}

/* Only now, so that no challenge expires while a person thinks. */
static void ask_for_challenge(void *data) {
  Login *login = data;
  window_say(login->window.prompt, "One moment …");
  window_say(login->window.message, "%s", "");
  window_let_type(&login->window, FALSE);
  bank_get_challenge(login->bank, login->account, login->is_registering ? "register" : "login", take_challenge, login);
}

/* The last character or the return key was pressed. */
static void complete(void *data, CUSTOM_KEYBOARD keyboard) {
  Login *login = data;
  size_t count;
  if (CustomKeyboard_count(keyboard, &count) || count == 0) return;
  if (login->is_registering && keyboard == login->first)
    type(login, login->again, "Type the same");
  else
    ask_for_challenge(login);
}

/* The finger has left a pattern. */
static void leave(void *data, CUSTOM_KEYBOARD keyboard) {
  Login *login = data;
  size_t count;
  if (CustomKeyboard_count(keyboard, &count)) return;
  if (count >= LEAST_DOTS) {
    complete(login, keyboard);
    return;
  }
  CustomKeyboard_clear(keyboard);
  window_say(login->window.message, "Join at least %d dots.", LEAST_DOTS);
}

static CUSTOM_KEYBOARD_RV make(Login *login, CUSTOM_KEYBOARD *keyboard, CUSTOM_KEYBOARD_LAYOUT layout,
                               CUSTOM_KEYBOARD_SHUFFLE shuffle) {
  CUSTOM_KEYBOARD_RV rv = CustomKeyboard_create(keyboard);
  if (!rv) rv = CustomKeyboard_setLayout(*keyboard, layout, shuffle, login->maximum);
  if (!rv) rv = CustomKeyboard_setTextField(*keyboard, show_count, login);
  if (!rv) rv = CustomKeyboard_setOKAction(*keyboard, complete, login);
  return rv;
}

CUSTOM_KEYBOARD_RV login_open(Login *login, CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle) {
  CUSTOM_KEYBOARD_RV rv = make(login, &login->first, layout, shuffle);
  return rv ? rv : make(login, &login->again, layout, shuffle);
}

void login_close(Login *login) {
  CustomKeyboard_destroy(login->first);
  CustomKeyboard_destroy(login->again);
}
