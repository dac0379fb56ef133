/*
 * Calls of the functions for passcodes: successes and errors. For programs that look at what a call leaves behind. The
 * passcode, a rule's text and the pepper are secrets. Needs what sealing_calls.h needs, and:
 *
 *     key                        a secret, at least 8 bytes
 *     CALL_WORD(name, argument)  calls a function that returns a pointer to words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PASSCODE_CALLS_H
#define PASSCODE_CALLS_H

/* Argon2id's least memory: microseconds. */
static const char cheap_verifier[] = "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA";

static void use_rules(CUSTOM_KEYBOARD k) {
  static size_t place;
  static const char pattern[] = "^(?:(.)(?!\\1))*$", bad_pattern[] = "a(?:b";
  CALL(checkPattern, "OK", OK, POINTER(pattern), sizeof pattern - 1, POINTER(&place));
  CALL(checkPattern, "none", ARGUMENT, POINTER(bad_pattern), sizeof bad_pattern - 1, POINTER(&place));
  CALL(addRule, "COMMON", OK, k, CUSTOM_KEYBOARD_RULE_COMMON, 0, 0, 0);
  CALL(addRule, "PHONE", OK, k, CUSTOM_KEYBOARD_RULE_PHONE, 8, POINTER("+82 10 8765 4321"), 16);
  CALL(addRule, "TEXT", OK, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, POINTER(password), 5);
  CALL(addRule, "no pattern", ARGUMENT, k, CUSTOM_KEYBOARD_RULE_MATCH, 0, POINTER(bad_pattern), sizeof bad_pattern - 1);
  CALL(check, "the text is in it", REFUSED, k, POINTER(&place));
  CHECK_EQUAL(place, 2);
  CALL(clearRules, "OK", OK, k);
  CALL(clearRules, "no keyboard", ARGUMENT, 0);
  CALL(addRule, "NOT_MATCH", OK, k, CUSTOM_KEYBOARD_RULE_NOT_MATCH, 0, POINTER("^\\d{99}$"), 8);
  CALL(addRule, "MATCH", OK, k, CUSTOM_KEYBOARD_RULE_MATCH, 0, POINTER("^.{3}"), 5);
  CALL(check, "OK", OK, k, POINTER(&place));
  CALL(checkRule, "OK", OK, k, CUSTOM_KEYBOARD_RULE_PHONE, 8, POINTER("+82 10 8765 4321"), 16);
  CALL(checkRule, "the text is in it", REFUSED, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, POINTER(password), 5);
  CALL(checkRule, "a pattern", OK, k, CUSTOM_KEYBOARD_RULE_MATCH, 0, POINTER("^.{3}"), 5);
  CALL(checkRule, "no pattern", ARGUMENT, k, CUSTOM_KEYBOARD_RULE_MATCH, 0, POINTER(bad_pattern), 5);
}

static void use_derivation(CUSTOM_KEYBOARD k, CUSTOM_KEYBOARD idle) {
  static uint8_t derived[64];
  CALL(deriveKey, "OK, cheap", OK, k, POINTER(key), 8, POINTER(key), 8, 8, 1, POINTER(derived), 32);
  CALL(deriveKey, "OK, longest", OK, k, POINTER(key), 8, 0, 0, 64, 2, POINTER(derived), 64);
  CALL(deriveKey, "a short salt", ARGUMENT, k, POINTER(key), 7, POINTER(key), 8, 8, 1, POINTER(derived), 32);
  CALL(deriveKey, "no costs", ARGUMENT, k, POINTER(key), 8, POINTER(key), 8, 8, 0, POINTER(derived), 32);
  CALL(deriveKey, "a long pepper", MAXLEN, k, POINTER(key), 8, POINTER(derived), 65, 8, 1, POINTER(password), 16);
  CALL(deriveKey, "while idle", OP_DISABLE, idle, POINTER(key), 8, POINTER(key), 8, 8, 1, POINTER(derived), 32);
  memset(derived, 0, sizeof derived);
}

static void use_verifiers(CUSTOM_KEYBOARD k, CUSTOM_KEYBOARD other) {
  static char verifier[CUSTOM_KEYBOARD_MAXVERIFIERSIZE];
  static size_t made;
  static const char import_form[] = "$sha256x2$756bc47cb5215dc3329ca7e1f7be33a2dad68990bb94b76d90aa07f4e44a233a";
  CALL(makeVerifier, "no space", SPACE, k, POINTER(key), 8, POINTER(verifier), 5, POINTER(&made));
  CALL(makeVerifier, "a long pepper", MAXLEN, k, POINTER(verifier), 65, POINTER(password), 0, POINTER(&made));
  CALL(checkVerifier, "of another, cheap", MISMATCH, k, POINTER(key), 8, POINTER(cheap_verifier));
  CALL(checkVerifier, "of another, SHA-256", MISMATCH, k, POINTER(key), 0, POINTER(import_form));
  CALL(checkVerifier, "none", ARGUMENT, k, POINTER(key), 8, POINTER("$argon2id$"));
  if (leaves_out_slow_ways) return;
  CALL(makeVerifier, "OK", OK, k, POINTER(key), 8, POINTER(verifier), sizeof verifier, POINTER(&made));
  CALL(checkVerifier, "OK", OK, k, POINTER(key), 8, POINTER(verifier));
  CALL(checkVerifier, "of another", MISMATCH, other, POINTER(key), 8, POINTER(verifier));
}

static void use_passcodes(void) {
  static CUSTOM_KEYBOARD k, other;
  static size_t place;
  CALL(create, "OK", OK, POINTER(&k));
  CALL(create, "OK", OK, POINTER(&other));
  CALL(check, "while idle", OP_DISABLE, k, POINTER(&place));
  CALL(checkRule, "while idle", OP_DISABLE, k, CUSTOM_KEYBOARD_RULE_TEXT, 0, POINTER(password), 5);
  CALL(open, "OK", OK, k);
  CALL(open, "OK", OK, other);
  CALL(input, "OK", OK, k, POINTER(password), password_length);
  CALL(input, "OK", OK, other, POINTER(password), password_length);
  use_rules(k);
  CALL(compare, "OK", OK, k, other);
  CALL(deleteBackward, "OK", OK, other);
  CALL(compare, "another", MISMATCH, k, other);
  use_verifiers(k, other);
  CALL(close, "OK", OK, other);
  use_derivation(k, other);
  /* The last one first: each is then at the same place in the next round. */
  CALL(destroy, "OK", OK, other);
  CALL(destroy, "OK", OK, k);
  CALL_WORD(ruleMessage, CUSTOM_KEYBOARD_RULE_COMMON);
}

#endif
