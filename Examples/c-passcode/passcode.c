/*
 * Lets a person choose a PIN of six digits and log in with it, and never sees the PIN: weak ones are refused, it is
 * typed twice and compared, and what a server stores is a verifier.
 *
 *     cc passcode.c $(pkg-config --cflags --libs customkeyboard) && ./a.out
 *
 * Type the letters beside the digits: the digits are in another order each time, so the letters tell nobody the PIN.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include <custom_keyboard.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum { DIGITS = 6, TRIES = 3 };

/* Ends the program with the library's own advice if a call fails. */
static void check(CUSTOM_KEYBOARD_RV rv) {
  if (rv == CUSTOM_KEYBOARD_OK) return;
  fprintf(stderr, "passcode: %s\n", CustomKeyboard_cause());
  exit(EXIT_FAILURE);
}

static CUSTOM_KEYBOARD new_pad(void) {
  CUSTOM_KEYBOARD pad;
  check(CustomKeyboard_create(&pad));
  check(CustomKeyboard_setLayout(pad, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, DIGITS));
  return pad;
}

/* A letter from the terminal, without showing it and without waiting for the return key. */
static int read_letter(void) {
  struct termios shown, hidden;
  int is_terminal = tcgetattr(STDIN_FILENO, &shown) == 0;
  if (is_terminal) {
    hidden = shown;
    hidden.c_lflag &= (tcflag_t) ~(ECHO | ICANON);
    tcsetattr(STDIN_FILENO, TCSANOW, &hidden);
  }
  fflush(stdout);
  char letter;
  ssize_t got = read(STDIN_FILENO, &letter, 1);
  if (is_terminal) tcsetattr(STDIN_FILENO, TCSANOW, &shown);
  if (got != 1) exit(EXIT_FAILURE);
  return letter;
}

/* Opens the pad anew, draws it, and presses keys until six digits are there. */
static void type(CUSTOM_KEYBOARD pad, const char *prompt) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  size_t key_count, count = 0;
  CustomKeyboard_close(pad); /* it may be up with what was typed before */
  check(CustomKeyboard_open(pad));
  check(CustomKeyboard_keys(pad, keys, CUSTOM_KEYBOARD_MAXKEYS, &key_count));
  printf("\n%s\n", prompt);
  for (size_t i = 0; i < key_count; i++)
    if (keys[i].role != CUSTOM_KEYBOARD_ROLE_BLANK)
      printf("%s  %c) %-3s", keys[i].grid.column == 1 ? "\n" : "", (char)('a' + i), keys[i].label);
    else
      printf("\n%8s", "");
  puts("\n");
  while (count < DIGITS) {
    size_t index = (size_t)(read_letter() - 'a');
    if (index < key_count) check(CustomKeyboard_pressKey(pad, index));
    check(CustomKeyboard_count(pad, &count));
    printf("\r  %.*s%-*s", (int)count, "******", DIGITS - (int)count, "");
  }
  puts("");
}

/* What must not be chosen. In practice, date and number are the customer's. */
static void add_rules(CUSTOM_KEYBOARD pad) {
  check(CustomKeyboard_addRule(pad, CUSTOM_KEYBOARD_RULE_COMMON, 0, NULL, 0));
  check(CustomKeyboard_addRule(pad, CUSTOM_KEYBOARD_RULE_SAME, 3, NULL, 0));
  check(CustomKeyboard_addRule(pad, CUSTOM_KEYBOARD_RULE_RUN, 3, NULL, 0));
  check(CustomKeyboard_addRule(pad, CUSTOM_KEYBOARD_RULE_DATE, 0, (const uint8_t *)"1987-04-23", 10));
  check(CustomKeyboard_addRule(pad, CUSTOM_KEYBOARD_RULE_PHONE, 4, (const uint8_t *)"010-8765-4321", 13));
}
static const CUSTOM_KEYBOARD_RULE rules[] = {CUSTOM_KEYBOARD_RULE_COMMON, CUSTOM_KEYBOARD_RULE_SAME,
                                             CUSTOM_KEYBOARD_RULE_RUN, CUSTOM_KEYBOARD_RULE_DATE,
                                             CUSTOM_KEYBOARD_RULE_PHONE};

/* Returns when both pads hold the same PIN, and no rule refuses it. */
static void choose(CUSTOM_KEYBOARD first, CUSTOM_KEYBOARD second) {
  for (;;) {
    type(first, "Choose a PIN of six digits.");
    size_t broken;
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_check(first, &broken);
    if (rv == CUSTOM_KEYBOARD_REFUSED) {
      printf("%s\n", CustomKeyboard_ruleMessage(rules[broken]));
      continue;
    }
    check(rv);
    for (int tries = TRIES; tries > 0; tries--) {
      type(second, "Type it again.");
      rv = CustomKeyboard_compare(first, second);
      if (rv == CUSTOM_KEYBOARD_OK) return;
      if (rv != CUSTOM_KEYBOARD_MISMATCH) check(rv);
      puts("That was another one.");
    }
    puts("Begin anew.");
  }
}

int main(void) {
  /* In practice 32 random bytes that the server keeps elsewhere than the verifiers. */
  static const uint8_t pepper[] = "not so secret here";
  char verifier[CUSTOM_KEYBOARD_MAXVERIFIERSIZE];
  size_t length;
  CUSTOM_KEYBOARD first = new_pad(), second = new_pad();
  add_rules(first);
  choose(first, second);
  check(CustomKeyboard_makeVerifier(first, pepper, sizeof pepper - 1, verifier, sizeof verifier, &length));
  check(CustomKeyboard_destroy(first));
  check(CustomKeyboard_destroy(second));
  printf("The server stores\n  %s\n", verifier);

  CUSTOM_KEYBOARD login = new_pad();
  CUSTOM_KEYBOARD_RV rv = CUSTOM_KEYBOARD_MISMATCH;
  for (int tries = TRIES; tries > 0 && rv == CUSTOM_KEYBOARD_MISMATCH; tries--) {
    type(login, "Log in.");
    rv = CustomKeyboard_checkVerifier(login, pepper, sizeof pepper - 1, verifier);
    if (rv == CUSTOM_KEYBOARD_MISMATCH) puts("Wrong.");
  }
  check(CustomKeyboard_destroy(login));
  check(rv);
  puts("Welcome.");
  return EXIT_SUCCESS;
}
