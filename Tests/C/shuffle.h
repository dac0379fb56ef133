/*
 * What an attacker who has read the sources can compute: ChaCha20 (RFC 8439) with fast key erasure, as in the library's
 * generator, and the shuffle of the keys. A generator's key gives its batch of random bytes, its next key, and the
 * order of the keys that the next call draws.
 *
 * These functions leave secrets on the stack and in registers. Tests that search those call `forget` (capture.h), which
 * removes them.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SHUFFLE_H
#define SHUFFLE_H

#include <custom_keyboard.h>
#include <stdint.h>
#include <string.h>

enum { RANDOM_KEY = 32, BATCH = 256, CHARACTERS = 68, POOLS = 4, NEVER_SHOWN = 0, EVEN = 1, ODD = 2 };
enum { DRAWN_BY_OPEN = 128 /* bytes of the password's pad, drawn before the order */ };

/* The characters of each pool in the source's order: letters, digits, symbols. The fourth pool is all of them. */
static const char source_characters[] = "qwertyuiopasdfghjklzxcvbnm1234567890!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
static const int pool_starts[POOLS] = {0, 26, 36, 0}, pool_ends[POOLS] = {26, 36, 68, 68};

static inline uint32_t turned(uint32_t word, int count) { return word << count | word >> (32 - count); }

static inline void quarter_round(uint32_t *x, int a, int b, int c, int d) {
  x[a] += x[b], x[d] = turned(x[d] ^ x[a], 16), x[c] += x[d], x[b] = turned(x[b] ^ x[c], 12);
  x[a] += x[b], x[d] = turned(x[d] ^ x[a], 8), x[c] += x[d], x[b] = turned(x[b] ^ x[c], 7);
}

/* One block of 64 bytes, with a nonce of zero. */
static inline void chacha_block(const uint8_t *key, uint32_t counter, uint8_t *out) {
  uint32_t start[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
  for (int i = 0; i < 8; i++)
    start[4 + i] = (uint32_t)key[4 * i] | (uint32_t)key[4 * i + 1] << 8 | (uint32_t)key[4 * i + 2] << 16 |
                   (uint32_t)key[4 * i + 3] << 24;
  start[12] = counter;
  for (int i = 0; i < 16; i++) x[i] = start[i];
  for (int round = 0; round < 10; round++) {
    for (int i = 0; i < 4; i++) quarter_round(x, i, 4 + i, 8 + i, 12 + i);
    for (int i = 0; i < 4; i++) quarter_round(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
  }
  for (int i = 0; i < 16; i++)
    for (int j = 0; j < 4; j++) out[4 * i + j] = (uint8_t)((x[i] + start[i]) >> 8 * j);
}

/* A generator's stream. The first 32 bytes of each batch are the next key, or not used. Blocks are made when needed. */
struct stream {
  const uint8_t *key;
  uint8_t block[64];
  unsigned at;   /* position in the stream, next key included */
  int made;      /* the block's number, or -1 */
};

static inline void begin_stream(struct stream *stream, const uint8_t *key, unsigned skipped) {
  stream->key = key;
  stream->at = RANDOM_KEY + skipped;
  stream->made = -1;
}

static inline uint8_t next_byte(struct stream *stream) {
  if (stream->at % BATCH < RANDOM_KEY) stream->at += RANDOM_KEY - stream->at % BATCH;
  int number = (int)(stream->at / 64);
  if (number != stream->made) chacha_block(stream->key, (uint32_t)number, stream->block);
  stream->made = number;
  return stream->block[stream->at++ % 64];
}

__extension__ typedef unsigned __int128 wide;

/* Lemire's method, as in the library. */
static inline uint64_t uniform(struct stream *stream, uint64_t bound) {
  for (;;) {
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)next_byte(stream) << 8 * i;
    wide product = (wide)word * bound;
    if ((uint64_t)product >= (0 - bound) % bound) return (uint64_t)(product >> 64);
  }
}

static inline int has_pool(int layout, int pool) {
  if (layout == CUSTOM_KEYBOARD_LAYOUT_MIXED) return pool == 3;
  if (layout >= CUSTOM_KEYBOARD_LAYOUT_PIN) return pool == 1;
  return pool != 3;
}

/* The blank keys among the digits. In an order, the places after the digits' are theirs. */
static inline int blanks_of(int layout) { return layout == CUSTOM_KEYBOARD_LAYOUT_PIN_DECOYS ? 4 : 0; }

/* The places of an order that a layout uses: all of them, or on a pad the digits' and the blank keys'. */
static inline int first_place(int layout) { return layout >= CUSTOM_KEYBOARD_LAYOUT_PIN ? pool_starts[1] : 0; }
static inline int place_count(int layout) {
  return layout >= CUSTOM_KEYBOARD_LAYOUT_PIN ? 10 + blanks_of(layout) : CHARACTERS;
}

/* An order of the keys: the number drawn for each place, and the index in the source of the character at each place. */
struct order {
  uint8_t draws[CHARACTERS], places[CHARACTERS];
};

/* The order that a layout gets from this key. `shown` holds, for each pool, NEVER_SHOWN or the parity of the order that
 * was shown before; it receives the parity of the new one. `skipped` bytes are drawn before: DRAWN_BY_OPEN or 0. */
static inline void draw_order(const uint8_t *key, unsigned skipped, int layout, uint8_t *shown, struct order *order) {
  struct stream stream;
  begin_stream(&stream, key, skipped);
  memset(order->draws, 0, CHARACTERS);
  for (int i = 0; i < CHARACTERS; i++) order->places[i] = (uint8_t)i;
  for (int pool = 0; pool < POOLS; pool++) {
    if (!has_pool(layout, pool)) continue;
    uint8_t *draws = order->draws + pool_starts[pool], *places = order->places + pool_starts[pool];
    int count = pool_ends[pool] - pool_starts[pool], exchanges = 0;
    for (int i = count + blanks_of(layout) - 1; i >= 2; i--) {
      draws[i] = (uint8_t)uniform(&stream, (uint64_t)i + 1);
      exchanges += i < count && draws[i] != i;
    }
    int parity = exchanges % 2 == 0 ? EVEN : ODD;
    draws[1] = shown[pool] == NEVER_SHOWN ? (uint8_t)uniform(&stream, 2) : shown[pool] != parity;
    exchanges += draws[1] != 1;
    shown[pool] = exchanges % 2 == 0 ? EVEN : ODD;
    for (int i = count - 1; i >= 0; i--) {
      uint8_t place = places[i];
      places[i] = places[draws[i]];
      places[draws[i]] = place;
    }
    for (int i = count; i < count + blanks_of(layout); i++) { /* a blank key is inserted */
      memmove(places + draws[i] + 1, places + draws[i], (size_t)(i - draws[i]));
      places[draws[i]] = (uint8_t)(pool_starts[pool] + i);
    }
  }
}

/* The generator's next key. */
static inline void next_key(const uint8_t *key, uint8_t *next) {
  uint8_t block[64];
  chacha_block(key, 0, block);
  memcpy(next, block, RANDOM_KEY);
}

/* Whether this permutation is an even or an odd number of exchanges. */
static inline uint8_t parity_of(const uint8_t *places, int count) {
  int inversions = 0;
  for (int i = 0; i < count; i++)
    for (int j = i + 1; j < count; j++) inversions += places[i] > places[j];
  return inversions % 2 == 0 ? EVEN : ODD;
}

#endif /* SHUFFLE_H */
