/*
 * `receive`: an idle keyboard opens with the password of a text, sealed or ECB, as if it had been typed. Its key and
 * context stay, no callback runs, and a failure leaves it idle. And the order of the codes of `unseal` and `receive`,
 * for every combination of faults.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "page.h"
#include "sealed.h"
#include <sys/wait.h>
#include <unistd.h>

static uint64_t seed;

/* ---- A received password is a typed one -------------------------------------------------------------------------- */

static int calls;
static void count_change(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)context, (void)keyboard, (void)count;
  calls++;
}
static void count_action(void *context, CUSTOM_KEYBOARD keyboard) {
  (void)context, (void)keyboard;
  calls++;
}

/* What the keyboard holds: sealed for `pair` in `context`, it must open. */
static void check_holds(CUSTOM_KEYBOARD keyboard, const struct pair *pair, const struct bytes *context,
                        const struct bytes *password) {
  uint8_t text[LONGEST_SEALED], clear[LONGEST_PASSWORD];
  size_t offset, length;
  take_text(keyboard, pair->sealing, text);
  struct opening o = opening(pair, context, text);
  if (!CHECK_OK(unseal_into(&o, clear, sizeof clear, &offset, &length))) return;
  CHECK_EQUAL(length, password->length);
  CHECK_BYTES(clear + offset, password->at, password->length);
}

static void use_as_typed(const struct pair *in, const struct pair *out) {
  struct bytes arriving = drawn(&seed, 30), leaving = drawn(&seed, 20), password = drawn_password(&seed, 12);
  uint8_t text[LONGEST_SEALED];
  struct page page;
  size_t count;
  seal(in, &password, &arriving, text);
  struct opening o = opening(in, &arriving, text);
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  REQUIRE_OK(CustomKeyboard_setLayout(keyboard, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_OPENING, 4));
  REQUIRE_OK(CustomKeyboard_setTextField(keyboard, count_change, NULL));
  REQUIRE_OK(CustomKeyboard_setOKAction(keyboard, count_action, NULL));
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, out->public, out->sealing->public_length, out->sealing->way));
  REQUIRE_OK(CustomKeyboard_setContext(keyboard, leaving.at, leaving.length));
  calls = 0;
  CHECK_OK(receive(keyboard, &o)); /* twelve characters: the maximum of four does not matter */
  CHECK_EQUAL(calls, 0);
  CHECK_OK(CustomKeyboard_count(keyboard, &count));
  CHECK_EQUAL(count, 12);
  check_holds(keyboard, out, &leaving, &password);
  CHECK_EQUAL(calls, 0);
  /* The keyboard is up: its keys are there, and what is typed follows. */
  look(keyboard, &page);
  CHECK_EQUAL(page.count, 12);
  CHECK_OK(CustomKeyboard_deleteBackward(keyboard));
  CHECK_OK(CustomKeyboard_input(keyboard, bytes("é!"), 3));
  CHECK_EQUAL(calls, 2);
  memcpy(password.at + 11, "é!", 3);
  password.length = 14;
  check_holds(keyboard, out, &leaving, &password);
  CHECK_EQUAL(CustomKeyboard_open(keyboard), OP_DISABLE);
  /* close forgets the password and the context, and it can receive again. */
  CHECK_OK(CustomKeyboard_close(keyboard));
  CHECK_OK(receive(keyboard, &o));
  memcpy(password.at + 11, "\0", 1);
  CHECK_OK(CustomKeyboard_count(keyboard, &count));
  CHECK_EQUAL(count, 12);
  leaving.length = 0;
  CHECK_OK(CustomKeyboard_deleteBackward(keyboard));
  password.length = 11;
  size_t offset, length;
  CHECK_EQUAL(CustomKeyboard_getText(keyboard, sealed_space, sizeof sealed_space, &offset, &length), ERR);
  CHECK_OK(CustomKeyboard_setContext(keyboard, NULL, 0));
  check_holds(keyboard, out, &leaving, &password);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* A failure leaves it idle, with its key and context. */
static void fail_and_stay(const struct pair *in, const struct pair *out) {
  struct bytes arriving = drawn(&seed, 30), leaving = drawn(&seed, 20), password = drawn_password(&seed, 12);
  uint8_t text[LONGEST_SEALED];
  seal(in, &password, &arriving, text);
  struct opening good = opening(in, &arriving, text), bad = good;
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, out->public, out->sealing->public_length, out->sealing->way));
  REQUIRE_OK(CustomKeyboard_setContext(keyboard, leaving.at, leaving.length));
  bad.context_length--;
  CHECK_EQUAL(receive(keyboard, &bad), UNDECRYPTABLE);
  bad.key_length--;
  CHECK_EQUAL(receive(keyboard, &bad), ERR);
  bad.context_length = 257;
  CHECK_EQUAL(receive(keyboard, &bad), MAXLEN);
  bad.key = NULL;
  CHECK_EQUAL(receive(keyboard, &bad), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_close(keyboard), OP_DISABLE);
  CHECK_OK(CustomKeyboard_open(keyboard));
  CHECK_OK(CustomKeyboard_input(keyboard, password.at, password.length));
  check_holds(keyboard, out, &leaving, &password);
  /* While it is up, the answer is the same whatever the text is, and what was typed stays. */
  CHECK_EQUAL(receive(keyboard, &good), OP_DISABLE);
  struct opening worse = good;
  worse.context_length = 257;
  CHECK_EQUAL(receive(keyboard, &worse), OP_DISABLE);
  worse = good, worse.key_length = 3;
  CHECK_EQUAL(receive(keyboard, &worse), OP_DISABLE);
  worse = good, worse.text_length = 5;
  CHECK_EQUAL(receive(keyboard, &worse), OP_DISABLE);
  worse.way = CUSTOM_ENCWAY_SM4;
  CHECK_EQUAL(receive(keyboard, &worse), OP_DISABLE);
  worse.text_length = 145;
  CHECK_EQUAL(receive(keyboard, &worse), OP_DISABLE);
  worse.text = NULL;
  CHECK_EQUAL(receive(keyboard, &worse), ARGUMENT);
  check_holds(keyboard, out, &leaving, &password);
  /* Without a key it can receive, but nothing leaves. */
  CUSTOM_KEYBOARD keyless = new_keyboard();
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  CHECK_OK(receive(keyless, &good));
  prepare_space();
  CHECK_EQUAL(CustomKeyboard_getText(keyless, sealed_space, 0, &offset, &length), ERR);
  CHECK_EQUAL(CustomKeyboard_getText(keyless, sealed_space, sizeof sealed_space, &offset, &length), ERR);
  CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(keyless));
}

/* Secrets do not cross a fork, and neither do the recipient and the context. */
static void forget_in_child(const struct pair *in, const struct pair *out) {
  struct bytes context = drawn(&seed, 30), none = {.length = 0}, password = drawn_password(&seed, 12);
  CUSTOM_KEYBOARD keyboard = ready(out, &password, &context);
  uint8_t text[LONGEST_SEALED];
  seal(in, &password, &context, text);
#if !defined(__APPLE__) /* an app cannot fork */
  fflush(NULL);
  pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    size_t offset, length;
    struct opening o = opening(in, &context, text);
    unsigned long failures = atomic_load(&check_failures);
    CHECK_EQUAL(CustomKeyboard_close(keyboard), OP_DISABLE);
    CHECK_OK(receive(keyboard, &o));
    CHECK_EQUAL(CustomKeyboard_getText(keyboard, sealed_space, sizeof sealed_space, &offset, &length), ERR);
    CHECK_OK(CustomKeyboard_close(keyboard));
    CHECK_OK(CustomKeyboard_setEncKey(keyboard, out->public, out->sealing->public_length, out->sealing->way));
    CHECK_OK(receive(keyboard, &o));
    CHECK_EQUAL(CustomKeyboard_getText(keyboard, sealed_space, sizeof sealed_space, &offset, &length), ERR);
    CHECK_OK(CustomKeyboard_setContext(keyboard, none.at, 0));
    check_holds(keyboard, out, &none, &password);
    _exit(atomic_load(&check_failures) > failures);
  }
  int status;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK_EQUAL(status, 0);
#endif
  check_holds(keyboard, out, &context, &password);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- ECB texts --------------------------------------------------------------------------------------------------- */

/* An ECB text of these bytes, as a peer without our limits makes it. */
static size_t encrypted(const struct algorithm *a, const uint8_t *clear, size_t length, uint8_t *text) {
  CUSTOM_KEYBOARD_CIPHER cipher;
  size_t text_length = padded(length, a->block_size);
  uint8_t block[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  memcpy(block, clear, length);
  memset(block + length, (int)(text_length - length), text_length - length);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, a->way, page_key, a->key_length, CUSTOM_KEYBOARD_ENCRYPTING));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, block, text, text_length));
  REQUIRE_OK(CustomKeyboard_wipeCipher(&cipher));
  return text_length;
}

static void check_idle(CUSTOM_KEYBOARD keyboard) { CHECK_EQUAL(CustomKeyboard_close(keyboard), OP_DISABLE); }

static void receive_ecb(const struct algorithm *a, const struct pair *out) {
  struct bytes leaving = drawn(&seed, 20), none = {.length = 0};
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, out->public, out->sealing->public_length, out->sealing->way));
  for (size_t length = 0; length < CUSTOM_KEYBOARD_MAXTEXTSIZE; length++) {
    struct bytes password = drawn_password(&seed, length);
    uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
    struct opening o = {a->way, page_key, a->key_length, none.at, 0, text, encrypted(a, password.at, length, text)};
    REQUIRE_OK(CustomKeyboard_setContext(keyboard, leaving.at, leaving.length));
    if (length > LONGEST_PASSWORD) {
      CHECK_EQUAL(receive(keyboard, &o), MAXLEN);
      check_idle(keyboard);
      /* Neither UTF-8 nor short enough. */
      password.at[draw(&seed) % length] = 0xff;
      encrypted(a, password.at, length, text);
      CHECK_EQUAL(receive(keyboard, &o), UNDECRYPTABLE);
      check_idle(keyboard);
      o.text_length -= 1;
      CHECK_EQUAL(receive(keyboard, &o), UNDECRYPTABLE);
      continue;
    }
    CHECK_OK(receive(keyboard, &o));
    check_holds(keyboard, out, &leaving, &password);
    CHECK_OK(CustomKeyboard_close(keyboard));
  }
  /* Not whole blocks; wrong padding; a wrong key; too long. */
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE + 16], zeros[LONGEST_KEY] = {0};
  size_t size = encrypted(a, bytes("0123456789"), 10, text);
  struct opening good = {a->way, page_key, a->key_length, NULL, 0, text, size}, bad = good;
  CHECK_OK(receive(keyboard, &good));
  CHECK_OK(CustomKeyboard_close(keyboard));
  for (bad.text_length = 0; bad.text_length <= sizeof text; bad.text_length++) {
    if (bad.text_length > 0 && bad.text_length <= 144 && bad.text_length % a->block_size == 0) continue;
    CHECK_EQUAL(receive(keyboard, &bad), bad.text_length > 144 ? MAXLEN : UNDECRYPTABLE);
  }
  bad.text_length = SIZE_MAX / 2;
  CHECK_EQUAL(receive(keyboard, &bad), MAXLEN);
  int wrong = 0;
  for (int i = 0; i < 100; i++) {
    bad = good, bad.key = zeros;
    zeros[0] += 2;
    CUSTOM_KEYBOARD_RV rv = receive(keyboard, &bad);
    if (rv == CUSTOM_KEYBOARD_OK) CHECK_OK(CustomKeyboard_close(keyboard));
    else CHECK_EQUAL(rv, UNDECRYPTABLE);
    wrong += rv == UNDECRYPTABLE;
  }
  CHECK(wrong > 50); /* one in 256 has padding by chance */
  for (size_t length = 0; length < 40; length++) {
    bad = good, bad.key_length = length;
    if (length != 8 && length != 16 && length != 24) CHECK_EQUAL(receive(keyboard, &bad), ERR);
  }
  /* A context cannot be checked. */
  for (size_t length = 1; length <= LONGEST_CONTEXT + 1; length++) {
    uint8_t context[LONGEST_CONTEXT + 1] = {0};
    bad = good, bad.context = context, bad.context_length = length;
    CHECK_EQUAL(receive(keyboard, &bad), length > LONGEST_CONTEXT ? MAXLEN : ERR);
  }
  check_idle(keyboard);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* A password is UTF-8: a keyboard cannot hold anything else. decrypt takes any bytes. */
static void refuse_other_than_utf8(const struct algorithm *a) {
  static const char *const others[] = {"\x80", "\xff", "abc\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                                       "\xf0\x82\x82\xac", "a\xe2\x28\xa1", "\xfe"};
  static const char *const good[] = {"", "é", "日本", "👩‍👩‍👧", "a\xcc\x81", "\x01\x7f"};
  const size_t characters[] = {0, 1, 2, 1, 1, 2};
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
  size_t offset, length, count;
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  struct opening o = {a->way, page_key, a->key_length, NULL, 0, text, 0};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    o.text_length = encrypted(a, bytes(others[i]), strlen(others[i]), text);
    CHECK_OK(CustomKeyboard_decrypt(a->way, page_key, a->key_length, text, o.text_length, sealed_space,
                                    sizeof sealed_space, &offset, &length));
    CHECK_EQUAL(receive(keyboard, &o), UNDECRYPTABLE);
    check_idle(keyboard);
  }
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    o.text_length = encrypted(a, bytes(good[i]), strlen(good[i]), text);
    CHECK_OK(receive(keyboard, &o));
    CHECK_OK(CustomKeyboard_count(keyboard, &count));
    CHECK_EQUAL(count, characters[i]);
    CHECK_OK(CustomKeyboard_close(keyboard));
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- The order of the codes -------------------------------------------------------------------------------------- */

/* Each bit is a fault. The first code in the contract's order answers, whatever else is wrong. */
enum { NULL_TEXT = 1, IS_UP = 2, LONG_CONTEXT = 4, BAD_KEY = 8, BAD_TEXT = 16, SMALL_SPACE = 32, FAULTS = 64 };

static CUSTOM_KEYBOARD_RV first_of(int faults) {
  return faults & NULL_TEXT      ? ARGUMENT
         : faults & IS_UP        ? OP_DISABLE
         : faults & LONG_CONTEXT ? MAXLEN
         : faults & BAD_KEY      ? ERR
         : faults & BAD_TEXT     ? UNDECRYPTABLE
         : faults & SMALL_SPACE  ? CUSTOM_KEYBOARD_SPACE
                                 : CUSTOM_KEYBOARD_OK;
}

static void order_sealed(const struct pair *pair) {
  struct bytes context = drawn(&seed, 30), password = drawn_password(&seed, 12);
  uint8_t text[LONGEST_SEALED], altered[LONGEST_SEALED], long_context[LONGEST_CONTEXT + 1] = {0}, zeros[32] = {0};
  seal(pair, &password, &context, text);
  memcpy(altered, text, sizeof altered);
  altered[pair->sealing->text_length - 1] ^= 1;
  int is_number = pair->sealing->way == CUSTOM_ENCWAY_P256 || pair->sealing->way == CUSTOM_ENCWAY_SM2;
  for (int faults = 0; faults < FAULTS; faults++)
    for (int kind = 0; kind < 4; kind++) { /* two kinds of bad key, two of bad text */
      struct opening o = opening(pair, &context, text);
      if (faults & LONG_CONTEXT) o.context = long_context, o.context_length = sizeof long_context;
      if (faults & BAD_KEY && (kind & 1 || !is_number)) o.key_length--;
      else if (faults & BAD_KEY) o.key = zeros;
      if (faults & BAD_TEXT && kind & 2) o.text = altered;
      else if (faults & BAD_TEXT) o.text_length--;
      if (faults & NULL_TEXT) o.text = NULL;

      size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
      size_t size = faults & SMALL_SPACE ? (kind & 1 ? 0 : 11) : sizeof sealed_space;
      CUSTOM_KEYBOARD_RV expected = first_of(faults & ~IS_UP);
      prepare_space();
      CHECK_EQUAL(unseal_into(&o, sealed_space, size, &offset, &length), expected);
      if (expected != CUSTOM_KEYBOARD_OK) CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET);
      if (expected == CUSTOM_KEYBOARD_SPACE) CHECK_EQUAL(length, 12);
      else if (expected != CUSTOM_KEYBOARD_OK) CHECK_EQUAL(length, UNTOUCHED_LENGTH);

      CUSTOM_KEYBOARD keyboard = new_keyboard();
      if (faults & IS_UP) REQUIRE_OK(CustomKeyboard_open(keyboard));
      expected = first_of(faults & ~SMALL_SPACE);
      CHECK_EQUAL(receive(keyboard, &o), expected);
      int is_up = faults & IS_UP || expected == CUSTOM_KEYBOARD_OK;
      CHECK_EQUAL(CustomKeyboard_close(keyboard), is_up ? CUSTOM_KEYBOARD_OK : OP_DISABLE);
      REQUIRE_OK(CustomKeyboard_destroy(keyboard));
      CHECK_EQUAL(receive(keyboard, &o), ARGUMENT);
    }
}

/* ECB: a text over 144 bytes is as early as a context over 256, and a password over 128 comes last. */
static void order_ecb(const struct algorithm *a) {
  enum { LONG_TEXT = 64, SOME_CONTEXT = 128, LONG_PASSWORD = 256 };
  uint8_t clear[143], text[160] = {0}, long_context[LONGEST_CONTEXT + 1] = {0};
  memset(clear, 'a', sizeof clear);
  for (int faults = 0; faults < 512; faults++) {
    if (faults & SMALL_SPACE) continue;
    struct opening o = {a->way, page_key, a->key_length, NULL, 0, text, 0};
    o.text_length = encrypted(a, clear, faults & LONG_PASSWORD ? sizeof clear : 20, text);
    if (faults & SOME_CONTEXT) o.context = long_context, o.context_length = 1;
    if (faults & LONG_CONTEXT) o.context = long_context, o.context_length = sizeof long_context;
    if (faults & BAD_KEY) o.key_length = 3;
    if (faults & BAD_TEXT) o.text_length--;
    if (faults & LONG_TEXT) o.text_length = 145;
    if (faults & NULL_TEXT) o.text = NULL;
    CUSTOM_KEYBOARD_RV expected = faults & (NULL_TEXT | IS_UP)           ? first_of(faults)
                                  : faults & (LONG_CONTEXT | LONG_TEXT)  ? MAXLEN
                                  : faults & (BAD_KEY | SOME_CONTEXT)    ? ERR
                                  : faults & BAD_TEXT                    ? UNDECRYPTABLE
                                  : faults & LONG_PASSWORD               ? MAXLEN
                                                                         : CUSTOM_KEYBOARD_OK;
    CUSTOM_KEYBOARD keyboard = new_keyboard();
    if (faults & IS_UP) REQUIRE_OK(CustomKeyboard_open(keyboard));
    if (!CHECK_EQUAL(receive(keyboard, &o), expected)) fprintf(stderr, "%s, faults %d\n", a->name, faults);
    int is_up = faults & IS_UP || expected == CUSTOM_KEYBOARD_OK;
    CHECK_EQUAL(CustomKeyboard_close(keyboard), is_up ? CUSTOM_KEYBOARD_OK : OP_DISABLE);
    REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  }
}

/* getText: ARGUMENT, OP_DISABLE, ERR, SPACE. */
static void order_get_text(const struct pair *pair) {
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  struct bytes password = drawn_password(&seed, 12), context = drawn(&seed, 30);
  CUSTOM_KEYBOARD up = ready(pair, &password, &context), idle = new_keyboard();
  prepare_space();
  CHECK_EQUAL(CustomKeyboard_getText(idle, NULL, 9, &offset, &length), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_getText(idle, sealed_space, 0, &offset, &length), OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_getText(up, NULL, 9, &offset, &length), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_getText(up, sealed_space, 9, NULL, &length), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_getText(up, sealed_space, 9, &offset, NULL), ARGUMENT);
  CHECK(length == UNTOUCHED_LENGTH);
  CHECK_EQUAL(CustomKeyboard_getText(up, NULL, 0, &offset, &length), CUSTOM_KEYBOARD_SPACE);
  CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET);
  CHECK_EQUAL(length, pair->sealing->text_length);
  REQUIRE_OK(CustomKeyboard_destroy(up));
  REQUIRE_OK(CustomKeyboard_destroy(idle));
}

int main(void) {
  seed = take_seed();
  for (int i = 0; i < SEALED_WAYS; i++) {
    struct pair in = new_pair(&sealed_ways[i]);
    for (int j = 0; j < SEALED_WAYS; j++) {
      struct pair out = new_pair(&sealed_ways[j]);
      use_as_typed(&in, &out);
      fail_and_stay(&in, &out);
      forget_in_child(&in, &out);
    }
    for (int j = 0; j < ALGORITHM_COUNT; j++) receive_ecb(&algorithms[j], &in);
    order_sealed(&in);
    order_get_text(&in);
  }
  for (int j = 0; j < ALGORITHM_COUNT; j++) {
    refuse_other_than_utf8(&algorithms[j]);
    order_ecb(&algorithms[j]);
  }
  return check_end("received", 28000);
}
