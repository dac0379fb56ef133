/*
 * From the first key to the bank's verdict. The passcode is in the library's keyboard and nowhere else. By OPAQUE it
 * stays there. What is sealed comes out as a text that only the bank can open, for the bank's challenge; then it moves.
 *
 *     begin ──► the bank's key ──► type ──┬──────── the steps of OPAQUE ────────┬──► the bank's verdict ──► begin
 *                                         └──► the bank's challenge ──► seal ───┘
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "login.h"

#include <custom_keyboard_messages.h>
#include <locale.h>

#include "keyboard_view.h"

static void ask(void *data);

/* What the bank would say of a sealed passcode: with OPAQUE, only the keyboard can. */
static const struct {
  CUSTOM_KEYBOARD_RULE rule;
  size_t number;
} rules[] = {{CUSTOM_KEYBOARD_RULE_SAME, 3}, {CUSTOM_KEYBOARD_RULE_RUN, 3}, {CUSTOM_KEYBOARD_RULE_PAIRS, 0},
             {CUSTOM_KEYBOARD_RULE_DOUBLES, 0}, {CUSTOM_KEYBOARD_RULE_COMMON, 0}};

static void explain(Login *login, const BankAnswer *answer) {
  window_say(login->window->prompt, "%s", "");
  if (answer->outcome != BANK_WRONG)
    window_say(login->window->message, "%s", answer->message);
  else if (answer->attempts_left < 0)
    window_say(login->window->message, "Wrong %s.", login->typing.what);
  else
    window_say(login->window->message, "Wrong %s. %d attempt%s left.", login->typing.what, answer->attempts_left,
               answer->attempts_left == 1 ? "" : "s");
}

static void take_key(const BankAnswer *answer, void *data) {
  Login *login = data;
  if (answer->outcome != BANK_OK)
    explain(login, answer);
  else if (!login->is_sealed) {
    typing_begin(&login->typing);
    return;
  } else if (CustomKeyboard_setEncKey(login->typing.first, answer->bytes, answer->length, login->way) ||
           CustomKeyboard_setEncKey(login->typing.again, answer->bytes, answer->length, login->way))
    window_say(login->window->message, "The bank's key is not valid.");
  else {
    typing_begin(&login->typing);
    return;
  }
  window_offer(login->window, "Try again", login_begin, login);
}

static void begin(Login *login) {
  typing_forget(&login->typing);
  window_say(login->window->title, "%s, %s", login->typing.is_new ? "Welcome" : "Hello", login->account);
  window_say(login->window->prompt, "One moment …");
  gtk_widget_set_visible(login->window->view, TRUE);
  window_let_type(login->window, FALSE);
  bank_get_key(login->bank, take_key, login);
}

void login_begin(void *data) {
  Login *login = data;
  keyboard_view_end_speaking(login->window->view);
  begin(login);
}

/* What the button does when all is done. */
static void log_in(void *data) {
  Login *login = data;
  login->typing.is_new = FALSE;
  login_begin(login);
}

static void begin_again(const BankAnswer *answer, void *data) {
  (void)answer; /* a session that the bank does not end ends by itself */
  login_begin(data);
}

static void log_out(void *data) {
  Login *login = data;
  window_say(login->window->prompt, "One moment …");
  bank_logout(login->bank, begin_again, login);
}

static void welcome(Login *login) {
  typing_forget(&login->typing);
  window_hide_count(login->window);
  window_say(login->window->prompt, login->typing.is_new ? "You are registered." : "You are logged in.");
  gtk_widget_set_visible(login->window->view, FALSE);
  if (login->typing.is_new)
    window_offer(login->window, "Log in", log_in, login);
  else
    window_offer(login->window, "Log out", log_out, login);
}

/* A passcode that has not moved moves at the next login; a session that the bank does not end ends by itself. */
static void take_end(const BankAnswer *answer, void *data) {
  (void)answer;
  welcome(data);
}

static void take_verdict(const BankAnswer *answer, void *data) {
  Login *login = data;
  if (answer->outcome == BANK_OK && answer->moves && !login->typing.is_new) {
    const CUSTOM_KEYBOARD typed = login->typing.first;
    login->agreement = (Agreement){.bank = login->bank, .account = login->account, .first = typed, .again = typed,
                                   .done = take_end, .data = login};
    agreement_register(&login->agreement);
    return;
  }
  if (answer->outcome == BANK_OK && login->typing.is_new && !login->is_sealed) {
    bank_logout(login->bank, take_end, login); /* the person logs in to see that it works */
    return;
  }
  if (answer->outcome == BANK_OK) {
    welcome(login);
    return;
  }
  explain(login, answer);
  if (answer->outcome == BANK_UNREACHABLE)
    window_offer(login->window, "Try again", ask, login); /* the keyboard still has the passcode */
  else if (answer->outcome == BANK_LOCKED)
    window_offer(login->window, "Try again", login_begin, login);
  else
    begin(login); /* for the same person: keys stay spoken */
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
    window_offer(login->window, "Try again", answer->outcome == BANK_UNREACHABLE ? ask : login_begin, login);
    return;
  }
  const uint8_t *text = seal(login->typing.first, answer, space[0], &length);
  const uint8_t *again = login->typing.is_new ? seal(login->typing.again, answer, space[1], &length) : NULL;
  if (!text || (login->typing.is_new && !again)) {
    window_say(login->window->message, "The bank's challenge cannot be used.");
    window_offer(login->window, "Try again", login_begin, login);
  } else if (login->typing.is_new) {
    bank_register(login->bank, text, again, length, take_verdict, login);
  } else {
    bank_login(login->bank, text, length, take_verdict, login);
  }
}

/* What speaks against a new passcode; NULL if nothing does. */
static const char *fault_of(const Typing *typing) {
  if (CustomKeyboard_compare(typing->first, typing->again)) return "The two are not the same.";
  for (size_t i = 0; i < G_N_ELEMENTS(rules); i++)
    if (CustomKeyboard_checkRule(typing->first, rules[i].rule, rules[i].number, NULL, 0))
      return CustomKeyboardMessages_ofRule(setlocale(LC_MESSAGES, NULL), rules[i].rule);
  return NULL;
}

static void agree(Login *login) {
  const Typing *typing = &login->typing;
  const char *fault = typing->is_new ? fault_of(typing) : NULL;
  login->agreement = (Agreement){.bank = login->bank, .account = login->account, .first = typing->first,
                                 .again = typing->again, .done = take_verdict, .data = login};
  if (fault)
    take_verdict(&(BankAnswer){.outcome = BANK_REFUSED, .message = fault, .attempts_left = -1}, login);
  else if (typing->is_new)
    agreement_register(&login->agreement);
  else
    agreement_login(&login->agreement);
}

/* Only now, so that no challenge expires while a person thinks. */
static void ask(void *data) {
  Login *login = data;
  window_say(login->window->prompt, "One moment …");
  window_say(login->window->message, "%s", "");
  window_let_type(login->window, FALSE);
  if (login->is_sealed)
    bank_get_challenge(login->bank, login->account, login->typing.is_new ? "register" : "login", take_challenge,
                       login);
  else
    agree(login);
}

CUSTOM_KEYBOARD_RV login_open(Login *login, CUSTOM_KEYBOARD_LAYOUT layout, CUSTOM_KEYBOARD_SHUFFLE shuffle) {
  login->typing.window = login->window;
  login->typing.complete = ask;
  login->typing.begin = login_begin;
  login->typing.data = login;
  CUSTOM_KEYBOARD_RV rv = typing_make(&login->typing);
  return rv ? rv : typing_lay_out(&login->typing, layout, shuffle);
}

void login_close(Login *login) { typing_end(&login->typing); }
