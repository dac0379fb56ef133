/*
 * Sealed texts, in all ways: what a keyboard seals, unseal and receive open; no two texts are alike, and all have
 * one length. A text that was altered in any bit or length, or is opened with another key, context or way, is refused
 * with one code, and nothing is written.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "sealed.h"

static uint64_t seed;

/* ---- Sealing and opening ----------------------------------------------------------------------------------------- */

/* The password, as the keyboard of a server sends it on under SM4. */
static void check_received(const struct opening *o, const struct bytes *password) {
  static const uint8_t key[17] = "6543217890abcdef";
  uint8_t text[CUSTOM_KEYBOARD_MAXTEXTSIZE], clear[LONGEST_PASSWORD];
  size_t offset, length;
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  CHECK_OK(CustomKeyboard_setEncKey(keyboard, key, 16, CUSTOM_ENCWAY_SM4));
  CHECK_OK(receive(keyboard, o));
  CHECK_OK(CustomKeyboard_getText(keyboard, text, padded(password->length, 16), &offset, &length));
  CHECK_OK(CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, key, 16, text, length, clear, password->length, &offset,
                                  &length));
  CHECK_EQUAL(length, password->length);
  CHECK_BYTES(clear, password->at, password->length);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* Into spaces of all kinds: too small, exact, larger. */
static void check_get_text(CUSTOM_KEYBOARD keyboard, const struct pair *pair, const struct bytes *password,
                           const struct bytes *context) {
  size_t needed = pair->sealing->text_length, offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  prepare_space();
  CHECK_EQUAL(CustomKeyboard_getText(keyboard, sealed_space, draw(&seed) % needed, &offset, &length),
              CUSTOM_KEYBOARD_SPACE);
  CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET);
  CHECK_EQUAL(length, needed);

  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE], clear[LONGEST_PASSWORD + 1];
  size_t sizes[] = {needed, needed + 1, needed + draw(&seed) % (sizeof space - needed), sizeof space};
  for (int i = 0; i < 4; i++) {
    memset(space, 0xa5, sizeof space);
    CHECK_OK(CustomKeyboard_getText(keyboard, space, sizes[i], &offset, &length));
    CHECK_EQUAL(length, needed);
    if (!CHECK(offset <= sizes[i] - needed)) return;
    for (size_t at = sizes[i]; at < sizeof space; at++)
      if (space[at] != 0xa5) CHECK_EQUAL(space[at], 0xa5);
    struct opening o = opening(pair, context, space + offset);
    memset(clear, 0xa5, sizeof clear);
    CHECK_OK(unseal_into(&o, clear, password->length, &offset, &length));
    CHECK(offset == 0 && length == password->length && clear[length] == 0xa5);
    CHECK_BYTES(clear, password->at, password->length);
  }
}

/* Contexts of 0 to 256 bytes, and meanwhile passwords of 0 to 128 bytes twice. */
static void open_every_length(const struct sealed_way *sealing) {
  CUSTOM_KEYBOARD idle = new_keyboard();
  for (size_t i = 0; i <= LONGEST_CONTEXT; i += LESS * sealing->step) {
    struct pair pair = new_pair(sealing);
    struct bytes context = drawn(&seed, i), password = drawn_password(&seed, i % (LONGEST_PASSWORD + 1));
    CUSTOM_KEYBOARD keyboard = ready(&pair, &password, &context);
    check_get_text(keyboard, &pair, &password, &context);
    uint8_t text[LONGEST_SEALED];
    take_text(keyboard, sealing, text);
    struct opening o = opening(&pair, &context, text);
    opened(idle, &o, &password);
    check_received(&o, &password);
    size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
    prepare_space();
    for (size_t size = 0; size < password.length; size += sealing->step) {
      CHECK_EQUAL(unseal_into(&o, size == 0 ? NULL : sealed_space, size, &offset, &length), CUSTOM_KEYBOARD_SPACE);
      CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET);
      CHECK_EQUAL(length, password.length);
    }
    REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  }
  REQUIRE_OK(CustomKeyboard_destroy(idle));
}

/* The same password, key and context: all but the first byte of a point differs. */
static void seal_differently(const struct sealed_way *sealing) {
  enum { TEXTS = 200 / LESS + 2 };
  static uint8_t texts[TEXTS][LONGEST_SEALED];
  struct pair pair = new_pair(sealing);
  struct bytes password = drawn_password(&seed, 8), context = drawn(&seed, 16);
  CUSTOM_KEYBOARD keyboard = ready(&pair, &password, &context);
  for (int i = 0; i < TEXTS; i++) take_text(keyboard, sealing, texts[i]);
  for (int i = 0; i < TEXTS; i++)
    for (int j = 0; j < i; j++)
      for (size_t at = 1; at + 9 <= sealing->text_length; at += 9)
        if (memcmp(texts[i] + at, texts[j] + at, 9) == 0) {
          CHECK_EQUAL(at, SIZE_MAX);
          return;
        }
  CHECK(memcmp(texts[0] + 1, texts[1] + 1, 9) != 0);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

/* ---- Faults ------------------------------------------------------------------------------------------------------ */

static void refuse_altered(const struct pair *pair, const struct bytes *password, CUSTOM_KEYBOARD idle) {
  static uint8_t text[LONGEST_SEALED + 700];
  struct bytes context = drawn(&seed, 40);
  const unsigned step = LESS * pair->sealing->step;
  seal(pair, password, &context, text);
  struct opening good = opening(pair, &context, text), bad = good;
  opened(idle, &good, password);
  for (size_t bit = 0; bit < 8 * good.text_length; bit += step) {
    text[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (!refused(idle, &bad, UNDECRYPTABLE)) fprintf(stderr, "%s, bit %zu\n", pair->sealing->name, bit);
    text[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  /* A part that is replaced as a whole: the point or the nonce, each digest and tag, the masked key. */
  for (size_t at = 0; at < good.text_length; at += 16) {
    size_t size = good.text_length - at < 16 ? good.text_length - at : 16;
    uint8_t kept[16];
    memcpy(kept, text + at, size);
    for (int value = 0; value <= 255; value += 255) {
      memset(text + at, value, size);
      /* The last part may be one byte of a tag. */
      if (memcmp(text + at, kept, size) != 0) refused(idle, &bad, UNDECRYPTABLE);
    }
    memcpy(text + at, kept, size);
  }
  for (bad.text_length = 0; bad.text_length <= sizeof text; bad.text_length += LESS)
    if (bad.text_length != good.text_length) refused(idle, &bad, UNDECRYPTABLE);
  const size_t huge[] = {1u << 20, SIZE_MAX / 2};
  for (int i = 0; i < 2; i++) {
    bad.text_length = huge[i];
    refused(idle, &bad, UNDECRYPTABLE);
  }
  bad = good;
  bad.text++;
  refused(idle, &bad, UNDECRYPTABLE);
  bad.text = NULL, bad.text_length = 0;
  refused(idle, &bad, UNDECRYPTABLE);
  opened(idle, &good, password);
}

/* The text of another context is refused, whatever the contexts share. */
static void refuse_context(const struct pair *pair, const struct bytes *password, CUSTOM_KEYBOARD idle) {
  const unsigned step = LESS * pair->sealing->step;
  for (size_t length = 0; length <= LONGEST_CONTEXT; length += 64) {
    uint8_t text[LONGEST_SEALED];
    struct bytes context = drawn(&seed, length), other;
    if (length > 0) context.at[length - 1] = 0; /* cut by one, it differs only in its length */
    seal(pair, password, &context, text);
    struct opening good = opening(pair, &context, text), bad = good;
    opened(idle, &good, password);
    bad.context = other.at;
    for (size_t bit = 0; bit < 8 * length; bit += step) {
      other = context;
      other.at[bit / 8] ^= (uint8_t)(1 << bit % 8);
      refused(idle, &bad, UNDECRYPTABLE);
    }
    other = context;
    for (bad.context_length = 0; bad.context_length <= LONGEST_CONTEXT; bad.context_length += step)
      if (bad.context_length != length) refused(idle, &bad, UNDECRYPTABLE);
    bad.context = NULL, bad.context_length = 0;
    if (length == 0) opened(idle, &bad, password);
    if (length > 0) refused(idle, &bad, UNDECRYPTABLE);
  }
}

/* Whether a number may be too large for the curve: n begins with ffffffff (P-256) or fffffffe (SM2).
 * Such keys are refused with another code, by sealed_arguments. */
static int is_too_large(const struct sealed_way *sealing, const uint8_t *key) {
  int is_number = sealing->way == CUSTOM_ENCWAY_P256 || sealing->way == CUSTOM_ENCWAY_SM2;
  return is_number && key[0] == 0xff && key[1] == 0xff && key[2] == 0xff && key[3] >= 0xfe;
}

/* Another pair of keys; each bit of the right secret key, but those that X25519 ignores; another way. A key of RSA with
 * another bit is not a key. */
static void refuse_key(const struct pair *pair, const struct bytes *password, CUSTOM_KEYBOARD idle) {
  const struct sealed_way *sealing = pair->sealing;
  static uint8_t text[LONGEST_SEALED + 700];
  struct bytes context = drawn(&seed, 16);
  seal(pair, password, &context, text);
  struct opening good = opening(pair, &context, text), bad = good;
  struct pair other;
  bad.key = other.secret;
  for (int i = 0; i < 20; i += LESS) {
    do other = new_pair(sealing);
    while (memcmp(other.secret, pair->secret, sealing->secret_length) == 0);
    refused(idle, &bad, UNDECRYPTABLE);
  }
  for (size_t bit = 0; bit < 8 * sealing->secret_length; bit += LESS) {
    int is_ignored = sealing->way == CUSTOM_ENCWAY_X25519 && (bit < 3 || bit >= 254);
    other = *pair;
    other.secret[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (is_too_large(sealing, other.secret)) continue;
    if (is_ignored) {
      opened(idle, &bad, password);
    } else if (!refused(idle, &bad, sealing->way == CUSTOM_ENCWAY_RSA ? CUSTOM_KEYBOARD_ERR : UNDECRYPTABLE)) {
      fprintf(stderr, "%s, bit %zu of the key\n", sealing->name, bit);
    }
  }
  for (int i = 0; i < SEALED_WAYS; i++) {
    if (sealed_ways[i].way == sealing->way || sealed_ways[i].secret_length != sealing->secret_length) continue;
    bad = good;
    bad.way = sealed_ways[i].way;
    refused(idle, &bad, UNDECRYPTABLE);
    bad.text_length = sealed_ways[i].text_length;
    refused(idle, &bad, UNDECRYPTABLE);
  }
}

/* ---- The context of a keyboard ----------------------------------------------------------------------------------- */

/* Whether the text that the keyboard makes now is for this context. */
static void check_context(CUSTOM_KEYBOARD keyboard, const struct pair *pair, const struct bytes *password,
                          const struct bytes *context, CUSTOM_KEYBOARD idle) {
  uint8_t text[LONGEST_SEALED];
  take_text(keyboard, pair->sealing, text);
  struct opening o = opening(pair, context, text);
  opened(idle, &o, password);
}

/* Whether getText answers ERR for a space of any size, and writes nothing: no context was set. */
static void check_no_context(CUSTOM_KEYBOARD keyboard) {
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  prepare_space();
  for (size_t size = 0; size <= sizeof sealed_space; size += 64)
    CHECK_EQUAL(CustomKeyboard_getText(keyboard, sealed_space, size, &offset, &length), CUSTOM_KEYBOARD_ERR);
  CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
}

static void keep_context(const struct pair *pair, const struct bytes *password, CUSTOM_KEYBOARD idle) {
  const struct sealed_way *sealing = pair->sealing;
  static uint8_t longer[LONGEST_CONTEXT + 1000];
  struct bytes context = drawn(&seed, LONGEST_CONTEXT), short_one = drawn(&seed, 3), none = {.length = 0};
  CUSTOM_KEYBOARD keyboard = typed(sealing->way, pair->public, sealing->public_length, password->at, password->length);
  /* A new keyboard has none, and one that is refused sets none. */
  check_no_context(keyboard);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, longer, sizeof longer), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, NULL, 1), CUSTOM_KEYBOARD_ARGUMENT);
  check_no_context(keyboard);
  CHECK_OK(CustomKeyboard_setContext(keyboard, NULL, 0));
  check_context(keyboard, pair, password, &none, idle);
  CHECK_OK(CustomKeyboard_close(keyboard));
  /* Set before the key, and while the keyboard is idle. */
  CHECK_OK(CustomKeyboard_setContext(keyboard, context.at, context.length));
  CHECK_OK(CustomKeyboard_setEncKey(keyboard, pair->public, sealing->public_length, sealing->way));
  CHECK_OK(CustomKeyboard_open(keyboard));
  CHECK_OK(CustomKeyboard_input(keyboard, password->at, password->length));
  check_context(keyboard, pair, password, &context, idle);
  /* What is refused changes nothing. */
  for (size_t length = LONGEST_CONTEXT + 1; length <= sizeof longer; length++)
    CHECK_EQUAL(CustomKeyboard_setContext(keyboard, longer, length), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, longer, SIZE_MAX), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, longer, SIZE_MAX / 2), CUSTOM_KEYBOARD_MAXLEN);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, NULL, 1), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, NULL, LONGEST_CONTEXT + 1), CUSTOM_KEYBOARD_ARGUMENT);
  check_context(keyboard, pair, password, &context, idle);
  CHECK_OK(CustomKeyboard_clear(keyboard));
  CHECK_OK(CustomKeyboard_input(keyboard, password->at, password->length));
  check_context(keyboard, pair, password, &context, idle);
  /* It is a copy. A shorter one replaces all of it, and one of no bytes is the empty one. */
  struct bytes copy = short_one;
  CHECK_OK(CustomKeyboard_setContext(keyboard, copy.at, copy.length));
  memset(&copy, 0, sizeof copy);
  check_context(keyboard, pair, password, &short_one, idle);
  CHECK_OK(CustomKeyboard_setContext(keyboard, NULL, 0));
  check_context(keyboard, pair, password, &none, idle);
  CHECK_OK(CustomKeyboard_setContext(keyboard, context.at, context.length));
  CHECK_OK(CustomKeyboard_setContext(keyboard, nothing, 0));
  check_context(keyboard, pair, password, &none, idle);
  /* close forgets it, an empty one too, and keeps the key. */
  CHECK_OK(CustomKeyboard_setContext(keyboard, context.at, context.length));
  for (int i = 0; i < 2; i++) {
    CHECK_OK(CustomKeyboard_close(keyboard));
    CHECK_OK(CustomKeyboard_open(keyboard));
    CHECK_OK(CustomKeyboard_input(keyboard, password->at, password->length));
    check_no_context(keyboard);
    CHECK_OK(CustomKeyboard_setContext(keyboard, i == 0 ? nothing : NULL, 0));
    check_context(keyboard, pair, password, &none, idle);
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, context.at, context.length), CUSTOM_KEYBOARD_ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setContext(keyboard, longer, sizeof longer), CUSTOM_KEYBOARD_ARGUMENT);
}

/* ECB cannot be bound to a context, so a text would be worth less than the caller believes. */
static void refuse_ecb_with_context(void) {
  static const uint8_t key[LONGEST_KEY + 1] = "890765432980765423451673";
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
    CUSTOM_KEYBOARD keyboard = typed(algorithms[i].way, key, algorithms[i].key_length, bytes("kgcx879@"), 8);
    CHECK_OK(CustomKeyboard_setContext(keyboard, bytes("x"), 1));
    prepare_space();
    for (size_t size = 0; size <= sizeof sealed_space; size += 64)
      CHECK_EQUAL(CustomKeyboard_getText(keyboard, sealed_space, size, &offset, &length), CUSTOM_KEYBOARD_ERR);
    CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
    CHECK_OK(CustomKeyboard_setContext(keyboard, NULL, 0));
    CHECK_OK(CustomKeyboard_getText(keyboard, sealed_space, sizeof sealed_space, &offset, &length));
    CHECK_EQUAL(length, 16);
    REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  }
}

int main(void) {
  seed = take_seed();
  for (int i = 0; i < SEALED_WAYS; i++) {
    struct pair pair = new_pair(&sealed_ways[i]);
    CUSTOM_KEYBOARD idle = new_keyboard();
    open_every_length(&sealed_ways[i]);
    seal_differently(&sealed_ways[i]);
    struct bytes password = drawn_password(&seed, draw(&seed) % (LONGEST_PASSWORD + 1));
    refuse_altered(&pair, &password, idle);
    refuse_context(&pair, &password, idle);
    refuse_key(&pair, &password, idle);
    keep_context(&pair, &password, idle);
    REQUIRE_OK(CustomKeyboard_destroy(idle));
  }
  refuse_ecb_with_context();
  return check_end("sealed", 250000 / LESS / (LESS > 1 ? 4 : 1));
}
