/*
 * The library compared with OpenSSL and libgcrypt; the three share no code. It uses a million random triples of an
 * algorithm, a key and a text: the bare cipher on whole blocks of up to 144 bytes in both directions, and a password of
 * 0 to 128 bytes, typed, read with getText and decrypted. At the end, one flipped bit in either peer's answer must be
 * noticed.
 *
 *     differential_million [triples]          SEED=… in the environment repeats a run
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "fixture.h"
#include <gcrypt.h>
#include <openssl/des.h>
#include <openssl/evp.h>

enum { LONGEST_TEXT = CUSTOM_KEYBOARD_MAXTEXTSIZE, LONGEST_PASSWORD = CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE };
enum { PEERS = 2, PLANTED = 1000 };

static uint64_t seed;
static unsigned long long comparisons;

/* A random choice of one of the four kinds of key, with a random key. */
struct triple {
  const struct algorithm *algorithm;
  uint8_t key[LONGEST_KEY];
};

/* ---- The peers --------------------------------------------------------------------------------------------------- */

static EVP_CIPHER_CTX *openssl_sm4;
static DES_key_schedule openssl_des[3];
static gcry_cipher_hd_t gcrypt[ALGORITHM_COUNT];

/* K1 K2 K3, from a key of 8, 16 or 24 bytes: libgcrypt always needs all three. */
static void spread(const struct triple *t, uint8_t keys[24]) {
  for (size_t i = 0; i < 24; i++) keys[i] = t->key[i % t->algorithm->key_length];
}

static void start_peers(void) {
  REQUIRE(gcry_check_version(NULL));
  gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  for (int i = 0; i < ALGORITHM_COUNT; i++) {
    static const int names[] = {GCRY_CIPHER_DES, GCRY_CIPHER_3DES, GCRY_CIPHER_3DES, GCRY_CIPHER_SM4};
    REQUIRE(gcry_cipher_open(&gcrypt[i], names[i], GCRY_CIPHER_MODE_ECB, 0) == 0);
  }
  REQUIRE((openssl_sm4 = EVP_CIPHER_CTX_new()));
}

static void stop_peers(void) {
  for (int i = 0; i < ALGORITHM_COUNT; i++) gcry_cipher_close(gcrypt[i]);
  EVP_CIPHER_CTX_free(openssl_sm4);
}

static void set_keys(const struct triple *t) {
  uint8_t keys[24];
  int index = (int)(t->algorithm - algorithms), sm4 = t->algorithm->way == CUSTOM_ENCWAY_SM4;
  spread(t, keys);
  REQUIRE(gcry_cipher_setkey(gcrypt[index], keys, sm4 ? 16 : index == 0 ? 8 : 24) == 0);
  for (int i = 0; !sm4 && i < 3; i++) DES_set_key_unchecked((const_DES_cblock *)(keys + 8 * i), &openssl_des[i]);
}

static void ask_openssl(const struct triple *t, int decrypting, const uint8_t *in, uint8_t *out, size_t length) {
  if (t->algorithm->way == CUSTOM_ENCWAY_SM4) {
    int written = 0;
    REQUIRE(EVP_CipherInit_ex(openssl_sm4, EVP_sm4_ecb(), NULL, t->key, NULL, !decrypting));
    EVP_CIPHER_CTX_set_padding(openssl_sm4, 0);
    REQUIRE(EVP_CipherUpdate(openssl_sm4, out, &written, in, (int)length) && (size_t)written == length);
    return;
  }
  int direction = decrypting ? DES_DECRYPT : DES_ENCRYPT;
  for (size_t at = 0; at < length; at += 8) {
    DES_cblock block, result;
    memcpy(block, in + at, 8);
    if (t->algorithm->way == CUSTOM_ENCWAY_DES)
      DES_ecb_encrypt(&block, &result, &openssl_des[0], direction);
    else
      DES_ecb3_encrypt(&block, &result, &openssl_des[0], &openssl_des[1], &openssl_des[2], direction);
    memcpy(out + at, result, 8);
  }
}

static void ask_gcrypt(const struct triple *t, int decrypting, const uint8_t *in, uint8_t *out, size_t length) {
  gcry_cipher_hd_t handle = gcrypt[t->algorithm - algorithms];
  gcry_error_t error = decrypting ? gcry_cipher_decrypt(handle, out, length, in, length)
                                  : gcry_cipher_encrypt(handle, out, length, in, length);
  REQUIRE(error == 0);
}

/* How many of the two peers disagree with the library's result for `in`. `spoiled`: the peer whose answer gets a
 * flipped bit. */
static int disagreements(const struct triple *t, int decrypting, const uint8_t *in, const uint8_t *ours, size_t length,
                         int spoiled) {
  uint8_t theirs[PEERS][LONGEST_TEXT];
  int count = 0;
  ask_openssl(t, decrypting, in, theirs[0], length);
  ask_gcrypt(t, decrypting, in, theirs[1], length);
  for (int peer = 0; peer < PEERS; peer++) {
    if (peer == spoiled) theirs[peer][draw(&seed) % length] ^= 1 << draw(&seed) % 8;
    int differs = memcmp(theirs[peer], ours, length) != 0;
    count += differs;
    comparisons++;
    if (spoiled < 0 && check_failed(!differs)) {
      fprintf(stderr, "%s disagrees on %zu bytes of %s\n", peer ? "libgcrypt" : "OpenSSL", length, t->algorithm->name);
      check_print_hex("key", t->key, t->algorithm->key_length);
      check_print_hex("given", in, length);
      check_print_hex("theirs", theirs[peer], length);
      check_print_hex("ours", ours, length);
    }
  }
  return count;
}

/* ---- The triples ------------------------------------------------------------------------------------------------- */

static struct triple draw_triple(void) {
  struct triple t = {&algorithms[draw(&seed) % ALGORITHM_COUNT], {0}};
  draw_bytes(&seed, t.key, sizeof t.key);
  set_keys(&t);
  return t;
}

/* Characters of one to four bytes, `length` bytes in all. */
static void draw_characters(uint8_t *out, size_t length) {
  static const uint32_t first[] = {0, 0x20, 0xa0, 0x900, 0x10000}, past[] = {0, 0x7f, 0x800, 0xd800, 0x110000};
  for (size_t at = 0; at < length;) {
    size_t left = length - at, width = draw(&seed) % 4 == 0 ? 1 + draw(&seed) % 4 : 1;
    if (width > left) width = left;
    uint32_t point = first[width] + (uint32_t)(draw(&seed) % (past[width] - first[width]));
    static const uint8_t lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = width; i-- > 1; point >>= 6) out[at + i] = (uint8_t)(0x80 | (point & 0x3f));
    out[at] = (uint8_t)(lead[width] | point);
    at += width;
  }
}

/* The bare cipher, in place or in separate buffers, in both directions. */
static int check_text(const struct triple *t, int spoiled) {
  uint8_t text[LONGEST_TEXT], result[LONGEST_TEXT];
  size_t block = t->algorithm->block_size, length = block * (1 + draw(&seed) % (LONGEST_TEXT / block));
  int decrypting = (int)(draw(&seed) % 2), in_place = (int)(draw(&seed) % 2);
  CUSTOM_KEYBOARD_CIPHER cipher;
  draw_bytes(&seed, text, length);
  memcpy(result, text, length);
  REQUIRE_OK(CustomKeyboard_setupCipher(&cipher, t->algorithm->way, t->key, t->algorithm->key_length, decrypting));
  REQUIRE_OK(CustomKeyboard_cryptECB(&cipher, in_place ? result : text, result, length));
  REQUIRE_OK(CustomKeyboard_wipeCipher(&cipher));
  return disagreements(t, decrypting, text, result, length, spoiled);
}

/* A password: typed, read, and decrypted from its offset in the space. */
static int check_password(const struct triple *t, int spoiled) {
  uint8_t password[LONGEST_TEXT], text[LONGEST_TEXT], space[512], clear[512];
  size_t length = draw(&seed) % (LONGEST_PASSWORD + 1), whole = padded(length, t->algorithm->block_size);
  size_t key_length = t->algorithm->key_length, offset, text_length, clear_offset, clear_length;
  size_t size = draw(&seed) % 2 ? whole : whole + draw(&seed) % (sizeof space - whole + 1);
  draw_characters(password, length);
  CUSTOM_KEYBOARD keyboard = typed(t->algorithm->way, t->key, key_length, password, length);
  memset(password + length, (int)(whole - length), whole - length);
  REQUIRE_OK(CustomKeyboard_getText(keyboard, space, size, &offset, &text_length));
  REQUIRE_OK(CustomKeyboard_destroy(keyboard));
  REQUIRE(text_length == whole && offset <= size - whole);
  memcpy(text, space + offset, whole);
  size = draw(&seed) % 2 ? length : length + draw(&seed) % (sizeof clear - length + 1);
  REQUIRE_OK(CustomKeyboard_decrypt(t->algorithm->way, t->key, key_length, text, whole, clear, size, &clear_offset,
                                    &clear_length));
  if (CHECK(clear_length == length && clear_offset <= size - length))
    CHECK(length == 0 || memcmp(clear + clear_offset, password, length) == 0);
  return disagreements(t, 0, password, text, whole, spoiled);
}

int main(int count, char **arguments) {
  long triples = count > 1 ? atol(arguments[1]) : 1000000, kinds[ALGORITHM_COUNT] = {0};
  REQUIRE(triples > 0);
  seed = take_seed();
  printf("SEED=%llu\n", (unsigned long long)seed);
  start_peers();
  for (long i = 0; i < triples; i++) {
    struct triple t = draw_triple();
    kinds[t.algorithm - algorithms]++;
    check_text(&t, -1);
    check_password(&t, -1);
  }
  for (int i = 0; i < ALGORITHM_COUNT; i++) printf("%s: %ld triples\n", algorithms[i].name, kinds[i]);
  printf("%ld triples, %llu comparisons\n", triples, comparisons);

  long planted = triples < PLANTED ? triples : PLANTED, noticed = 0;
  for (long i = 0; i < planted; i++) {
    struct triple t = draw_triple();
    noticed += check_text(&t, (int)(i % PEERS)) == 1 && check_password(&t, (int)(i % PEERS)) == 1;
  }
  CHECK_EQUAL(noticed, planted);
  printf("%ld disagreements planted, %ld noticed\n", 2 * planted, 2 * noticed);
  stop_peers();
  return check_end("differential_million", (unsigned long)triples * 6);
}
