/*
 * Tries the library's own compiled functions on all their inputs, where these are few enough, and those that are linear
 * on a basis. in_full.py links it, and says which functions are called.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in_full.h"

enum { Q = 3329, DEGREE = 256 };

static uint64_t random_state = 1;
uint64_t draw(void) {
  random_state = random_state * 6364136223846793005u + 1442695040888963407u;
  return random_state >> 32 ^ random_state << 32;
}

void same(int is_same, const char *what) {
  if (is_same) return;
  printf("wrong: %s\n", what);
  exit(1);
}

void tried(const char *what, unsigned long long count) { printf("%s: %llu\n", what, count); }

/* ---- PKCS#7: which bytes before the last are like it decides, and the last. */

struct length { int64_t length; uint64_t is_wrong; };
struct length unpadded_length(const void *bytes, int64_t byte_count, int64_t block_size);

static void padding(int size) {
  unsigned long long count = 0;
  for (int last = 0; last < 256; last++)
    for (unsigned unlike = 0; unlike < 1u << (size - 1); unlike++) {
      uint8_t block[16];
      for (int i = 0; i < size - 1; i++) block[i] = (uint8_t)(last ^ (unlike >> i & 1 ? 1 + draw() % 255 : 0));
      block[size - 1] = (uint8_t)last;
      int is_right = last >= 1 && last <= size && (last == 1 || unlike >> (size - last) == 0);
      struct length answer = unpadded_length(block, size, size);
      same((answer.is_wrong & 1) == !is_right && (!is_right || answer.length == size - last), "PKCS#7");
      count++;
    }
  /* And each byte of a right padding altered to each value. */
  for (int last = 1; last <= size; last++)
    for (int place = size - last; place < size - 1; place++)
      for (int value = 0; value < 256; value++) {
        uint8_t block[16];
        memset(block, last, sizeof block);
        block[place] = (uint8_t)value;
        same((unpadded_length(block, size, size).is_wrong & 1) == (value != last), "PKCS#7");
        count++;
      }
  tried(size == 8 ? "PKCS#7, blocks of 8" : "PKCS#7, blocks of 16", count);
}

/* ---- ML-KEM */

typedef void add_function(const int16_t *other, int16_t *polynomial, int16_t factor);
typedef void noise_function(const uint8_t *bytes, int16_t *polynomial);
typedef void transform_function(int16_t *polynomial);
add_function add_portable, add_avx2;
noise_function noise_portable, noise_avx2;
transform_function transform_portable, transform_avx2, back_portable, back_avx2, ungroup_portable, ungroup_avx2;
void pack(void), unpack(void);

__asm__(".text\n"
        ".globl call_with_self\ncall_with_self:\n"
        "  push %r13\n  mov %rcx, %r13\n  call *%rdx\n  pop %r13\n  ret\n");

static int modulo(int64_t number) { return (int)((number % Q + Q) % Q); }

/* Montgomery's multiplication by each number between -q and q, of each number; and the last reduction of each. */
static void multiplication(add_function *add, const char *what) {
  static const int16_t zeros[DEGREE];
  int16_t polynomial[DEGREE];
  unsigned long long count = 0;
  int inverse = 1;
  while (inverse * 65536LL % Q != 1) inverse++;
  for (int factor = 1 - Q; factor < Q; factor++) {
    int step = modulo((int64_t)factor * inverse), expected = modulo(-32768LL * step);
    for (int first = -32768; first < 32768; first += DEGREE) {
      for (int i = 0; i < DEGREE; i++) polynomial[i] = (int16_t)(first + i);
      add(zeros, polynomial, (int16_t)factor);
      for (int i = 0; i < DEGREE; i++) {
        same(polynomial[i] == expected, what);
        expected += step;
        if (expected >= Q) expected -= Q;
      }
      count += DEGREE;
    }
  }
  for (int first = -32768; first < 32768; first += DEGREE) {
    int16_t other[DEGREE];
    for (int i = 0; i < DEGREE; i++) other[i] = (int16_t)(first + i), polynomial[i] = 0;
    add(other, polynomial, 1);
    for (int i = 0; i < DEGREE; i++) same(polynomial[i] == modulo(first + i), what);
    count += DEGREE;
  }
  tried(what, count);
}

/* Each value of a byte in each place: four bits give one coefficient. */
static void noise(noise_function *sample, const char *what) {
  unsigned long long count = 0;
  for (int first = 0; first < 256; first++) {
    uint8_t bytes[128];
    int16_t polynomial[DEGREE];
    for (int i = 0; i < 128; i++) bytes[i] = (uint8_t)(first + i * 7);
    sample(bytes, polynomial);
    for (int i = 0; i < DEGREE; i++) {
      int bits = bytes[i / 2] >> 4 * (i & 1);
      same(polynomial[i] == (bits & 1) + (bits >> 1 & 1) - (bits >> 2 & 1) - (bits >> 3 & 1), what);
      count++;
    }
  }
  tried(what, count);
}

/* The transform is linear modulo q: on a basis, times many numbers, and back. */
static void transform(transform_function *forward, transform_function *ungroup, transform_function *back,
                      const char *what) {
  unsigned long long count = 0;
  static int powers[128][128]; /* of 17^(2·BitRev(i) + 1) */
  for (int i = 0; i < 128; i++) {
    int reversed = 0, zeta = 1;
    for (int bit = 0; bit < 7; bit++) reversed |= (i >> bit & 1) << (6 - bit);
    for (int e = 0; e < 2 * reversed + 1; e++) zeta = zeta * 17 % Q;
    powers[i][0] = 1;
    for (int e = 1; e < 128; e++) powers[i][e] = powers[i][e - 1] * zeta % Q;
  }
  for (int place = 0; place < DEGREE; place++)
    for (int value = 1; value < Q; value += value < 8 || value > Q - 8 ? 1 : 16) {
      int16_t polynomial[DEGREE] = {0}, ordered[DEGREE];
      polynomial[place] = (int16_t)value;
      forward(polynomial);
      memcpy(ordered, polynomial, sizeof ordered);
      ungroup(ordered);
      for (int i = 0; i < 128; i++)
        same(ordered[2 * i + (place & 1)] == value * powers[i][place / 2] % Q && ordered[2 * i + !(place & 1)] == 0,
             what);
      back(polynomial);
      for (int i = 0; i < DEGREE; i++)
        same(modulo(polynomial[i]) == (i == place ? modulo(65536LL * value) : 0), what);
      count++;
    }
  tried(what, count);
}

/* Each coefficient in each place, compressed; and each code in each place. */
static void coding(int bits, uint64_t reciprocal, uint64_t rounding, uint64_t shift) {
  int compression = bits == 12 ? 0 : bits, codes = 1 << bits;
  const uint64_t self[5] = {(uint64_t)bits, reciprocal, rounding, shift, (uint64_t)compression};
  unsigned long long count = 0;
  for (int first = 0; first < (codes > Q ? codes : Q); first++) {
    uint16_t polynomial[DEGREE], out[DEGREE];
    uint8_t bytes[384 + 8] = {0}, expected[384 + 8] = {0}, coded[384 + 8] = {0};
    for (int i = 0; i < DEGREE; i++) {
      polynomial[i] = (uint16_t)((first + i * 13) % Q);
      int code = compression ? (int)((((int64_t)polynomial[i] << bits) * 2 + Q) / (2 * Q)) % codes : polynomial[i];
      int other = (first + i * 13) % codes;
      for (int bit = 0; bit < bits; bit++) {
        expected[(i * bits + bit) / 8] |= (uint8_t)((code >> bit & 1) << (i * bits + bit) % 8);
        coded[(i * bits + bit) / 8] |= (uint8_t)((other >> bit & 1) << (i * bits + bit) % 8);
      }
    }
    call_with_self(polynomial, bytes, pack, self);
    same(memcmp(bytes, expected, sizeof bytes) == 0, "compression");
    call_with_self(coded, out, unpack, self);
    for (int i = 0; i < DEGREE; i++) {
      int other = (first + i * 13) % codes;
      same(out[i] == (compression ? (other * Q * 2 + codes) / (2 * codes) : other), "decompression");
    }
    count += 2 * DEGREE;
  }
  char what[64];
  snprintf(what, sizeof what, "ML-KEM, coding in %d bits", bits);
  tried(what, count);
}

/* ---- GHASH: the product is linear in each factor, so a basis of both suffices. */

void ghash(const void *key, const void *data, const void *data_end, const void *text, const void *text_end, void *sum,
           void *scratch);

static void double_it(uint8_t *x) { /* times x in GCM's order of bits */
  int carry = x[15] & 1;
  for (int i = 15; i > 0; i--) x[i] = (uint8_t)(x[i] >> 1 | x[i - 1] << 7);
  x[0] = (uint8_t)(x[0] >> 1 ^ (carry ? 0xe1 : 0));
}

static void product(const uint8_t *x, const uint8_t *y, uint8_t *z) {
  uint8_t v[16], sum[16] = {0};
  memcpy(v, y, 16);
  for (int i = 0; i < 128; i++) {
    if (x[i / 8] >> (7 - i % 8) & 1)
      for (int k = 0; k < 16; k++) sum[k] ^= v[k];
    double_it(v);
  }
  memcpy(z, sum, 16);
}

/* Up to nine blocks, so that the powers of the key are used that a path takes at a time. */
static void ghash_basis(void) {
  unsigned long long count = 0;
  for (int blocks = 1; blocks <= 9; blocks++)
    for (int bit = 0; bit < 128; bit++)
      for (int other = 0; other < 136; other++) { /* the last eight: any key and text, because a basis shows no `or` */
        uint8_t key[16] = {0}, text[144] = {0}, sum[16], scratch[64], expected[16] = {0}, length[16] = {0};
        key[bit / 8] = (uint8_t)(1 << bit % 8);
        text[other % 128 / 8] = (uint8_t)(1 << other % 8);
        for (int i = other < 128 ? 16 : 0; i < 144; i++) text[i] = (uint8_t)draw();
        for (int i = 0; i < 16 && other >= 128; i++) key[i] = (uint8_t)draw();
        ghash(key, text, text, text, text + 16 * blocks, sum, scratch);
        length[14] = (uint8_t)(blocks * 128 >> 8), length[15] = (uint8_t)(blocks * 128);
        for (int block = 0; block <= blocks; block++) {
          for (int i = 0; i < 16; i++) expected[i] ^= block < blocks ? text[16 * block + i] : length[i];
          product(expected, key, expected);
        }
        same(memcmp(sum, expected, 16) == 0, "GHASH");
        count++;
      }
  tried("GHASH", count);
}

/* ---- SM4: the S-box from its definition, and each byte in each place of the first round and of the key schedule. */

void sm4_encrypt(const void *key, const void *input, void *output, int64_t block_count, void *scratch);
static uint8_t sbox[256];

static int times(int a, int b) {
  int result = 0;
  for (; b; b >>= 1, a = a << 1 ^ (a & 128 ? 0x1f5 : 0))
    if (b & 1) result ^= a;
  return result;
}

static int affine(int x) { /* a circulant matrix, and 0xd3 */
  int result = 0xd3;
  for (int row = 0; row < 8; row++) {
    int bits = x & ((0xa7 << row | 0xa7 >> (8 - row)) & 255);
    for (; bits; bits &= bits - 1) result ^= 1 << row;
  }
  return result;
}

static void make_sbox(void) {
  for (int x = 0; x < 256; x++) {
    int y = affine(x), inverse = 0;
    for (int z = 1; z < 256; z++)
      if (times(y, z) == 1) inverse = z;
    sbox[x] = (uint8_t)affine(inverse);
  }
  same(sbox[0] == 0xd6 && sbox[1] == 0x90 && sbox[255] == 0x48, "the S-box of this program");
}

static uint32_t turned(uint32_t x, int by) { return x << by | x >> (32 - by); }
static uint32_t substituted(uint32_t x) {
  return (uint32_t)sbox[x >> 24] << 24 | (uint32_t)sbox[x >> 16 & 255] << 16 | (uint32_t)sbox[x >> 8 & 255] << 8
         | sbox[x & 255];
}

static void expand(const uint32_t *key, uint32_t *round_keys) {
  static const uint32_t fk[4] = {0xa3b1bac6, 0x56aa3350, 0x677d9197, 0xb27022dc};
  uint32_t k[36];
  for (int i = 0; i < 4; i++) k[i] = key[i] ^ fk[i];
  for (int i = 0; i < 32; i++) {
    uint32_t ck = 0;
    for (int byte = 0; byte < 4; byte++) ck = ck << 8 | ((uint32_t)(4 * i + byte) * 7 & 255);
    uint32_t b = substituted(k[i + 1] ^ k[i + 2] ^ k[i + 3] ^ ck);
    round_keys[i] = k[i + 4] = k[i] ^ b ^ turned(b, 13) ^ turned(b, 23);
  }
}

static void encrypt(const uint32_t *round_keys, const uint32_t *in, uint32_t *out) {
  uint32_t x[36];
  memcpy(x, in, 16);
  for (int i = 0; i < 32; i++) {
    uint32_t b = substituted(x[i + 1] ^ x[i + 2] ^ x[i + 3] ^ round_keys[i]);
    x[i + 4] = x[i] ^ b ^ turned(b, 2) ^ turned(b, 10) ^ turned(b, 18) ^ turned(b, 24);
  }
  for (int i = 0; i < 4; i++) out[i] = x[35 - i];
}

static void store(uint8_t *bytes, const uint32_t *words, int count) {
  for (int i = 0; i < 4 * count; i++) bytes[i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
}

/* `count` blocks at a time, with each byte of what the first round substitutes in each place of each block. */
static unsigned long long blocks(int count) {
  unsigned long long tried_here = 0;
  static uint8_t scratch[1 << 14] __attribute__((aligned(64)));
  for (int place = 0; place < 4; place++)
    for (int value = 0; value < 256; value++) {
      uint32_t key[4], round_keys[32], in[4 * 64], out[4 * 64];
      uint8_t key_bytes[16], bytes[16 * 64], given[16 * 64], expected[16 * 64];
      for (int i = 0; i < 4; i++) key[i] = (uint32_t)draw();
      /* The key schedule's first round substitutes k1 ^ k2 ^ k3, with constants. */
      uint32_t now = key[1] ^ key[2] ^ key[3] ^ 0x56aa3350 ^ 0x677d9197 ^ 0xb27022dc ^ 0x00070e15;
      key[1] ^= (now ^ (uint32_t)value << 8 * place) & 255u << 8 * place;
      expand(key, round_keys);
      for (int block = 0; block < count; block++) {
        uint32_t *x = in + 4 * block;
        for (int i = 0; i < 4; i++) x[i] = (uint32_t)draw();
        now = x[1] ^ x[2] ^ x[3] ^ round_keys[0];
        x[1] ^= (now ^ (uint32_t)((value + block) & 255) << 8 * place) & 255u << 8 * place;
        encrypt(round_keys, x, out + 4 * block);
      }
      store(key_bytes, key, 4);
      store(bytes, in, 4 * count);
      store(expected, out, 4 * count);
      sm4_encrypt(key_bytes, bytes, given, count, scratch);
      same(memcmp(given, expected, 16 * (size_t)count) == 0, "SM4");
      tried_here += (unsigned)count;
    }
  return tried_here;
}

/* `what` is tried; "paths", what is not the same on each path of SM4; "all". */
static int wanted(const char *what, const char *part, int is_on_each_path) {
  return strcmp(what, part) == 0 || strcmp(what, "all") == 0 || (is_on_each_path && strcmp(what, "paths") == 0);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "all";
  int has_avx2 = __builtin_cpu_supports("avx2");
  setvbuf(stdout, NULL, _IOLBF, 0);
  make_sbox();
  if (wanted(what, "sm4", 1)) {
    unsigned long long all = 0;
    for (int size = 1; size <= 64; size++) all += blocks(size);
    tried("SM4, each byte in each place", all);
  }
  if (wanted(what, "ghash", 1)) ghash_basis();
  if (wanted(what, "padding", 0)) padding(8), padding(16);
  if (wanted(what, "text", 0)) text_in_full();
  if (wanted(what, "products", 0)) multiplication(add_portable, "ML-KEM, products and reductions, portable");
  if (wanted(what, "noise", 0)) noise(noise_portable, "ML-KEM, noise, portable");
  if (wanted(what, "transform", 0))
    transform(transform_portable, ungroup_portable, back_portable, "ML-KEM, transform, portable");
  if (has_avx2 && wanted(what, "products", 0)) multiplication(add_avx2, "ML-KEM, products and reductions, AVX2");
  if (has_avx2 && wanted(what, "noise", 0)) noise(noise_avx2, "ML-KEM, noise, AVX2");
  if (has_avx2 && wanted(what, "transform", 0))
    transform(transform_avx2, ungroup_avx2, back_avx2, "ML-KEM, transform, AVX2");
  if (wanted(what, "coding", 0)) {
    coding(12, 1, 0, 0);
    for (int bits = 10; bits > 0; bits -= bits == 10 ? 6 : 3) coding(bits, 20642679, 1664, 36);
  }
  return 0;
}
