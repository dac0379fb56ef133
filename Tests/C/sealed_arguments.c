/*
 * What the functions for sealed texts refuse: ways that are not theirs, NULL, overlapping buffers, and buffers past the
 * end of memory. sealed_keys.c has the keys.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "sealed.h"

static uint64_t seed;
static const CUSTOM_ENCWAY unknown_ways[] = {(CUSTOM_ENCWAY)13, (CUSTOM_ENCWAY)99, (CUSTOM_ENCWAY)-1,
                                             (CUSTOM_ENCWAY)259, (CUSTOM_ENCWAY)0x7fffffff};
/* What others do: ECB and PIN blocks. */
static const CUSTOM_ENCWAY other_ways[] = {CUSTOM_ENCWAY_DES,  CUSTOM_ENCWAY_3DES, CUSTOM_ENCWAY_SM4,
                                           CUSTOM_ENCWAY_PIN0, CUSTOM_ENCWAY_PIN1, CUSTOM_ENCWAY_PIN3,
                                           CUSTOM_ENCWAY_PIN4};
enum {
  UNKNOWN_WAYS = sizeof unknown_ways / sizeof *unknown_ways,
  OTHER_WAYS = sizeof other_ways / sizeof *other_ways,
  SECRET_ROOM = 72,                     /* for a private key that is made */
  PUBLIC_ROOM = LONGEST_MADE_PUBLIC + 7 /* for its public key */
};

/* ---- Ways -------------------------------------------------------------------------------------------------------- */

static void refuse_ways(const struct pair *pair, CUSTOM_KEYBOARD idle) {
  struct bytes context = drawn(&seed, 0), password = drawn_password(&seed, 30);
  uint8_t text[LONGEST_SEALED], secret[64], public[80];
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  seal(pair, &password, &context, text);
  struct opening bad = opening(pair, &context, text);
  memset(secret, 0xa5, sizeof secret);
  memset(public, 0xa5, sizeof public);
  for (int i = -OTHER_WAYS; i < UNKNOWN_WAYS; i++) {
    bad.way = i < 0 ? other_ways[i + OTHER_WAYS] : unknown_ways[i];
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
  uint8_t text[LONGEST_SEALED], around[2048], before[sizeof around];
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
  int is_rsa = good.way == CUSTOM_ENCWAY_RSA;
  size_t key_length = is_rsa ? good.text_length : good.key_length;
  struct opening same = {good.way, text, key_length, text, 100, text, good.text_length};
  size_t offset = UNTOUCHED_OFFSET, length = UNTOUCHED_LENGTH;
  text[0] = 4; /* a number below n, for the two curves that have one; no DER of a key */
  CHECK_EQUAL(unseal_into(&same, sealed_space, sizeof sealed_space, &offset, &length),
              is_rsa ? ERR : CUSTOM_KEYBOARD_UNDECRYPTABLE);
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
    for (size_t size = 24; size <= 40; size += pair->sealing->step)
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

/* RSA's keys are made elsewhere: nothing is written, and no length is told. */
static void refuse_generating(void) {
  uint8_t s[80], p[80];
  size_t sl = UNTOUCHED_LENGTH, pl = UNTOUCHED_LENGTH;
  memset(s, 0xa5, sizeof s);
  memset(p, 0xa5, sizeof p);
  for (size_t capacity = 0; capacity <= sizeof s; capacity += 8)
    CHECK_EQUAL(CustomKeyboard_generateKey(CUSTOM_ENCWAY_RSA, s, capacity, &sl, p, capacity, &pl), ARGUMENT);
  for (size_t i = 0; i < sizeof s; i++) CHECK(s[i] == 0xa5 && p[i] == 0xa5);
  CHECK(sl == UNTOUCHED_LENGTH && pl == UNTOUCHED_LENGTH);
}

static void check_generating(const struct sealed_way *sealing) {
  int is_shared = sealing->way == CUSTOM_ENCWAY_SM4_GCM;
  size_t secret = sealing->secret_length, public = is_shared ? 0 : sealing->public_length;
  static uint8_t s[80], p[PUBLIC_ROOM + 8], same[sizeof p];
  const size_t most = (public > 64 ? public : 64) + 15;
  size_t sl, pl;
  memset(same, 0xa5, sizeof same);
#define GENERATE(expected, s, sc, sl, p, pc, pl) \
  CHECK_EQUAL(CustomKeyboard_generateKey(sealing->way, s, sc, sl, p, pc, pl), expected)
  for (size_t sc = 0; sc <= sizeof s; sc++)
    for (size_t pc = 0; pc <= most; pc += sc % 16 == 0 ? 1 : 13) {
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
    uint8_t bytes[3072];
    size_t places[384];
  } around;
  const size_t at = PUBLIC_ROOM + 77, rooms[] = {SECRET_ROOM, PUBLIC_ROOM};
  for (int is_public = 0; is_public <= 1; is_public++) {
    /* One of the two stays, the other moves past it. */
    size_t room = rooms[is_public], moved = rooms[!is_public];
    for (size_t start = at - moved - 2; start <= at + room + 2; start++) {
      int overlaps = start < at + room && at < start + moved;
      memset(&around, 0xa5, sizeof around);
      GENERATE(overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK, around.bytes + (is_public ? start : at), SECRET_ROOM, &sl,
               around.bytes + (is_public ? at : start), PUBLIC_ROOM, &pl);
      for (size_t i = 0; overlaps && i < sizeof around; i++)
        if (around.bytes[i] != 0xa5) CHECK_EQUAL(around.bytes[i], 0xa5);
    }
    for (size_t place = 0; place < 384; place++) {
      size_t *inside = &around.places[place];
      int overlaps = 8 * place < at + room && at < 8 * place + sizeof(size_t);
      CUSTOM_KEYBOARD_RV expected = overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK;
      uint8_t *private_key = is_public ? s : around.bytes + at, *public_key = is_public ? around.bytes + at : p;
      size_t private_room = is_public ? sizeof s : SECRET_ROOM, public_room = is_public ? PUBLIC_ROOM : sizeof p;
      GENERATE(expected, private_key, private_room, inside, public_key, public_room, &pl);
      GENERATE(expected, private_key, private_room, &sl, public_key, public_room, inside);
    }
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

/* ---- publicKey --------------------------------------------------------------------------------------------------- */

static void check_public_key(const struct sealed_way *sealing) {
  struct pair pair = new_pair(sealing);
  size_t public = sealing->public_length, length;
  uint8_t p[PUBLIC_ROOM + 8], same[sizeof p], zeros[LONGEST_SECRET] = {0};
  int has_pairs = sealing->way != CUSTOM_ENCWAY_SM4_GCM && sealing->way != CUSTOM_ENCWAY_RSA;
  CUSTOM_ENCWAY way = sealing->way;
  memset(same, 0xa5, sizeof same);
#define PUBLIC(expected, way, s, sl, p, capacity, answer)                                                           \
  do {                                                                                                              \
    if (!CHECK_EQUAL(CustomKeyboard_publicKey(way, s, sl, p, capacity, answer), has_pairs ? (expected) : ARGUMENT)) \
      fprintf(stderr, "%s\n", sealing->name);                                                                       \
  } while (0)
  for (size_t capacity = 0; capacity <= sizeof p; capacity++) {
    int fits = has_pairs && capacity >= public;
    memset(p, 0xa5, sizeof p);
    length = UNTOUCHED_LENGTH;
    PUBLIC(fits ? CUSTOM_KEYBOARD_OK : SPACE, way, pair.secret, sealing->secret_length, p, capacity, &length);
    CHECK_EQUAL(length, has_pairs ? public : UNTOUCHED_LENGTH);
    if (fits) CHECK_BYTES(p, pair.public, public);
    CHECK(memcmp(p + (fits ? public : 0), same, sizeof p - (fits ? public : 0)) == 0);
  }
  PUBLIC(SPACE, way, pair.secret, sealing->secret_length, NULL, 0, &length);
  memset(p, 0xa5, sizeof p);
  length = UNTOUCHED_LENGTH;
  for (int i = 0; i < UNKNOWN_WAYS; i++) PUBLIC(ARGUMENT, unknown_ways[i], pair.secret, 32, p, sizeof p, &length);
  for (int i = 0; i < OTHER_WAYS; i++) PUBLIC(ARGUMENT, other_ways[i], pair.secret, 32, p, sizeof p, &length);
  PUBLIC(ARGUMENT, way, NULL, sealing->secret_length, p, sizeof p, &length);
  PUBLIC(ARGUMENT, way, pair.secret, sealing->secret_length, NULL, 1, &length);
  PUBLIC(ARGUMENT, way, pair.secret, sealing->secret_length, p, sizeof p, NULL);
  PUBLIC(ARGUMENT, way, pair.secret, sealing->secret_length, p, SIZE_MAX, &length);
  PUBLIC(ARGUMENT, way, last_bytes(), 100, p, sizeof p, &length);
  PUBLIC(ARGUMENT, way, pair.secret, sealing->secret_length, last_bytes(), 100, &length);
  PUBLIC(ARGUMENT, way, pair.secret, 0, p, 0, NULL); /* before ERR and SPACE */
  for (size_t size = 0; size <= LONGEST_SECRET; size++)
    if (size != sealing->secret_length) PUBLIC(ERR, way, pair.secret, size, p, sizeof p, &length);
  PUBLIC(ERR, way, NULL, 0, p, 0, &length);
  PUBLIC(ERR, way, pair.secret, SIZE_MAX / 2, p, sizeof p, &length);
  CHECK(length == UNTOUCHED_LENGTH && memcmp(p, same, sizeof p) == 0);
  /* No key of a curve; any bytes are a key of X25519 and of X-Wing. SPACE comes after. */
  for (int value = 0; value <= 255; value += 255) {
    CUSTOM_KEYBOARD_RV expected = way == CUSTOM_ENCWAY_X25519 || way == CUSTOM_ENCWAY_XWING ? SPACE : ERR;
    memset(zeros, value, sizeof zeros);
    PUBLIC(expected, way, zeros, sealing->secret_length, p, 5, &length);
  }
  CHECK_BYTES(p, same, sizeof p);

  static union {
    uint8_t bytes[3072];
    size_t places[384];
  } around;
  const size_t at = PUBLIC_ROOM + 77, room = PUBLIC_ROOM;
  for (size_t start = at - room - 2; has_pairs && start <= at + sealing->secret_length + 2; start++) {
    int overlaps = start < at + sealing->secret_length && at < start + room;
    memset(&around, 0xa5, sizeof around);
    memcpy(around.bytes + at, pair.secret, sealing->secret_length);
    PUBLIC(overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK, way, around.bytes + at, sealing->secret_length,
           around.bytes + start, room, &length);
    CHECK_BYTES(around.bytes + at, pair.secret, sealing->secret_length);
    if (overlaps && start > 0) CHECK_EQUAL(around.bytes[start - 1], start > at ? pair.secret[start - 1 - at] : 0xa5);
    if (!overlaps) CHECK_BYTES(around.bytes + start, pair.public, public);
  }
  for (size_t place = 0; place < 384; place++) {
    int overlaps = 8 * place < at + room && at < 8 * place + sizeof(size_t);
    PUBLIC(overlaps ? ARGUMENT : CUSTOM_KEYBOARD_OK, way, pair.secret, sealing->secret_length, around.bytes + at, room,
           &around.places[place]);
  }
#undef PUBLIC
}

int main(void) {
  seed = take_seed();
  CUSTOM_KEYBOARD idle = new_keyboard();
  for (int i = 0; i < SEALED_WAYS; i++) {
    struct pair pair = new_pair(&sealed_ways[i]);
    refuse_ways(&pair, idle);
    refuse_null(&pair, idle);
    refuse_overlaps(&pair);
    refuse_answers_in_space(&pair);
    check_public_key(&sealed_ways[i]);
    if (sealed_ways[i].way == CUSTOM_ENCWAY_RSA) refuse_generating();
    else check_generating(&sealed_ways[i]);
  }
  return check_end("sealed_arguments", 80000);
}
