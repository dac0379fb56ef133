/*
 * Which keys the functions for sealed texts take: secret keys by their value and length, public keys by their curve.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "sealed.h"

static uint64_t seed;

/* ---- Secret keys ------------------------------------------------------------------------------------------------- */

/* A secret key, and its public key; or bytes that are not a key. Points computed from the curves' equations. */
static const struct {
  CUSTOM_ENCWAY way;
  const char *secret, *public;
} scalars[] = {
    {CUSTOM_ENCWAY_P256, "0000000000000000000000000000000000000000000000000000000000000001",
     "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
     "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"},
    {CUSTOM_ENCWAY_P256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc63254f",
     "047cf27b188d034f7e8a52380304b51ac3c08969e277f21b35a60b48fc47669978"
     "f888aaee24712fc0d6c26539608bcf244582521ac3167dd661fb4862dd878c2e"},
    {CUSTOM_ENCWAY_P256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632550",
     "046b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
     "b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a"},
    {CUSTOM_ENCWAY_P256, "0000000000000000000000000000000000000000000000000000000000000000", NULL},
    {CUSTOM_ENCWAY_P256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", NULL},
    {CUSTOM_ENCWAY_P256, "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632552", NULL},
    {CUSTOM_ENCWAY_P256, "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff", NULL},
    {CUSTOM_ENCWAY_P256, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", NULL},
    {CUSTOM_ENCWAY_SM2, "0000000000000000000000000000000000000000000000000000000000000001",
     "0432c4ae2c1f1981195f9904466a39c9948fe30bbff2660be1715a4589334c74c7"
     "bc3736a2f4f6779c59bdcee36b692153d0a9877cc62a474002df32e52139f0a0"},
    {CUSTOM_ENCWAY_SM2, "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54121",
     "0456cefd60d7c87c000d58ef57fa73ba4d9c0dfa08c08a7331495c2e1da3f2bd52"
     "ce481818337e760997aca31f07150e429217b3e6d093718f9087f2c568f5dc3c"},
    {CUSTOM_ENCWAY_SM2, "0000000000000000000000000000000000000000000000000000000000000000", NULL},
    {CUSTOM_ENCWAY_SM2, "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54122", NULL},
    {CUSTOM_ENCWAY_SM2, "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123", NULL},
    {CUSTOM_ENCWAY_SM2, "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54124", NULL},
    {CUSTOM_ENCWAY_SM2, "fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff", NULL},
    {CUSTOM_ENCWAY_SM2, "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff", NULL},
};

static const struct sealed_way *sealing_of(CUSTOM_ENCWAY way) { return &sealed_ways[way - CUSTOM_ENCWAY_SM4_GCM]; }

static void check_secret_values(CUSTOM_KEYBOARD idle) {
  struct bytes context = drawn(&seed, 16), password = drawn_password(&seed, 30);
  int accepted = 0, refused_count = 0;
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
    struct pair other = new_pair(sealing_of(scalars[i].way)), pair = other;
    uint8_t text[LONGEST_SEALED];
    REQUIRE(from_hex(scalars[i].secret, pair.secret, sizeof pair.secret) == 32);
    if (scalars[i].public) REQUIRE(from_hex(scalars[i].public, pair.public, sizeof pair.public) == 65);
    seal(&pair, &password, &context, text);
    struct opening o = opening(&pair, &context, text);
    int right = scalars[i].public ? opened(idle, &o, &password) : refused(idle, &o, ERR);
    if (!right) fprintf(stderr, "secret key %zu\n", i);
    accepted += scalars[i].public != NULL, refused_count += scalars[i].public == NULL;
    if (!scalars[i].public) { /* before anything about the text */
      o.text_length = 0;
      refused(idle, &o, ERR);
    }
  }
  CHECK(accepted == 5 && refused_count == 11);
}

/* publicKey takes the same keys, and makes the points that the table has. */
static void check_public_keys(void) {
  for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++) {
    uint8_t secret[32], expected[LONGEST_MADE_PUBLIC], made[LONGEST_MADE_PUBLIC];
    size_t length = UNTOUCHED_LENGTH;
    memset(made, 0xa5, sizeof made);
    memcpy(expected, made, sizeof made);
    REQUIRE(from_hex(scalars[i].secret, secret, sizeof secret) == 32);
    if (scalars[i].public) REQUIRE(from_hex(scalars[i].public, expected, sizeof expected) == 65);
    CHECK_EQUAL(CustomKeyboard_publicKey(scalars[i].way, secret, sizeof secret, made, sizeof made, &length),
                scalars[i].public ? CUSTOM_KEYBOARD_OK : ERR);
    CHECK_EQUAL(length, scalars[i].public ? 65 : UNTOUCHED_LENGTH);
    if (!CHECK_BYTES(made, expected, sizeof made)) fprintf(stderr, "public key %zu\n", i);
  }
}

static void check_secret_lengths(const struct pair *pair, CUSTOM_KEYBOARD idle) {
  static uint8_t longer[LONGEST_SECRET + 300];
  struct bytes context = drawn(&seed, 16), password = drawn_password(&seed, 30);
  uint8_t text[LONGEST_SEALED];
  seal(pair, &password, &context, text);
  struct opening good = opening(pair, &context, text), bad = good;
  memcpy(longer, pair->secret, pair->sealing->secret_length);
  bad.key = longer;
  for (bad.key_length = 0; bad.key_length <= sizeof longer; bad.key_length++) {
    if (bad.key_length == good.key_length) opened(idle, &bad, &password);
    else refused(idle, &bad, ERR);
  }
  bad.key_length = SIZE_MAX / 2;
  refused(idle, &bad, ERR);
  bad.key = NULL, bad.key_length = 0;
  refused(idle, &bad, ERR);
  if (pair->sealing->way != CUSTOM_ENCWAY_SM4_GCM && pair->sealing->way != CUSTOM_ENCWAY_X25519) return;
  /* Any bytes are a key of these two, if not the right one. */
  for (int value = 0; value <= 255; value += 255) {
    memset(longer, value, sizeof longer);
    bad = good;
    bad.key = longer;
    refused(idle, &bad, CUSTOM_KEYBOARD_UNDECRYPTABLE);
  }
}

/* ---- Public keys ------------------------------------------------------------------------------------------------- */

/* Whether setEncKey refuses the key, and seals for the old one as before. */
static int key_refused(const struct pair *old, CUSTOM_ENCWAY way, const uint8_t *key, size_t length) {
  struct bytes password = drawn_password(&seed, 12), none = {.length = 0};
  uint8_t text[LONGEST_SEALED], clear[16];
  size_t offset, clear_length;
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  REQUIRE_OK(CustomKeyboard_setEncKey(keyboard, old->public, old->sealing->public_length, old->sealing->way));
  int right = CHECK_EQUAL(CustomKeyboard_setEncKey(keyboard, key, length, way), ERR);
  REQUIRE_OK(CustomKeyboard_open(keyboard));
  REQUIRE_OK(CustomKeyboard_input(keyboard, password.at, password.length));
  REQUIRE_OK(CustomKeyboard_setContext(keyboard, none.at, none.length));
  right &= CHECK_OK(CustomKeyboard_getText(keyboard, text, old->sealing->text_length, &offset, &clear_length));
  struct opening o = opening(old, &none, text);
  right = right && CHECK_OK(unseal_into(&o, clear, password.length, &offset, &clear_length)) &&
          CHECK_BYTES(clear, password.at, password.length);
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  return right;
}

/* No points of the curve, or not written as the contract says. The small coordinates make p + x fit into 32 bytes. */
static const struct {
  CUSTOM_ENCWAY way;
  const char *point;
  int is_point; /* the same numbers below p: this shows that it is the range that is refused */
} points[] = {
    {CUSTOM_ENCWAY_P256,
     "040000000000000000000000000000000000000000000000000000000000000000"
     "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4",
     1},
    {CUSTOM_ENCWAY_P256,
     "04ffffffff00000001000000000000000000000000ffffffffffffffffffffffff"
     "66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4",
     0},
    {CUSTOM_ENCWAY_P256,
     "046916fac45e568b6b9e2e2ecd611b282e5fcc40a3067d601057f879ce5a8a73cc"
     "0000000000000000000000000000000000000000000000000000000000000001",
     1},
    {CUSTOM_ENCWAY_P256,
     "046916fac45e568b6b9e2e2ecd611b282e5fcc40a3067d601057f879ce5a8a73cc"
     "ffffffff00000001000000000000000000000001000000000000000000000000",
     0},
    {CUSTOM_ENCWAY_SM2,
     "040000000000000000000000000000000000000000000000000000000000000000"
     "fd4511e81736a60f07e88a83d6cf5a167fae6d1a9c9330e76e232e00f5cdc154",
     1},
    {CUSTOM_ENCWAY_SM2,
     "04fffffffeffffffffffffffffffffffffffffffff00000000ffffffffffffffff"
     "fd4511e81736a60f07e88a83d6cf5a167fae6d1a9c9330e76e232e00f5cdc154",
     0},
    {CUSTOM_ENCWAY_SM2,
     "049c17043effe1a805a74a9a5e70b9d659705d3242094a566dc016f49311178d1f"
     "0000000000000000000000000000000000000000000000000000000000000001",
     1},
    {CUSTOM_ENCWAY_SM2,
     "049c17043effe1a805a74a9a5e70b9d659705d3242094a566dc016f49311178d1f"
     "fffffffeffffffffffffffffffffffffffffffff000000010000000000000000",
     0},
};

static void check_points(void) {
  for (size_t i = 0; i < sizeof points / sizeof *points; i++) {
    struct pair old = new_pair(sealing_of(points[i].way));
    uint8_t point[POINT];
    REQUIRE(from_hex(points[i].point, point, sizeof point) == sizeof point);
    if (points[i].is_point) {
      CUSTOM_KEYBOARD keyboard = new_keyboard();
      CHECK_OK(CustomKeyboard_setEncKey(keyboard, point, sizeof point, points[i].way));
      REQUIRE_OK(CustomKeyboard_destroy(keyboard));
    } else if (!key_refused(&old, points[i].way, point, sizeof point)) {
      fprintf(stderr, "point %zu\n", i);
    }
  }
}

/* FIPS 203 7.2: a coefficient of q = 3329 or more, in every place; and keys of X25519 that X25519 itself refuses. */
static void refuse_coefficients(const struct pair *old) {
  enum { Q = 3329, COEFFICIENTS = 768, ML_KEM = 1184 };
  struct pair fresh = new_pair(old->sealing);
  uint8_t key[LONGEST_PUBLIC];
  for (unsigned at = 0; at < COEFFICIENTS; at += 1 + 6 * (LESS - 1)) {
    static const unsigned values[] = {Q - 1, Q, Q + 1, 4095};
    unsigned value = values[at % 4];
    uint8_t *three = key + at / 2 * 3; /* two coefficients */
    memcpy(key, fresh.public, old->sealing->public_length);
    if (at % 2 == 0) {
      three[0] = (uint8_t)value;
      three[1] = (uint8_t)((three[1] & 0xf0) | value >> 8);
    } else {
      three[1] = (uint8_t)((three[1] & 0x0f) | (value & 15) << 4);
      three[2] = (uint8_t)(value >> 4);
    }
    if (value >= Q) {
      if (!key_refused(old, old->sealing->way, key, old->sealing->public_length)) fprintf(stderr, "place %u\n", at);
    } else {
      CUSTOM_KEYBOARD keyboard = new_keyboard();
      CHECK_OK(CustomKeyboard_setEncKey(keyboard, key, old->sealing->public_length, old->sealing->way));
      REQUIRE_OK(CustomKeyboard_destroy(keyboard));
    }
  }
  for (int i = 0; i < 4; i++) { /* 0, 1, p - 1, p */
    memcpy(key, fresh.public, ML_KEM);
    memset(key + ML_KEM, i < 2 ? 0 : 0xff, 32);
    key[ML_KEM] = (uint8_t[]){0, 1, 0xec, 0xed}[i];
    if (i > 1) key[ML_KEM + 31] = 0x7f;
    key_refused(old, old->sealing->way, key, old->sealing->public_length);
  }
}

static void refuse_points(const struct pair *old) {
  CUSTOM_ENCWAY way = old->sealing->way, other = (CUSTOM_ENCWAY)(CUSTOM_ENCWAY_P256 + CUSTOM_ENCWAY_SM2 - way);
  struct pair fresh = new_pair(old->sealing);
  uint8_t point[POINT];
  /* Off the curve: each bit of both coordinates. */
  for (size_t bit = 8; bit < 8 * sizeof point; bit += LESS) {
    memcpy(point, fresh.public, sizeof point);
    point[bit / 8] ^= (uint8_t)(1 << bit % 8);
    if (!key_refused(old, way, point, sizeof point)) fprintf(stderr, "%s, bit %zu\n", old->sealing->name, bit);
  }
  for (int prefix = 0; prefix <= 255; prefix++) {
    memcpy(point, fresh.public, sizeof point);
    point[0] = (uint8_t)prefix;
    if (prefix != 4) key_refused(old, way, point, sizeof point);
  }
  key_refused(old, other, fresh.public, sizeof point);
  /* Compressed points, points without a prefix, and the encodings of infinity. */
  point[0] = (uint8_t)(2 + fresh.public[64] % 2);
  key_refused(old, way, point, 33);
  key_refused(old, way, fresh.public + 1, 64);
  memset(point, 0, sizeof point);
  key_refused(old, way, point, sizeof point);
  key_refused(old, way, point, 1);
  point[0] = 4;
  key_refused(old, way, point, sizeof point);
  memset(point + 1, 0xff, sizeof point - 1);
  key_refused(old, way, point, sizeof point);
}

/* Little-endian, as RFC 7748 says; two are of order 8. */
static const char *const low_orders[] = {
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
};

static void refuse_coordinates(const struct pair *old) {
  CUSTOM_ENCWAY way = CUSTOM_ENCWAY_X25519;
  uint8_t u[32];
  for (size_t i = 0; i < sizeof low_orders / sizeof *low_orders; i++)
    for (int is_high = 0; is_high <= 1; is_high++) {
      REQUIRE(from_hex(low_orders[i], u, sizeof u) == sizeof u);
      u[31] |= (uint8_t)(is_high << 7);
      if (!key_refused(old, way, u, sizeof u)) fprintf(stderr, "low order %zu\n", i);
    }
  /* p … 2²⁵⁵ − 1, of which most are points of large order written in a second way. */
  memset(u, 0xff, sizeof u);
  u[31] = 0x7f;
  for (int low = 0xed; low <= 0xff; low++) {
    u[0] = (uint8_t)low;
    key_refused(old, way, u, sizeof u);
  }
  CUSTOM_KEYBOARD keyboard = new_keyboard();
  u[0] = 0xeb; /* p − 2 */
  CHECK_OK(CustomKeyboard_setEncKey(keyboard, u, sizeof u, way));
  for (int i = 0; i < 50; i++) {
    struct pair fresh = new_pair(old->sealing);
    CHECK_OK(CustomKeyboard_setEncKey(keyboard, fresh.public, sizeof u, way));
    fresh.public[31] |= 0x80;
    key_refused(old, way, fresh.public, sizeof u);
  }
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
}

static void refuse_public_keys(const struct pair *old) {
  static uint8_t longer[LONGEST_PUBLIC + 300];
  const struct sealed_way *sealing = old->sealing;
  memcpy(longer, new_pair(sealing).public, sealing->public_length);
  for (size_t length = 0; length <= sizeof longer; length++)
    if (length != sealing->public_length) key_refused(old, sealing->way, longer, length);
  key_refused(old, sealing->way, longer, SIZE_MAX / 2);
  key_refused(old, sealing->way, longer, SIZE_MAX);
  key_refused(old, sealing->way, NULL, 0);
  for (int i = 0; i < ALGORITHM_COUNT; i++) key_refused(old, algorithms[i].way, longer, 17);
  if (sealing->public_length == POINT) refuse_points(old);
  if (sealing->way == CUSTOM_ENCWAY_XWING) refuse_coefficients(old);
  if (sealing->way == CUSTOM_ENCWAY_X25519) refuse_coordinates(old);

  /* The order of the codes. */
  CUSTOM_KEYBOARD up = typed(sealing->way, old->public, sealing->public_length, bytes("a"), 1);
  CHECK_EQUAL(CustomKeyboard_setEncKey(up, longer, 7, sealing->way), CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_setEncKey(up, longer, sealing->public_length, sealing->way), CUSTOM_KEYBOARD_OP_DISABLE);
  CHECK_EQUAL(CustomKeyboard_setEncKey(up, NULL, sealing->public_length, sealing->way), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setEncKey(up, longer, 7, (CUSTOM_ENCWAY)99), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setEncKey(up, last_bytes(), sealing->public_length, sealing->way), ARGUMENT);
  CHECK_EQUAL(CustomKeyboard_setContext(up, last_bytes(), 100), ARGUMENT);
  REQUIRE_OK(CustomKeyboard_destroy(up));
  CHECK_EQUAL(CustomKeyboard_setEncKey(up, longer, 7, sealing->way), ARGUMENT);
}

int main(void) {
  seed = take_seed();
  CUSTOM_KEYBOARD idle = new_keyboard();
  check_secret_values(idle);
  check_public_keys();
  check_points();
  for (int i = 0; i < SEALED_WAYS; i++) {
    struct pair pair = new_pair(&sealed_ways[i]);
    check_secret_lengths(&pair, idle);
    refuse_public_keys(&pair);
  }
  return check_end("sealed_keys", 12000);
}
