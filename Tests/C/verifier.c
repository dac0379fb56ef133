/*
 * Verifiers: what is made and checked with them, what is refused and in which order, and other strings.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "fixture.h"

enum { VERIFIER = 97, UNTOUCHED = 2222222 };

static CUSTOM_KEYBOARD_RV verify(CUSTOM_KEYBOARD k, const char *pepper, const char *verifier) {
  return CustomKeyboard_checkVerifier(k, pepper ? bytes(pepper) : NULL, pepper ? strlen(pepper) : 0, verifier);
}

static void check_verifiers(void) {
  CUSTOM_KEYBOARD k = holding("483725"), other = holding("483726"), idle;
  char verifier[CUSTOM_KEYBOARD_MAXVERIFIERSIZE], second[sizeof verifier];
  size_t length = UNTOUCHED;
  REQUIRE_OK(CustomKeyboard_create(&idle));
#define MAKE(expected, ...) CHECK_EQUAL(CustomKeyboard_makeVerifier(__VA_ARGS__), expected)
  MAKE(OK, k, bytes("pepper"), 6, verifier, sizeof verifier, &length);
  CHECK(length == VERIFIER && strlen(verifier) == length);
  CHECK(strncmp(verifier, "$argon2id$v=19$m=19456,t=2,p=1$", 31) == 0);
  MAKE(OK, k, bytes("pepper"), 6, second, VERIFIER + 1, &length);
  CHECK(strcmp(verifier, second) != 0); /* a salt of its own */
  CHECK_OK(verify(k, "pepper", verifier));
  CHECK_OK(verify(k, "pepper", second));
  CHECK_EQUAL(verify(other, "pepper", verifier), MISMATCH);
  CHECK_EQUAL(verify(k, "Pepper", verifier), MISMATCH);
  CHECK_EQUAL(verify(k, NULL, verifier), MISMATCH);
  CHECK_EQUAL(verify(idle, "pepper", verifier), OP_DISABLE);
  CHECK_EQUAL(verify(0, "pepper", verifier), ARGUMENT);

  static const uint8_t long_pepper[65];
  memset(second, 'x', sizeof second);
  for (size_t capacity = 0; capacity <= VERIFIER; capacity++) {
    length = UNTOUCHED;
    MAKE(SPACE, k, NULL, 0, capacity ? second : NULL, capacity, &length);
    CHECK_EQUAL(length, VERIFIER + 1);
  }
  length = UNTOUCHED;
  MAKE(ARGUMENT, 0, NULL, 0, second, sizeof second, &length);
  MAKE(ARGUMENT, k, NULL, 1, second, sizeof second, &length);
  MAKE(ARGUMENT, k, NULL, 0, NULL, 1, &length);
  MAKE(ARGUMENT, k, NULL, 0, second, sizeof second, NULL);
  MAKE(ARGUMENT, k, NULL, 0, (char *)last_bytes(), 100, &length);
  MAKE(ARGUMENT, k, (uint8_t *)second, 64, second, sizeof second, &length);
  MAKE(OP_DISABLE, idle, long_pepper, 65, second, 3, &length);
  MAKE(MAXLEN, k, long_pepper, 65, second, 3, &length);
  CHECK_EQUAL(length, UNTOUCHED);
  for (size_t i = 0; i < sizeof second; i++) CHECK(second[i] == 'x');

  CHECK_EQUAL(CustomKeyboard_checkVerifier(k, NULL, 1, verifier), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_checkVerifier(k, NULL, 0, NULL), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_checkVerifier(k, long_pepper, 65, verifier), MAXLEN);
  CHECK_EQUAL(CustomKeyboard_checkVerifier(idle, long_pepper, 65, verifier), OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_checkVerifier(idle, long_pepper, 65, "$argon2id$"), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_checkVerifier(0, long_pepper, 65, verifier), ARGUMENT);
  memcpy(second, verifier, sizeof second);
  second[VERIFIER - 1] = second[VERIFIER - 1] == 'A' ? 'E' : 'A'; /* the hash's last bits */
  CHECK_EQUAL(verify(k, "pepper", second), MISMATCH);
  /* Vectors of libargon2's tests (src/test.c), of another salt, memory and hash than the library makes. */
  static const char vector[] =
      "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  CUSTOM_KEYBOARD known = holding("password");
  CHECK_OK(verify(known, NULL, vector));
  CHECK_EQUAL(verify(k, NULL, vector), MISMATCH);
  static const char two_lanes[] =
      "$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc";
  CHECK_OK(verify(known, NULL, two_lanes));
  REQUIRE_OK(CustomKeyboard_destroy(known));
  /* What is cut is not a verifier, in every state, until 16 bytes of the hash are there: a shorter one is another. */
  for (size_t cut = 0; cut < VERIFIER; cut++) {
    memcpy(second, verifier, sizeof second);
    second[cut] = 0;
    CUSTOM_KEYBOARD_RV up = verify(k, "pepper", second), down = verify(idle, "pepper", second);
    if (cut < VERIFIER - 43 + 22) CHECK(up == ARGUMENT && down == ARGUMENT);
    CHECK((up == ARGUMENT && down == ARGUMENT) || (up == MISMATCH && down == OP_DISABLE));
  }
  static char endless[1000];
  memset(endless, 'A', sizeof endless);
  memcpy(endless, verifier, VERIFIER);
  CHECK_EQUAL(verify(k, "pepper", endless), ARGUMENT); /* no NUL within what a verifier can have */
  /* RFC 9106's costs are bounded, so that a hostile string does not stop the machine. */
  CHECK_EQUAL(verify(k, NULL, "$argon2id$v=19$m=2097152,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA"), ARGUMENT);
  CHECK_EQUAL(verify(k, NULL, "$argon2id$v=19$m=8,t=524289,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA"), ARGUMENT);
  CHECK_EQUAL(verify(k, NULL, "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b27WA"), MISMATCH);
  /* The import forms of "1234", without a pepper only. */
  CUSTOM_KEYBOARD imported = holding("1234");
  static const char *forms[] = {
      "$sha256d$cfc32b61db0bcdd71cba720b65f9fb6e6b74b0044c2d1f5e7a6a1f9049a1cf9b",
      "$sha256x2$756bc47cb5215dc3329ca7e1f7be33a2dad68990bb94b76d90aa07f4e44a233a"};
  for (int i = 0; i < 2; i++) {
    CHECK_OK(verify(imported, NULL, forms[i]));
    CHECK_EQUAL(verify(k, NULL, forms[i]), MISMATCH);
    CHECK_EQUAL(verify(imported, "pepper", forms[i]), ARGUMENT);
  }
#undef MAKE
  REQUIRE_OK(CustomKeyboard_destroy(imported));
  REQUIRE_OK(CustomKeyboard_destroy(idle));
  REQUIRE_OK(CustomKeyboard_destroy(other));
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

int main(void) {
  check_verifiers();
  return check_end("verifier", 400);
}
