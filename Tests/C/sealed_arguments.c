/*
 * What the functions for sealed texts refuse: keys that are none, ways that are not theirs, NULL, overlapping buffers,
 * and buffers past the end of memory.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "sealed.h"

#define ARGUMENT CUSTOM_KEYBOARD_ARGUMENT
#define ERR CUSTOM_KEYBOARD_ERR
#define SPACE CUSTOM_KEYBOARD_SPACE

static uint64_t seed;
static const CUSTOM_ENCWAY unknown_ways[] = {(CUSTOM_ENCWAY)8, (CUSTOM_ENCWAY)99, (CUSTOM_ENCWAY)-1,
                                             (CUSTOM_ENCWAY)259, (CUSTOM_ENCWAY)0x7fffffff};
enum { UNKNOWN_WAYS = sizeof unknown_ways / sizeof *unknown_ways };
/* A pointer that no call may follow: adding to it overflows the address space. */
static uint8_t *last_bytes(void) { return (uint8_t *)(UINTPTR_MAX - 3); }

/* ---- Secret keys ------------------------------------------------------------------------------------------------- */

/* A secret key, and its public key; or one that is none. Points computed from the curves' equations. */
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

static const struct sealing *sealing_of(CUSTOM_ENCWAY way) { return &sealings[way - CUSTOM_ENCWAY_SM4_GCM]; }

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

static void check_secret_lengths(const struct pair *pair, CUSTOM_KEYBOARD idle) {
  static uint8_t longer[300];
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
    uint8_t point[LONGEST_PUBLIC];
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

static void refuse_points(const struct pair *old) {
  CUSTOM_ENCWAY way = old->sealing->way, other = (CUSTOM_ENCWAY)(CUSTOM_ENCWAY_P256 + CUSTOM_ENCWAY_SM2 - way);
  struct pair fresh = new_pair(old->sealing);
  uint8_t point[LONGEST_PUBLIC];
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
  static uint8_t longer[300];
  const struct sealing *sealing = old->sealing;
  memcpy(longer, new_pair(sealing).public, sealing->public_length);
  for (size_t length = 0; length <= sizeof longer; length++)
    if (length != sealing->public_length) key_refused(old, sealing->way, longer, length);
  key_refused(old, sealing->way, longer, SIZE_MAX / 2);
  key_refused(old, sealing->way, longer, SIZE_MAX);
  key_refused(old, sealing->way, NULL, 0);
  for (int i = 0; i < ALGORITHM_COUNT; i++) key_refused(old, algorithms[i].way, longer, 17);
  if (sealing->public_length == LONGEST_PUBLIC) refuse_points(old);
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

/* ---- Ways -------------------------------------------------------------------------------------------------------- */

static void refuse_ways(const struct pair *pair, CUSTOM_KEYBOARD idle) {
  struct bytes context = drawn(&seed, 0), password = drawn_password(&seed, 30);
  uint8_t text[LONGEST_SEALED], secret[64], public[80];
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  seal(pair, &password, &context, text);
  struct opening bad = opening(pair, &context, text);
  memset(secret, 0xa5, sizeof secret);
  memset(public, 0xa5, sizeof public);
  for (int i = -3; i < UNKNOWN_WAYS; i++) {
    bad.way = i < 0 ? (CUSTOM_ENCWAY)(i + 3) : unknown_ways[i]; /* ECB's first */
    prepare_space();
    CHECK_EQUAL(unseal_into(&bad, sealed_space, sizeof sealed_space, &offset, &length), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_generateKey(bad.way, secret, sizeof secret, &offset, public, sizeof public, &length),
                ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_generateKey(bad.way, secret, 0, &offset, public, 0, &length), ARGUMENT);
    CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
    if (i >= 0) CHECK_EQUAL(receive(idle, &bad), ARGUMENT);
  }
  for (size_t i = 0; i < sizeof secret; i++) CHECK(secret[i] == 0xa5 && public[i] == 0xa5);

  /* And the ways of sealing where only ECB belongs: with the key and text of this way, and with those of SM4. */
  CUSTOM_ENCWAY way = pair->sealing->way;
  CUSTOM_KEYBOARD_CIPHER cipher, before;
  memset(&cipher, 0x5a, sizeof cipher);
  before = cipher;
  for (size_t key_length = 0; key_length <= LONGEST_SECRET; key_length += 8) {
    for (size_t text_length = 0; text_length <= LONGEST_SEALED; text_length++) {
      CHECK_EQUAL(CustomKeyboard_decrypt(way, pair->secret, key_length, text, text_length, sealed_space,
                                         sizeof sealed_space, &offset, &length),
                  ARGUMENT);
    }
    CHECK_EQUAL(CustomKeyboard_decrypt(way, pair->secret, key_length, text, pair->sealing->text_length, sealed_space,
                                       sizeof sealed_space, &offset, &length),
                ARGUMENT);
    for (int direction = 0; direction <= 1; direction++)
      CHECK_EQUAL(CustomKeyboard_setupCipher(&cipher, way, pair->secret, key_length, direction), ARGUMENT);
    CUSTOM_KEYBOARD_JOB job = {pair->secret, key_length, text, 16, public, sizeof public, UNTOUCHED_LENGTH,
                               (CUSTOM_KEYBOARD_RV)77};
    CHECK_EQUAL(CustomKeyboard_decryptBatch(way, &job, 1), ARGUMENT);
    CHECK_EQUAL(CustomKeyboard_decryptBatch(way, NULL, 0), ARGUMENT);
    CHECK(job.clearLength == UNTOUCHED_LENGTH && job.rv == 77 && public[0] == 0xa5);
  }
  CHECK(memcmp(&cipher, &before, sizeof cipher) == 0 && is_space_untouched());
  CHECK(offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
}

/* ---- NULL and overlaps ------------------------------------------------------------------------------------------- */

static void refuse_null(const struct pair *pair, CUSTOM_KEYBOARD idle) {
  struct bytes context = drawn(&seed, 16), password = drawn_password(&seed, 30);
  uint8_t text[LONGEST_SEALED];
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  seal(pair, &password, &context, text);
  struct opening good = opening(pair, &context, text), bad;
  const uint8_t *nowhere[] = {NULL, last_bytes()};
  for (int i = 0; i < 2; i++) {
    bad = good, bad.key = nowhere[i];
    refused(idle, &bad, ARGUMENT);
    bad = good, bad.context = nowhere[i];
    refused(idle, &bad, ARGUMENT);
    bad = good, bad.text = nowhere[i];
    refused(idle, &bad, ARGUMENT);
    prepare_space();
    CHECK_EQUAL(unseal_into(&good, (uint8_t *)(uintptr_t)nowhere[i], 1024, &offset, &length), ARGUMENT);
  }
  CHECK_EQUAL(unseal_into(&good, sealed_space, sizeof sealed_space, NULL, &length), ARGUMENT);
  CHECK_EQUAL(unseal_into(&good, sealed_space, sizeof sealed_space, &offset, NULL), ARGUMENT);
  CHECK_EQUAL(unseal_into(&good, sealed_space, SIZE_MAX, &offset, &length), ARGUMENT);
  CHECK(is_space_untouched() && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
  CHECK_EQUAL(receive(0, &good), ARGUMENT);
  CHECK_EQUAL(receive(idle + 1, &good), ARGUMENT);
  opened(idle, &good, &password);
}

/* One shared byte of the space and an argument is an overlap; adjacent buffers do not overlap. */
static void refuse_overlaps(const struct pair *pair) {
  uint8_t text[LONGEST_SEALED], around[1024], before[sizeof around];
  struct bytes context = drawn(&seed, 24), password = drawn_password(&seed, 20);
  seal(pair, &password, &context, text);
  const struct opening good = opening(pair, &context, text);
  const size_t at = 400, size = 30, lengths[] = {good.key_length, good.context_length, good.text_length};
  const uint8_t *given[] = {good.key, good.context, good.text};
  for (int which = 0; which < 3; which++)
    for (size_t start = at - size - 3; start <= at + lengths[which] + 3; start++) {
      struct opening o = good;
      *(which == 0 ? &o.key : which == 1 ? &o.context : &o.text) = around + at;
      memset(around, 0x5a, sizeof around);
      memcpy(around + at, given[which], lengths[which]);
      memcpy(before, around, sizeof before);
      size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
      int overlaps = start < at + lengths[which] && at < start + size;
      CUSTOM_KEYBOARD_RV rv = unseal_into(&o, around + start, size, &offset, &length);
      if (!CHECK_EQUAL(rv, overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK)) fprintf(stderr, "argument %d\n", which);
      if (overlaps) {
        CHECK(memcmp(before, around, sizeof before) == 0 && offset == UNTOUCHED_OFFSET && length == UNTOUCHED_LENGTH);
      } else {
        CHECK(length == password.length && memcmp(around + start + offset, password.at, length) == 0);
        CHECK(memcmp(around + at, given[which], lengths[which]) == 0);
      }
    }
  /* What is only read may be anywhere: here, all in the same bytes. */
  struct opening same = {good.way, text, good.key_length, text, 100, text, good.text_length};
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  text[0] = 4; /* a number below n, for the two curves that have one */
  CHECK_EQUAL(unseal_into(&same, sealed_space, sizeof sealed_space, &offset, &length), CUSTOM_KEYBOARD_UNDECRYPTABLE);
}

static void refuse_answers_in_space(const struct pair *pair) {
  static union {
    uint8_t bytes[256];
    size_t places[32];
  } around;
  uint8_t text[LONGEST_SEALED], before[sizeof around];
  struct bytes context = drawn(&seed, 24), password = drawn_password(&seed, 20);
  seal(pair, &password, &context, text);
  struct opening o = opening(pair, &context, text);
  for (size_t start = 60; start < 70; start++)
    for (size_t size = 24; size <= 40; size++)
      for (size_t place = 0; place < 20; place++)
        for (int is_length = 0; is_length <= 1; is_length++) {
          size_t at = 8 * place, elsewhere = UNTOUCHED_OFFSET, *inside = &around.places[place];
          int overlaps = at < start + size && start < at + sizeof(size_t);
          memset(&around, 0xa5, sizeof around);
          memcpy(before, &around, sizeof before);
          CHECK_EQUAL(unseal_into(&o, around.bytes + start, size, is_length ? &elsewhere : inside,
                                  is_length ? inside : &elsewhere),
                      overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK);
          if (overlaps) CHECK(memcmp(&around, before, sizeof before) == 0 && elsewhere == UNTOUCHED_OFFSET);
        }
}

/* ---- generateKey ------------------------------------------------------------------------------------------------- */

static void check_generating(const struct sealing *sealing) {
  int is_shared = sealing->way == CUSTOM_ENCWAY_SM4_GCM;
  size_t secret = sealing->secret_length, public = is_shared ? 0 : sealing->public_length;
  uint8_t s[80], p[80], same[80];
  size_t sl, pl;
  memset(same, 0xa5, sizeof same);
#define GENERATE(expected, s, sc, sl, p, pc, pl) \
  CHECK_EQUAL(CustomKeyboard_generateKey(sealing->way, s, sc, sl, p, pc, pl), expected)
  for (size_t sc = 0; sc <= sizeof s; sc++)
    for (size_t pc = 0; pc <= sizeof p; pc += sc % 16 == 0 ? 1 : 13) {
      int fits = sc >= secret && pc >= public;
      memset(s, 0xa5, sizeof s);
      memset(p, 0xa5, sizeof p);
      sl = pl = UNTOUCHED_LENGTH;
      GENERATE(fits ? CUSTOM_KEYBOARD_OK : SPACE, s, sc, &sl, p, pc, &pl);
      CHECK(sl == secret && pl == public);
      CHECK(memcmp(s + (fits ? secret : 0), same, sizeof s - (fits ? secret : 0)) == 0);
      CHECK(memcmp(p + (fits ? public : 0), same, sizeof p - (fits ? public : 0)) == 0);
      if (fits) CHECK(memcmp(s, same, secret) != 0);
      if (fits && !is_shared) CHECK(memcmp(p, same, public) != 0);
    }
  GENERATE(SPACE, NULL, 0, &sl, NULL, 0, &pl);
  GENERATE(is_shared ? CUSTOM_KEYBOARD_OK : SPACE, s, sizeof s, &sl, NULL, 0, &pl);
  memset(s, 0xa5, sizeof s);
  memset(p, 0xa5, sizeof p);
  sl = pl = UNTOUCHED_LENGTH;
  GENERATE(ARGUMENT, NULL, secret, &sl, p, sizeof p, &pl);
  GENERATE(ARGUMENT, s, sizeof s, &sl, NULL, 1, &pl);
  GENERATE(ARGUMENT, s, sizeof s, NULL, p, sizeof p, &pl);
  GENERATE(ARGUMENT, s, sizeof s, &sl, p, sizeof p, NULL);
  GENERATE(ARGUMENT, s, 0, NULL, p, 0, &pl); /* before SPACE */
  GENERATE(ARGUMENT, s, SIZE_MAX, &sl, p, sizeof p, &pl);
  GENERATE(ARGUMENT, s, sizeof s, &sl, p, SIZE_MAX, &pl);
  GENERATE(ARGUMENT, last_bytes(), 100, &sl, p, sizeof p, &pl);
  GENERATE(ARGUMENT, s, sizeof s, &sl, last_bytes(), 100, &pl);
  GENERATE(ARGUMENT, s, sizeof s, &sl, p, sizeof p, &sl);
  CHECK(sl == UNTOUCHED_LENGTH && pl == UNTOUCHED_LENGTH);

  static union {
    uint8_t bytes[512];
    size_t places[64];
  } around;
  enum { AT = 200, SIZE = 72 };
  for (size_t start = AT - SIZE - 2; start <= AT + SIZE + 2; start++) {
    int overlaps = start < AT + SIZE && AT < start + SIZE;
    memset(&around, 0xa5, sizeof around);
    GENERATE(overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK, around.bytes + AT, SIZE, &sl, around.bytes + start, SIZE, &pl);
    GENERATE(overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK, around.bytes + start, SIZE, &sl, around.bytes + AT, SIZE, &pl);
    for (size_t i = 0; overlaps && i < sizeof around; i++)
      if (around.bytes[i] != 0xa5) CHECK_EQUAL(around.bytes[i], 0xa5);
  }
  for (size_t place = 0; place < 64; place++) {
    size_t *inside = &around.places[place];
    int overlaps = 8 * place < AT + SIZE && AT < 8 * place + sizeof(size_t);
    CUSTOM_KEYBOARD_RV expected = overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK;
    GENERATE(expected, around.bytes + AT, SIZE, inside, p, sizeof p, &pl);
    GENERATE(expected, around.bytes + AT, SIZE, &sl, p, sizeof p, inside);
    GENERATE(expected, s, sizeof s, inside, around.bytes + AT, SIZE, &pl);
    GENERATE(expected, s, sizeof s, &sl, around.bytes + AT, SIZE, inside);
  }
#undef GENERATE
  /* No two keys are alike, and none is the public key of another. */
  struct pair pairs[64];
  for (int i = 0; i < 64; i++) {
    pairs[i] = new_pair(sealing);
    for (int j = 0; j < i; j++) CHECK(memcmp(pairs[i].secret, pairs[j].secret, secret) != 0);
    for (int j = 0; j < i; j++) CHECK(memcmp(pairs[i].public, pairs[j].public, sealing->public_length) != 0);
  }
}

int main(void) {
  seed = take_seed();
  CUSTOM_KEYBOARD idle = new_keyboard();
  check_secret_values(idle);
  check_points();
  for (int i = 0; i < SEALING_COUNT; i++) {
    struct pair pair = new_pair(&sealings[i]);
    check_secret_lengths(&pair, idle);
    refuse_public_keys(&pair);
    refuse_ways(&pair, idle);
    refuse_null(&pair, idle);
    refuse_overlaps(&pair);
    refuse_answers_in_space(&pair);
    check_generating(&sealings[i]);
  }
  return check_end("sealed_arguments", 90000);
}
