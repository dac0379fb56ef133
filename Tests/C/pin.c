/*
 * PIN blocks: which code each mistake gets and which comes first, what a received PIN may become. A call that fails
 * changes nothing. That the blocks are right is seen by pin_peers.py. The keys of single transactions are in dukpt.c.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include "pin.h"

static const CUSTOM_ENCWAY ways[] = {PIN0, PIN1, PIN3, PIN4};
enum { WAYS = sizeof ways / sizeof *ways };

/* The first two halves of the first are one key but for parity bits, and so are the last two of the second. */
static const uint8_t first_equal[33] = "01234567\x31\x30\x33\x32\x35\x34\x37\x36zyxwvuts";
static const uint8_t last_equal[33] = "01234567abcdefghabcdefgh";
static const uint8_t outer_equal[33] = "01234567abcdefgh01234567";
static const char other_card[] = "4012345678917";
static CUSTOM_KEYBOARD server;

static size_t block_size(CUSTOM_ENCWAY way) { return way == PIN4 ? 16 : 8; }

static CUSTOM_KEYBOARD_RV receive(CUSTOM_KEYBOARD k, CUSTOM_ENCWAY way, const char *context, const uint8_t *block) {
  return CustomKeyboard_receive(k, way, good_key, 16, bytes(context), strlen(context), block, block_size(way));
}

/* A block of the PIN 123456 under the good key. */
static void make_block(CUSTOM_ENCWAY way, uint8_t *block) {
  CustomKeyboard_close(keyboard);
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, good_key, 16, way));
  type(keyboard, card_of(way), "123456");
  REQUIRE_OK(get_text(keyboard, block_size(way)));
  REQUIRE(length == block_size(way) && offset == 0);
  memcpy(block, space, length);
  REQUIRE_OK(CustomKeyboard_close(keyboard));
}

/* ---- Keys -------------------------------------------------------------------------------------------------------- */

static void refuse_wrong_keys(void) {
  for (int i = 0; i < WAYS; i++) {
    for (size_t n = 0; n <= 33; n++) {
      int is_right = n == 16 || n == 24 || (n == 32 && ways[i] == PIN4);
      CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, good_key, n, ways[i]), is_right ? OK : ERR);
    }
    const struct {
      const uint8_t *key;
      size_t length;
      CUSTOM_KEYBOARD_RV rv;
    } rows[] = {{first_equal, 16, ERR}, {first_equal, 24, ERR}, {last_equal, 24, ERR}, {outer_equal, 24, OK}};
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
      CUSTOM_KEYBOARD_RV expected = ways[i] == PIN4 ? OK : rows[row].rv;
      uint8_t block[16] = {0};
      CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, rows[row].key, rows[row].length, ways[i]), expected);
      CUSTOM_KEYBOARD_RV rv = CustomKeyboard_receive(server, ways[i], rows[row].key, rows[row].length,
                                                     bytes(card_of(ways[i])), strlen(card_of(ways[i])), block, 0);
      CHECK_EQUAL(rv, expected == ERR ? ERR : UNDECRYPTABLE);
    }
    CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, NULL, 16, ways[i]), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, last_bytes(), 16, ways[i]), ARGUMENT);
  }
  /* A wrong key leaves the old one. */
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, good_key, 16, PIN0));
  type(keyboard, card, "1234");
  REQUIRE_OK(get_text(keyboard, 8));
  uint8_t before[8];
  memcpy(before, space, 8);
  CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, good_key, 24, PIN0), OP_DISABLE);
  REQUIRE_OK(CustomKeyboard_close(keyboard));
  CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, first_equal, 16, PIN3), ERR);
  type(keyboard, card, "1234");
  REQUIRE_OK(get_text(keyboard, 8));
  CHECK_BYTES(space, before, 8);
}

/* ---- getText ----------------------------------------------------------------------------------------------------- */

static const struct {
  const char *context, *text;
  size_t size;
  CUSTOM_KEYBOARD_RV with_card, without; /* of a way that has a card's number, and of PIN1 */
} texts[] = {
    {card, "1234", 16, OK, ERR},
    {card, "123456789012", 16, OK, ERR},
    {"", "1234", 16, ERR, OK},
    {NULL, "1234", 16, ERR, OK},
    {"", "123456789012", 16, ERR, OK},
    {"123456789", "1234", 16, ERR, ERR},
    {"1234567890", "1234", 16, OK, ERR},
    {"1234567890123456789", "1234", 16, OK, ERR},
    {"12345678901234567890", "1234", 16, ERR, ERR},
    {"40123456789o9", "1234", 16, ERR, ERR},
    {"40123456789/9", "1234", 16, ERR, ERR},
    {"40123456789:9", "1234", 16, ERR, ERR},
    {"4012345678\xb9", "1234", 16, ERR, ERR},
    /* ERR, then REFUSED, then SPACE. */
    {"", "123", 0, ERR, REFUSED},
    {card, "123", 0, REFUSED, ERR},
    {card, "", 0, REFUSED, ERR},
    {card, "1234567890123", 0, REFUSED, ERR},
    {card, "123a", 0, REFUSED, ERR},
    {card, "a234", 0, REFUSED, ERR},
    {card, "12/4", 0, REFUSED, ERR},
    {card, "12:4", 0, REFUSED, ERR},
    {card, "12345678901 ", 0, REFUSED, ERR},
    {card, "123\xd9\xa4", 0, REFUSED, ERR}, /* an Arabic digit */
    {card, "1234", 7, SPACE, ERR},
    {"", "123\xd9\xa4", 0, ERR, REFUSED},
    {"", "1234", 0, ERR, SPACE},
    {"", "1234", 7, ERR, SPACE},
};

static void answer_in_order(void) {
  for (int i = 0; i < WAYS; i++) {
    CustomKeyboard_close(keyboard);
    REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, good_key, 16, ways[i]));
    CHECK_EQUAL(get_text(keyboard, 0), OP_DISABLE);
    for (size_t row = 0; row < sizeof texts / sizeof *texts; row++) {
      CUSTOM_KEYBOARD_RV expected = ways[i] == PIN1 ? texts[row].without : texts[row].with_card;
      type(keyboard, texts[row].context, texts[row].text);
      memset(space, 0x5a, sizeof space);
      offset = length = 77;
      if (!CHECK_EQUAL(get_text(keyboard, texts[row].size), expected))
        fprintf(stderr, "  (way %d, context %s, %s)\n", ways[i], texts[row].context ? texts[row].context : "(none)",
                texts[row].text);
      if (expected == OK) {
        CHECK_EQUAL(length, block_size(ways[i]));
      } else {
        CHECK_EQUAL(length, expected == SPACE ? block_size(ways[i]) : 77);
        CHECK_EQUAL(offset, 77);
        for (size_t at = 0; at < sizeof space; at++)
          if (!CHECK_EQUAL(space[at], 0x5a)) break;
      }
    }
    /* One byte too few of a longer block. */
    type(keyboard, card_of(ways[i]), "1234");
    CHECK_EQUAL(get_text(keyboard, block_size(ways[i]) - 1), SPACE);
    CHECK_EQUAL(length, block_size(ways[i]));
    CHECK_EQUAL(CustomKeyboard_getText(keyboard, space, ROOM, (size_t *)(void *)space, &length), ARGUMENT);
    CHECK_OK(get_text(keyboard, ROOM));
    CHECK(offset + length <= ROOM);
    /* As often as one likes. */
    CHECK_OK(get_text(keyboard, ROOM));
  }
}

/* Two blocks of one PIN are one in format 0 only. */
static void differ(void) {
  for (int i = 0; i < WAYS; i++) {
    uint8_t one[16], other[16];
    make_block(ways[i], one);
    make_block(ways[i], other);
    CHECK_EQUAL(memcmp(one, other, block_size(ways[i])) == 0, ways[i] == PIN0);
  }
}

/* ---- receive ----------------------------------------------------------------------------------------------------- */

static void receive_in_order(void) {
  static const char long_context[CUSTOM_KEYBOARD_MAXCONTEXTSIZE + 1];
  for (int i = 0; i < WAYS; i++) {
    uint8_t block[32];
    make_block(ways[i], block);
    const char *right = card_of(ways[i]), *wrong = ways[i] == PIN1 ? card : "";
    size_t size = block_size(ways[i]), count = strlen(right);
    const struct {
      const uint8_t *key;
      size_t key_length;
      const char *context;
      size_t context_length;
      const uint8_t *text;
      size_t text_length;
      CUSTOM_KEYBOARD_RV rv;
    } rows[] = {
        {good_key, 16, right, count, block, size, OK},
        {NULL, 16, right, count, block, size, ARGUMENT},
        {good_key, 16, NULL, 1, block, size, ARGUMENT},
        {good_key, 16, right, count, NULL, size, ARGUMENT},
        {good_key, 16, right, count, last_bytes(), size, ARGUMENT},
        {good_key, 17, long_context, sizeof long_context, block, size, MAXLEN},
        {good_key, 0, right, count, block, size, ERR},
        {good_key, 15, right, count, block, 0, ERR},
        {good_key, 33, right, count, block, 0, ERR},
        {good_key, 16, wrong, strlen(wrong), block, 0, ERR},
        {good_key, 16, "123456789", 9, block, 0, ERR},
        {good_key, 16, right, count, block, 0, UNDECRYPTABLE},
        {good_key, 16, right, count, NULL, 0, UNDECRYPTABLE},
        {good_key, 16, right, count, block, size - 1, UNDECRYPTABLE},
        {good_key, 16, right, count, block, size + 1, UNDECRYPTABLE},
        {good_key, 16, right, count, block, 24 - size, UNDECRYPTABLE},
        {good_key, 16, right, count, block, 32, UNDECRYPTABLE},
    };
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
      CUSTOM_KEYBOARD_RV rv =
          CustomKeyboard_receive(server, ways[i], rows[row].key, rows[row].key_length, bytes(rows[row].context),
                                 rows[row].context_length, rows[row].text, rows[row].text_length);
      if (!CHECK_EQUAL(rv, rows[row].rv)) fprintf(stderr, "  (way %d, row %zu)\n", ways[i], row);
      if (rv == OK) {
        /* Up: its state comes before every other code but ARGUMENT. */
        CHECK_EQUAL(CustomKeyboard_receive(server, ways[i], good_key, 0, NULL, 0, block, 0), OP_DISABLE);
        CHECK_EQUAL(CustomKeyboard_receive(server, (CUSTOM_ENCWAY)13, good_key, 0, NULL, 0, block, 0), ARGUMENT);
        CHECK_OK(CustomKeyboard_count(server, &length));
        CHECK_EQUAL(length, 6);
        CHECK_OK(CustomKeyboard_close(server));
      }
      CHECK_EQUAL(CustomKeyboard_close(server), OP_DISABLE);
    }
    /* Bound to the card where there is one. */
    if (ways[i] == PIN4) CHECK_EQUAL(receive(server, ways[i], other_card, block), UNDECRYPTABLE);
    for (size_t bit = 0; bit < 8 * size && ways[i] == PIN4; bit++) {
      block[bit / 8] ^= (uint8_t)(1 << bit % 8);
      CUSTOM_KEYBOARD_RV rv = receive(server, ways[i], right, block);
      CHECK(rv == UNDECRYPTABLE || rv == OK); /* OK once in 17 million times */
      if (rv == OK) REQUIRE_OK(CustomKeyboard_close(server));
      block[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
  }
}

/* ---- Translation ------------------------------------------------------------------------------------------------- */

enum origin { TYPED, SEALED, ECB, FROM_PIN0, FROM_PIN1, FROM_PIN3, FROM_PIN4, ORIGINS };

/* The server's keyboard, open with the PIN 123456 from somewhere. */
static void open_from(enum origin origin) {
  static const CUSTOM_ENCWAY from[ORIGINS] = {0, CUSTOM_ENCWAY_SM4_GCM, CUSTOM_ENCWAY_SM4, PIN0, PIN1, PIN3, PIN4};
  uint8_t text[CUSTOM_KEYBOARD_MAXSEALEDSIZE];
  if (origin == TYPED) {
    REQUIRE_OK(CustomKeyboard_open(server));
    REQUIRE_OK(CustomKeyboard_input(server, bytes("123456"), 6));
    return;
  }
  const char *context = origin == SEALED ? "purpose" : origin == ECB || origin == FROM_PIN1 ? "" : card;
  CUSTOM_KEYBOARD k = typed(from[origin], good_key, 16, bytes("123456"), 6);
  set_context(k, context);
  REQUIRE(CustomKeyboard_getText(k, space, 0, &offset, &length) == SPACE);
  REQUIRE_OK(CustomKeyboard_getText(k, text, length, &offset, &length));
  REQUIRE_OK(CustomKeyboard_receive(server, from[origin], good_key, 16, bytes(context), strlen(context), text, length));
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

/* What each origin may become: a PIN block for this card, for another one, of format 1, another text. */
static void translate(void) {
  static const struct {
    CUSTOM_ENCWAY way;
    const char *context;
    CUSTOM_KEYBOARD_RV rv[3]; /* of what was free, was bound to the card, was of format 1 */
  } rows[] = {
      {PIN0, card, {OK, OK, OK}},
      {PIN3, card, {OK, OK, OK}},
      {PIN4, card, {OK, OK, OK}},
      {PIN0, other_card, {OK, REFUSED, OK}},
      {PIN3, other_card, {OK, REFUSED, OK}},
      {PIN4, other_card, {OK, REFUSED, OK}},
      {PIN4, "04012345678909", {OK, REFUSED, OK}}, /* the same digits, and another number */
      {PIN0, "", {ERR, ERR, ERR}},
      {PIN1, "", {OK, REFUSED, OK}},
      {PIN1, card, {ERR, ERR, ERR}},
      {CUSTOM_ENCWAY_SM4, "", {OK, REFUSED, REFUSED}},
      {CUSTOM_ENCWAY_3DES, "", {OK, REFUSED, REFUSED}},
      {CUSTOM_ENCWAY_3DES, card, {ERR, ERR, ERR}},
      {CUSTOM_ENCWAY_SM4_GCM, card, {OK, REFUSED, REFUSED}},
  };
  for (enum origin origin = TYPED; origin < ORIGINS; origin++) {
    int kind = origin < FROM_PIN0 ? 0 : origin == FROM_PIN1 ? 2 : 1;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
      CustomKeyboard_close(server);
      REQUIRE_OK(CustomKeyboard_setEncKey(server, good_key, 16, rows[row].way));
      open_from(origin);
      set_context(server, rows[row].context);
      uint8_t text[CUSTOM_KEYBOARD_MAXSEALEDSIZE];
      /* REFUSED comes before SPACE. */
      CUSTOM_KEYBOARD_RV expected = rows[row].rv[kind];
      CHECK_EQUAL(CustomKeyboard_getText(server, text, 0, &offset, &length), expected == OK ? SPACE : expected);
      if (!CHECK_EQUAL(CustomKeyboard_getText(server, text, sizeof text, &offset, &length), expected))
        fprintf(stderr, "  (origin %d, row %zu)\n", origin, row);
      CHECK_EQUAL(CustomKeyboard_sealTyped(server, CUSTOM_ENCWAY_SM4_GCM, good_key, 16, NULL, 0, text, sizeof text,
                                           &offset, &length),
                  kind == 0 ? OK : REFUSED);
      CHECK_EQUAL(CustomKeyboard_sealTyped(server, CUSTOM_ENCWAY_SM4_GCM, good_key, 16, NULL, 0, text, 0, &offset,
                                           &length),
                  kind == 0 ? SPACE : REFUSED);
      CHECK_EQUAL(CustomKeyboard_sealTyped(server, CUSTOM_ENCWAY_SM4_GCM, good_key, 15, NULL, 0, text, 0, &offset,
                                           &length),
                  ERR);
    }
    /* Other digits on the same keyboard stay bound; a closed keyboard is free again. */
    if (kind == 1) {
      REQUIRE_OK(CustomKeyboard_clear(server));
      REQUIRE_OK(CustomKeyboard_input(server, bytes("654321"), 6));
      CHECK_EQUAL(get_text(server, ROOM), REFUSED);
    }
    REQUIRE_OK(CustomKeyboard_close(server));
    REQUIRE_OK(CustomKeyboard_setEncKey(server, good_key, 16, CUSTOM_ENCWAY_SM4));
    REQUIRE_OK(CustomKeyboard_open(server));
    CHECK_OK(get_text(server, ROOM));
    REQUIRE_OK(CustomKeyboard_close(server));
  }
}

/* Functions that these ways are not for. */
static void are_no_other_ways(void) {
  uint8_t text[16] = {0}, public_key[65];
  CUSTOM_KEYBOARD_CIPHER cipher;
  CUSTOM_KEYBOARD_JOB job = {good_key, 16, text, 16, space, ROOM, 0, 0};
  CUSTOM_KEYBOARD k = holding("1234");
  for (int i = 0; i < WAYS; i++) {
    CUSTOM_ENCWAY way = ways[i];
    CHECK_EQUAL(CustomKeyboard_decrypt(way, good_key, 16, text, 16, space, ROOM, &offset, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_unseal(way, good_key, 16, NULL, 0, text, 16, space, ROOM, &offset, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_decryptBatch(way, &job, 1), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_setupCipher(&cipher, way, good_key, 16, 0), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_generateKey(way, space, ROOM, &offset, public_key, 65, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_publicKey(way, good_key, 32, public_key, 65, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_sealTyped(k, way, good_key, 16, bytes(card), 13, space, ROOM, &offset, &length),
                ARGUMENT);
  }
  CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, good_key, 16, (CUSTOM_ENCWAY)13), ARGUMENT);
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

int main(void) {
  seed = take_seed();
  REQUIRE_OK(CustomKeyboard_create(&keyboard));
  REQUIRE_OK(CustomKeyboard_create(&server));
  refuse_wrong_keys();
  answer_in_order();
  differ();
  receive_in_order();
  translate();
  are_no_other_ways();
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE_OK(CustomKeyboard_destroy(server));
  return check_end("pin", 7000);
}
