/*
 * Signatures: what is signed is verified, and nothing else is. Every bit of a signature, a text and a context, bytes
 * moved between text and context, other lengths, keys and ways, numbers out of range; keys that are wrong; NULL and
 * overlaps; the order of the codes.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "codes.h"
#include "fixture.h"
#include "sealed_ways.h"
#include "signing_ways.h"

enum {
  LONGEST_CONTEXT = CUSTOM_KEYBOARD_MAXCONTEXTSIZE,
  LONGEST_TEXT = 600,
  UNTOUCHED = 0xa5,
  UNTOUCHED_LENGTH = 2222222,
};

static uint64_t seed;

/* All that verifyText is given, and the private key. A test changes one part of it. */
struct signed_text {
  const struct signing_way *signing;
  uint8_t secret[LONGEST_SECRET], public[LONGEST_PUBLIC], context[LONGEST_CONTEXT + 1], text[LONGEST_TEXT];
  uint8_t signature[LONGEST_SIGNATURE];
  size_t context_length, text_length;
};

static CUSTOM_KEYBOARD_RV sign(struct signed_text *s) {
  size_t length = UNTOUCHED_LENGTH;
  CUSTOM_KEYBOARD_RV rv =
      CustomKeyboard_signText(s->signing->way, s->secret, s->signing->secret_length, s->context, s->context_length,
                              s->text, s->text_length, s->signature, sizeof s->signature, &length);
  CHECK_EQUAL(length, rv == OK ? s->signing->signature_length : UNTOUCHED_LENGTH);
  return rv;
}

static CUSTOM_KEYBOARD_RV verify(const struct signed_text *s) {
  return CustomKeyboard_verifyText(s->signing->way, s->public, s->signing->public_length, s->context,
                                   s->context_length, s->text, s->text_length, s->signature,
                                   s->signing->signature_length);
}

static void make_keys(struct signed_text *s) {
  static int drawn;
  size_t secret_length, public_length;
  if (s->signing->keys == CUSTOM_ENCWAY_RSA) {
    take_rsa_key(drawn++ % RSA_KEYS, s->secret, s->public);
    return;
  }
  REQUIRE_OK(CustomKeyboard_generateKey(s->signing->keys, s->secret, sizeof s->secret, &secret_length, s->public,
                                        sizeof s->public, &public_length));
  REQUIRE(secret_length == s->signing->secret_length && public_length == s->signing->public_length);
}

static struct signed_text make(const struct signing_way *signing, size_t context_length, size_t text_length) {
  struct signed_text s = {.signing = signing, .context_length = context_length, .text_length = text_length};
  make_keys(&s);
  draw_bytes(&seed, s.context, context_length);
  draw_bytes(&seed, s.text, text_length);
  CHECK_OK(sign(&s));
  return s;
}

/* ---- What is right, and every change of it ------------------------------------------------------------------------
 * */

static void accept_all_lengths(const struct signing_way *signing) {
  struct signed_text s = make(signing, 0, 0);
  CHECK_OK(verify(&s));
  const unsigned step = signing->step;
  for (s.context_length = 0; s.context_length <= LONGEST_CONTEXT; s.context_length += step + s.context_length % 13)
    for (s.text_length = 0; s.text_length <= LONGEST_TEXT; s.text_length += step + s.text_length % 31) {
      draw_bytes(&seed, s.context, s.context_length);
      draw_bytes(&seed, s.text, s.text_length);
      CHECK_OK(sign(&s));
      CHECK_OK(verify(&s));
    }
  /* A long text, and NULL where there are no bytes. */
  static uint8_t megabytes[3 << 20];
  size_t length;
  draw_bytes(&seed, megabytes, 1 << 16);
  const size_t secret = signing->secret_length, public = signing->public_length;
  CHECK_OK(CustomKeyboard_signText(signing->way, s.secret, secret, NULL, 0, megabytes, sizeof megabytes, s.signature,
                                   sizeof s.signature, &length));
  CHECK_OK(CustomKeyboard_verifyText(signing->way, s.public, public, NULL, 0, megabytes, sizeof megabytes, s.signature,
                                     length));
  megabytes[sizeof megabytes - 1] ^= 1;
  CHECK_EQUAL(CustomKeyboard_verifyText(signing->way, s.public, public, NULL, 0, megabytes, sizeof megabytes,
                                        s.signature, length),
              MISMATCH);
  CHECK_OK(CustomKeyboard_signText(signing->way, s.secret, secret, NULL, 0, NULL, 0, s.signature, length, &length));
  CHECK_OK(CustomKeyboard_verifyText(signing->way, s.public, public, NULL, 0, NULL, 0, s.signature, length));
}

static void refuse_changed_bits(struct signed_text *s, uint8_t *bytes, size_t length) {
  for (size_t bit = 0; bit < 8 * length; bit++) {
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    CHECK_EQUAL(verify(s), MISMATCH);
    bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
  }
  CHECK_OK(verify(s));
}

static void refuse_changes(const struct signing_way *signing) {
  struct signed_text s = make(signing, 24, 60), changed;
  refuse_changed_bits(&s, s.signature, signing->signature_length);
  refuse_changed_bits(&s, s.context, s.context_length);
  refuse_changed_bits(&s, s.text, s.text_length);
  for (size_t length = 0; length <= 600; length++) {
    uint8_t longer[600] = {0};
    memcpy(longer, s.signature, signing->signature_length);
    CHECK_EQUAL(CustomKeyboard_verifyText(signing->way, s.public, signing->public_length, s.context, s.context_length,
                                          s.text, s.text_length, longer, length),
                length == signing->signature_length ? OK : MISMATCH);
  }
  CHECK_EQUAL(CustomKeyboard_verifyText(signing->way, s.public, signing->public_length, s.context, s.context_length,
                                        s.text, s.text_length, NULL, 0),
              MISMATCH);

  /* The same bytes with another boundary between context and text. */
  uint8_t joined[sizeof s.context + sizeof s.text];
  memcpy(joined, s.context, s.context_length);
  memcpy(joined + s.context_length, s.text, s.text_length);
  for (size_t at = 0; at <= s.context_length + s.text_length; at++)
    CHECK_EQUAL(CustomKeyboard_verifyText(signing->way, s.public, signing->public_length, joined, at, joined + at,
                                          s.context_length + s.text_length - at, s.signature,
                                          signing->signature_length),
                at == s.context_length ? OK : MISMATCH);
  changed = s;
  changed.text_length--;
  CHECK_EQUAL(verify(&changed), MISMATCH);
  changed = s;
  make_keys(&changed);
  CHECK_EQUAL(verify(&changed), MISMATCH);
  for (int i = 0; i < SIGNING_WAYS; i++) {
    changed = s;
    changed.signing = &signing_ways[i];
    /* A key of one way is not a key of another. */
    if (&signing_ways[i] != signing) CHECK_EQUAL(verify(&changed), ERR);
  }
}

/* r and s at the ends of their range, and past it. */
static void refuse_numbers(const struct signing_way *signing, const char *order) {
  struct signed_text s = make(signing, 3, 40);
  uint8_t numbers[8][32] = {{0}}, right[64];
  memcpy(right, s.signature, sizeof right);
  numbers[1][31] = 1;
  for (int i = 2; i < 7; i++) from_hex(order, numbers[i], 32);
  numbers[2][31] -= 1;
  numbers[4][31] += 1;
  memset(numbers[5], 0xff, 32);
  numbers[6][0] ^= 0x80;
  for (int r = 0; r < 8; r++)
    for (int t = 0; t < 8; t++) {
      memcpy(s.signature, r < 7 ? numbers[r] : right, 32);
      memcpy(s.signature + 32, t < 7 ? numbers[t] : right + 32, 32);
      CHECK_EQUAL(verify(&s), r == 7 && t == 7 ? OK : MISMATCH);
    }
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------
 * */

static void refuse_lengths_of_keys(const struct signing_way *signing) {
  struct signed_text s = make(signing, 3, 40), bad;
  static uint8_t key[LONGEST_SECRET + 40];
  uint8_t signature[LONGEST_SIGNATURE];
  size_t length = UNTOUCHED_LENGTH;
  memset(signature, UNTOUCHED, sizeof signature);
  memcpy(key, s.secret, signing->secret_length);
  for (size_t key_length = 0; key_length <= sizeof key; key_length++) {
    CUSTOM_KEYBOARD_RV rv = CustomKeyboard_signText(signing->way, key, key_length, NULL, 0, s.text, 9, signature,
                                                    sizeof signature, &length);
    CHECK_EQUAL(rv, key_length == signing->secret_length ? OK : ERR);
    CHECK_EQUAL(length, rv == OK ? signing->signature_length : UNTOUCHED_LENGTH);
    length = UNTOUCHED_LENGTH;
  }
  memcpy(key, s.public, signing->public_length);
  for (size_t key_length = 0; key_length <= signing->public_length + 40; key_length++)
    CHECK_EQUAL(CustomKeyboard_verifyText(signing->way, key, key_length, s.context, 3, s.text, 40, s.signature,
                                          signing->signature_length),
                key_length == signing->public_length ? OK : ERR);
  /* Every bit of a point matters. Some bits of a modulus give another one. */
  for (size_t bit = 0; bit < 8 * signing->public_length; bit++) {
    bad = s;
    bad.public[bit / 8] ^= (uint8_t)(1 << bit % 8);
    CUSTOM_KEYBOARD_RV rv = verify(&bad);
    CHECK(rv == ERR || (signing->way == CUSTOM_SIGNWAY_RSA && rv == MISMATCH));
  }
  bad = s;
  memset(bad.public, 0, sizeof bad.public);
  CHECK_EQUAL(verify(&bad), ERR);
  bad = s;
  memset(bad.secret, 0, sizeof bad.secret);
  CHECK_EQUAL(sign(&bad), ERR);
}

static void refuse_scalars(const struct signing_way *signing, const char *order) {
  struct signed_text s = make(signing, 3, 40);
  uint8_t signature[64];
  size_t length;
  /* 0 … 2 and n - 3 … n + 3. SM2 divides by 1 + key, so n - 1 is not a key. */
  for (int i = -3; i <= 6; i++) {
    uint8_t scalar[32] = {0};
    int is_key = i <= 3 ? i == -2 || i == -1 : 0;
    if (i <= -1) {
      scalar[31] = (uint8_t)(i + 3); /* 0, 1, 2 */
    } else {
      from_hex(order, scalar, 32);
      scalar[31] = (uint8_t)(scalar[31] + i - 3); /* n - 3 … n + 3 */
      is_key = i < 2 || (i == 2 && signing->way != CUSTOM_SIGNWAY_SM2);
    }
    memset(signature, UNTOUCHED, sizeof signature);
    CUSTOM_KEYBOARD_RV rv =
        CustomKeyboard_signText(signing->way, scalar, 32, NULL, 0, s.text, 9, signature, sizeof signature, &length);
    if (!CHECK_EQUAL(rv, is_key ? OK : ERR)) fprintf(stderr, "%s, scalar %d\n", signing->name, i);
    for (size_t j = 0; rv != OK && j < sizeof signature; j++) CHECK(signature[j] == UNTOUCHED);
  }
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------
 * */

static void refuse_arguments(const struct signing_way *signing) {
  static const CUSTOM_SIGNWAY unknown[] = {(CUSTOM_SIGNWAY)3, (CUSTOM_SIGNWAY)-1, (CUSTOM_SIGNWAY)256,
                                           (CUSTOM_SIGNWAY)0x7fffffff};
  struct signed_text s = make(signing, 20, 40);
  uint8_t out[LONGEST_SIGNATURE], zero[LONGEST_PUBLIC] = {0};
  const size_t secret = signing->secret_length, public = signing->public_length, full = signing->signature_length;
  size_t length = UNTOUCHED_LENGTH;
  CUSTOM_SIGNWAY way = signing->way;
  memset(out, UNTOUCHED, sizeof out);
#define SIGN(expected, ...) CHECK_EQUAL(CustomKeyboard_signText(__VA_ARGS__), expected)
#define VERIFY(expected, ...) CHECK_EQUAL(CustomKeyboard_verifyText(__VA_ARGS__), expected)
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    SIGN(ARGUMENT, unknown[i], s.secret, secret, s.context, 20, s.text, 40, out, full, &length);
    VERIFY(ARGUMENT, unknown[i], s.public, public, s.context, 20, s.text, 40, s.signature, full);
  }
  const uint8_t *nowhere[] = {NULL, last_bytes()};
  for (int i = 0; i < 2; i++) {
    SIGN(ARGUMENT, way, nowhere[i], secret, s.context, 20, s.text, 40, out, full, &length);
    SIGN(ARGUMENT, way, s.secret, secret, nowhere[i], 20, s.text, 40, out, full, &length);
    SIGN(ARGUMENT, way, s.secret, secret, s.context, 20, nowhere[i], 40, out, full, &length);
    SIGN(ARGUMENT, way, s.secret, secret, s.context, 20, s.text, 40, (uint8_t *)(uintptr_t)nowhere[i], full, &length);
    VERIFY(ARGUMENT, way, nowhere[i], public, s.context, 20, s.text, 40, s.signature, full);
    VERIFY(ARGUMENT, way, s.public, public, nowhere[i], 20, s.text, 40, s.signature, full);
    VERIFY(ARGUMENT, way, s.public, public, s.context, 20, nowhere[i], 40, s.signature, full);
    VERIFY(ARGUMENT, way, s.public, public, s.context, 20, s.text, 40, nowhere[i], full);
  }
  SIGN(ARGUMENT, way, s.secret, secret, s.context, 20, s.text, 40, out, full, NULL);
  SIGN(ARGUMENT, way, s.secret, secret, s.context, 20, s.text, 40, out, SIZE_MAX, &length);
  SIGN(ARGUMENT, way, s.secret, secret, s.context, 20, s.text, SIZE_MAX, out, full, &length);
  VERIFY(ARGUMENT, way, s.public, public, s.context, 20, s.text, SIZE_MAX, s.signature, full);

  /* One fault after another is mended, and the code is that of the next. */
  SIGN(ARGUMENT, way, zero, 0, s.context, 257, NULL, 1, out, 3, &length);
  SIGN(MAXLEN, way, zero, 0, s.context, 257, s.text, 40, out, 3, &length);
  SIGN(ERR, way, zero, 0, s.context, 256, s.text, 40, out, 3, &length);
  SIGN(ERR, way, zero, signing->way == CUSTOM_SIGNWAY_RSA ? 294 : 32, s.context, 256, s.text, 40, out, 3, &length);
  CHECK_EQUAL(length, UNTOUCHED_LENGTH);
  for (size_t capacity = 0; capacity < full; capacity++) {
    length = UNTOUCHED_LENGTH;
    SIGN(SPACE, way, s.secret, secret, s.context, 256, s.text, 40, capacity ? out : NULL, capacity, &length);
    CHECK_EQUAL(length, full);
  }
  for (size_t i = 0; i < sizeof out; i++) CHECK(out[i] == UNTOUCHED);
  SIGN(OK, way, s.secret, secret, s.context, 256, s.text, 40, out, full, &length);
  VERIFY(ARGUMENT, way, zero, public - 1, s.context, 257, NULL, 1, out, full - 1);
  VERIFY(MAXLEN, way, zero, public - 1, s.context, 257, s.text, 40, out, full - 1);
  VERIFY(ERR, way, zero, public - 1, s.context, 256, s.text, 40, out, full - 1);
  VERIFY(ERR, way, zero, public, s.context, 256, s.text, 40, out, full - 1);
  VERIFY(MISMATCH, way, s.public, public, s.context, 256, s.text, 40, out, full - 1);
  VERIFY(OK, way, s.public, public, s.context, 256, s.text, 40, out, full);
}

/* One shared byte is an overlap; adjacent buffers do not overlap. */
static void refuse_overlaps(const struct signing_way *signing) {
  enum { AROUND = 4096 };
  static union {
    uint8_t bytes[AROUND];
    size_t places[AROUND / 8];
  } around, before;
  struct signed_text s = make(signing, 24, 50);
  const size_t at = 400, lengths[] = {signing->secret_length, s.context_length, s.text_length},
               full = signing->signature_length, public = signing->public_length;
  const uint8_t *given[] = {s.secret, s.context, s.text};
  size_t length;
  for (int which = 0; which < 3; which++)
    for (size_t start = at - full - 3; start <= at + lengths[which] + 3; start += signing->step) {
      const uint8_t *arguments[] = {s.secret, s.context, s.text};
      arguments[which] = around.bytes + at;
      memset(&around, UNTOUCHED, sizeof around);
      memcpy(around.bytes + at, given[which], lengths[which]);
      before = around;
      int overlaps = start < at + lengths[which] && at < start + full;
      SIGN(overlaps ? ARGUMENT : OK, signing->way, arguments[0], lengths[0], arguments[1], lengths[1], arguments[2],
           lengths[2], around.bytes + start, full, &length);
      if (overlaps)
        CHECK(memcmp(&around, &before, sizeof around) == 0);
      else
        VERIFY(OK, signing->way, s.public, public, s.context, 24, s.text, 50, around.bytes + start, full);
    }
  for (size_t place = 0; place < 128; place += signing->step) {
    int overlaps = 8 * place < at + full && at < 8 * place + sizeof(size_t);
    SIGN(overlaps ? ARGUMENT : OK, signing->way, s.secret, lengths[0], s.context, 24, s.text, 50, around.bytes + at,
         full, &around.places[place]);
  }
  /* What is only read may be anywhere: here, all in the same bytes. */
  const uint8_t *all = s.secret;
  SIGN(OK, signing->way, all, lengths[0], all, 30, all, 32, s.signature, full, &length);
  VERIFY(OK, signing->way, s.public, public, all, 30, all, 32, s.signature, full);
}
#undef SIGN
#undef VERIFY

/* ---- Nonces -------------------------------------------------------------------------------------------------------
 * */

/* No two signatures of one text begin alike. If r, which is the nonce's point, came twice, it would tell the key. */
static void check_nonces(const struct signing_way *signing) {
  enum { MANY = 4000 / LESS };
  static uint8_t seen[MANY][32];
  struct signed_text s = make(signing, 8, 30);
  for (int i = 0; i < MANY / (int)signing->step; i++) {
    CHECK_OK(sign(&s));
    memcpy(seen[i], s.signature, 32);
    for (int j = 0; j < i; j++) REQUIRE(memcmp(seen[i], seen[j], 32) != 0);
  }
  CHECK_OK(verify(&s));
}

int main(void) {
  static const char *orders[] = {"ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551",
                                 "fffffffeffffffffffffffffffffffff7203df6b21c6052b53bbf40939d54123"};
  seed = take_seed();
  for (int i = 0; i < SIGNING_WAYS; i++) {
    const struct signing_way *signing = &signing_ways[i];
    accept_all_lengths(signing);
    refuse_changes(signing);
    refuse_lengths_of_keys(signing);
    refuse_arguments(signing);
    refuse_overlaps(signing);
    check_nonces(signing);
    if (signing->way == CUSTOM_SIGNWAY_RSA) continue;
    refuse_numbers(signing, orders[i]);
    refuse_scalars(signing, orders[i]);
  }
  return check_end("signing", 20000);
}
