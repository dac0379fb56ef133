/*
 * Keys that are made from what is typed: known answers, what is refused and in which order, and that no key is the hash
 * of a verifier. (KeyboardHashesTests compares Argon2id with libargon2.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "fixture.h"

enum { SHORTEST_KEY = 16, LONGEST_MADE = 64, SHORTEST_SALT = 8, LONGEST_SALT = 64, LONGEST_PEPPER = 64 };

static const uint8_t digits[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* Of libargon2 20171227: argon2_ctx with the associated data "CustomKeyboard key". */
static const struct vector {
  const char *passcode, *salt, *pepper;
  uint32_t memory, passes;
  const char *key;
} vectors[] = {
    {"483725", "saltsalt", "", 0, 0, "f5d5ca0cd209d603377bcd9b452ef0af72aacbd0b7d1a37364f3768c0f1f84ad"},
    {"483725", "saltsalt", "pepper", 19456, 2, "c70e0000e1469e5f1630371b9133b283155c40811882e4f2c051433ea70d06ec"},
    {"", "0123456789abcdef", "", 8, 1, "6f951fbe5e6102a09dd3da95760b21f2"},
    {"kgcx879@", "0123456789abcdef", "secret", 64, 3,
     "edaeee619445b4e3afb3e1624acaee57bfdae44f9a5d615931e813a0827f66917"
     "a4e7c581b711606b7a86668f241b5a8aa9b8c20a078bb0410a52d09ddba69fc"},
    {"\xed\x95\x9c", (const char *)digits, (const char *)digits, 1024, 1,
     "dfb482a942dde59a45b642a8116b83ae933093d93f6ce60e889248b6dc58b06f62"},
};

static void check_vectors(void) {
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    const struct vector *v = &vectors[i];
    uint8_t expected[LONGEST_MADE], key[LONGEST_MADE + 1], text[CUSTOM_KEYBOARD_MAXTEXTSIZE];
    size_t length = from_hex(v->key, expected, sizeof expected), offset, text_length;
    size_t typed_length = strlen(v->passcode);
    CUSTOM_KEYBOARD typed_here = typed(CUSTOM_ENCWAY_SM4, digits, 16, bytes(v->passcode), typed_length), received;
    /* What was received is as good as what was typed. */
    REQUIRE_OK(CustomKeyboard_getText(typed_here, text, padded(typed_length, 16), &offset, &text_length));
    REQUIRE_OK(CustomKeyboard_create(&received));
    REQUIRE_OK(CustomKeyboard_receive(received, CUSTOM_ENCWAY_SM4, digits, 16, NULL, 0, text, text_length));
    for (int j = 0; j < 2; j++) {
      memset(key, 0xa5, sizeof key);
      CHECK_OK(CustomKeyboard_deriveKey(j ? received : typed_here, bytes(v->salt), strlen(v->salt), bytes(v->pepper),
                                        strlen(v->pepper), v->memory, v->passes, key, length));
      CHECK_BYTES(key, expected, length);
      CHECK_EQUAL(key[length], 0xa5);
    }
    REQUIRE_OK(CustomKeyboard_destroy(typed_here));
    REQUIRE_OK(CustomKeyboard_destroy(received));
  }
}

/* Cheap costs. */
static CUSTOM_KEYBOARD_RV derive(CUSTOM_KEYBOARD k, size_t salt_length, size_t pepper_length, uint8_t *key,
                                 size_t length) {
  static const uint8_t zeros[100];
  return CustomKeyboard_deriveKey(k, zeros, salt_length, zeros, pepper_length, 8, 1, key, length);
}

static void check_lengths(CUSTOM_KEYBOARD k) {
  uint8_t key[LONGEST_MADE + 8], untouched[sizeof key], shorter[sizeof key];
  memset(untouched, 0xa5, sizeof untouched);
  memset(shorter, 0, sizeof shorter);
  for (size_t length = 0; length <= sizeof key; length++) {
    int is_right = length >= SHORTEST_KEY && length <= LONGEST_MADE;
    memset(key, 0xa5, sizeof key);
    CHECK_EQUAL(derive(k, 16, 0, length ? key : NULL, length), is_right ? OK : ARGUMENT);
    CHECK_BYTES(key + (is_right ? length : 0), untouched, sizeof key - (is_right ? length : 0));
    /* The length is an input: a shorter key is not the beginning of a longer one. */
    if (is_right) CHECK(memcmp(key, shorter, 8) != 0);
    if (is_right) memcpy(shorter, key, length);
  }
  memset(key, 0xa5, sizeof key);
  for (size_t length = 0; length <= 80; length++) {
    int is_right = length >= SHORTEST_SALT && length <= LONGEST_SALT;
    CHECK_EQUAL(derive(k, length, 0, shorter, 32), is_right ? OK : ARGUMENT);
    CHECK_EQUAL(derive(k, 16, length, shorter, 32), length <= LONGEST_PEPPER ? OK : MAXLEN);
    if (!is_right) CHECK_EQUAL(derive(k, length, length, key, 32), ARGUMENT);
    if (length > LONGEST_PEPPER) CHECK_EQUAL(derive(k, 16, length, key, 32), MAXLEN);
  }
  CHECK_BYTES(key, untouched, sizeof key);
}

static void check_costs(CUSTOM_KEYBOARD k) {
  static const struct {
    uint32_t memory, passes;
    int is_right;
  } costs[] = {
      {8, 1, 1},      {7, 1, 0},       {0, 1, 0},          {0, 2, 0},         {19456, 0, 0}, {8, 0, 0},
      {9, 3, 1},      {1, 1000, 0},    {1 << 20, 5, 0},    {1 << 21, 1, 0},   {8, 524289, 0},
      {19457, 1, 1},  {19457, 216, 0}, {UINT32_MAX, 1, 0}, {8, UINT32_MAX, 0}, {UINT32_MAX, UINT32_MAX, 0},
      {1 << 16, 1 << 16, 0},
  };
  uint8_t key[32], untouched[32];
  memset(untouched, 0xa5, sizeof untouched);
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    memset(key, 0xa5, sizeof key);
    CUSTOM_KEYBOARD_RV rv =
        CustomKeyboard_deriveKey(k, digits, 16, NULL, 0, costs[i].memory, costs[i].passes, key, sizeof key);
    if (!CHECK_EQUAL(rv, costs[i].is_right ? OK : ARGUMENT)) fprintf(stderr, "  (costs %zu)\n", i);
    CHECK((memcmp(key, untouched, sizeof key) != 0) == costs[i].is_right);
  }
}

static void check_arguments(CUSTOM_KEYBOARD k) {
  CUSTOM_KEYBOARD idle, dead = holding("1");
  uint8_t key[32], untouched[32], around[400], kept[sizeof around];
  REQUIRE_OK(CustomKeyboard_destroy(dead));
  REQUIRE_OK(CustomKeyboard_create(&idle));
  memset(key, 0xa5, sizeof key);
  memset(untouched, 0xa5, sizeof untouched);
#define DERIVE(expected, ...) CHECK_EQUAL(CustomKeyboard_deriveKey(__VA_ARGS__), expected)
  CUSTOM_KEYBOARD none[] = {0, dead, UINT64_C(0xfeedfacecafebeef)};
  for (int i = 0; i < 3; i++) DERIVE(ARGUMENT, none[i], digits, 16, NULL, 0, 8, 1, key, 32);
  DERIVE(ARGUMENT, k, NULL, 16, NULL, 0, 8, 1, key, 32);
  DERIVE(ARGUMENT, k, NULL, 0, NULL, 0, 8, 1, key, 32);
  DERIVE(ARGUMENT, k, digits, 16, NULL, 1, 8, 1, key, 32);
  DERIVE(ARGUMENT, k, digits, 16, NULL, 0, 8, 1, NULL, 32);
  DERIVE(ARGUMENT, k, last_bytes(), 16, NULL, 0, 8, 1, key, 32);
  DERIVE(ARGUMENT, k, digits, 16, last_bytes(), 16, 8, 1, key, 32);
  DERIVE(ARGUMENT, k, digits, 16, NULL, 0, 8, 1, last_bytes(), 32);
  DERIVE(ARGUMENT, k, digits, SIZE_MAX, NULL, 0, 8, 1, key, 32);
  /* A length is judged before addresses: a pepper that is too long overlaps nothing, before the key or behind it. */
  DERIVE(MAXLEN, k, digits, 16, around, SIZE_MAX, 8, 1, around + 64, 32);
  DERIVE(MAXLEN, k, digits, 16, around + 64, SIZE_MAX, 8, 1, around, 32);
  DERIVE(MAXLEN, k, digits, 16, around, 100, 8, 1, around + 64, 32);
  DERIVE(ARGUMENT, k, digits, 16, NULL, 0, 8, 1, key, SIZE_MAX);
  DERIVE(ARGUMENT, k, digits, 16, NULL, 0, 8, 1, key, SIZE_MAX / 2);
  /* ARGUMENT, OP_DISABLE, MAXLEN, in this order. */
  uint8_t long_pepper[65] = {0};
  DERIVE(ARGUMENT, idle, digits, 16, long_pepper, 65, 8, 0, key, 32);
  DERIVE(ARGUMENT, idle, digits, 7, long_pepper, 65, 8, 1, key, 32);
  DERIVE(ARGUMENT, idle, digits, 16, long_pepper, 65, 8, 1, key, 15);
  DERIVE(OP_DISABLE, idle, digits, 16, long_pepper, 65, 8, 1, key, 32);
  DERIVE(OP_DISABLE, idle, digits, 16, long_pepper, 64, 8, 1, key, 32);
  DERIVE(MAXLEN, k, digits, 16, long_pepper, 65, 8, 1, key, 32);
  CHECK_BYTES(key, untouched, sizeof key);

  /* One shared byte is an overlap; adjacent buffers do not overlap. */
  for (int is_pepper = 0; is_pepper <= 1; is_pepper++)
    for (size_t start = 100 - 32 - 2; start <= 100 + 20 + 2; start++) {
      const uint8_t *salt = is_pepper ? digits : around + 100, *pepper = is_pepper ? around + 100 : digits;
      int overlaps = start < 100 + 20 && 100 < start + 32;
      memset(around, 0x5a, sizeof around);
      memcpy(kept, around, sizeof kept);
      DERIVE(overlaps ? ARGUMENT : OK, k, salt, 20, pepper, 20, 8, 1, around + start, 32);
      CHECK((memcmp(around, kept, sizeof kept) == 0) == overlaps);
      CHECK_BYTES(around + 100, kept + 100, 20);
    }
  /* What is only read may be anywhere. */
  DERIVE(OK, k, digits, 20, digits, 20, 8, 1, key, 32);
#undef DERIVE
  REQUIRE_OK(CustomKeyboard_destroy(idle));
}

/* Each input changes the key, and the same inputs make the same. */
static void check_inputs(CUSTOM_KEYBOARD k) {
  uint8_t keys[8][32];
  CUSTOM_KEYBOARD other = holding("483726");
  CUSTOM_KEYBOARD_RV rvs[] = {
      CustomKeyboard_deriveKey(k, digits, 16, digits, 16, 8, 2, keys[0], 32),
      CustomKeyboard_deriveKey(other, digits, 16, digits, 16, 8, 2, keys[1], 32),
      CustomKeyboard_deriveKey(k, digits + 1, 16, digits, 16, 8, 2, keys[2], 32),
      CustomKeyboard_deriveKey(k, digits, 17, digits, 16, 8, 2, keys[3], 32),
      CustomKeyboard_deriveKey(k, digits, 16, digits + 1, 16, 8, 2, keys[4], 32),
      CustomKeyboard_deriveKey(k, digits, 16, digits, 16, 16, 2, keys[5], 32),
      CustomKeyboard_deriveKey(k, digits, 16, digits, 16, 8, 3, keys[6], 32),
      CustomKeyboard_deriveKey(k, digits, 16, digits, 16, 8, 2, keys[7], 32),
  };
  for (int i = 0; i < 8; i++) CHECK_OK(rvs[i]);
  for (int i = 0; i < 7; i++)
    for (int j = 0; j < i; j++) CHECK(memcmp(keys[i], keys[j], 32) != 0);
  CHECK_BYTES(keys[7], keys[0], 32);
  REQUIRE_OK(CustomKeyboard_destroy(other));
}

/* The hash of the verifier of "password" with the salt "somesalt" (libargon2's src/test.c), and the key that has the
 * same inputs otherwise. */
static void check_no_verifier(void) {
  CUSTOM_KEYBOARD k = holding("password");
  uint8_t key[32], hash[32];
  CHECK_OK(CustomKeyboard_checkVerifier(
      k, NULL, 0, "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"));
  REQUIRE(from_hex("09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7", hash, sizeof hash) == 32);
  CHECK_OK(CustomKeyboard_deriveKey(k, bytes("somesalt"), 8, NULL, 0, 65536, 2, key, sizeof key));
  CHECK(memcmp(key, hash, sizeof key) != 0);
  REQUIRE_OK(CustomKeyboard_destroy(k));
}

int main(void) {
  CUSTOM_KEYBOARD k = holding("483725");
  check_vectors();
  check_lengths(k);
  check_costs(k);
  check_arguments(k);
  check_inputs(k);
  check_no_verifier();
  REQUIRE_OK(CustomKeyboard_destroy(k));
  return check_end("derive", 700);
}
