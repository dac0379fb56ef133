/*
 * A hostile caller: buffers that end where memory ends, ciphers that are copied to odd addresses or half overwritten,
 * random handles and lengths. A call may return any code of the contract, but it must not crash, and must not read
 * beyond its input. (caller_memory.c changes inputs during the call.)
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _DEFAULT_SOURCE
#include "fixture.h"
#include <sys/mman.h>
#include <unistd.h>

enum { CIPHERS = 10000 / LESS, EDGES = 100000 / LESS, PAGE = 65536 };

static uint64_t seed;
static const uint8_t key[] = "890765432980765423451673";

static void allow(CUSTOM_KEYBOARD_RV rv, const char *codes) {
  if (!CHECK(strchr(codes, '0' + (int)rv) != NULL)) fprintf(stderr, "  code %d is not one of %s\n", (int)rv, codes);
}

/* Bytes that are a cipher of some algorithm, or were before some were overwritten; at any address. */
static void use_odd_ciphers(void) {
  static uint8_t memory[sizeof(CUSTOM_KEYBOARD_CIPHER) + 64], input[4096], output[4096];
  for (int i = 0; i < CIPHERS; i++) {
    const struct algorithm *a = &algorithms[i % ALGORITHM_COUNT];
    uint8_t *place = memory + draw(&seed) % 64;
    CUSTOM_KEYBOARD_CIPHER *cipher = (void *)place;
    CHECK_OK(CustomKeyboard_setupCipher(cipher, a->way, key, a->key_length, i & 1));
    if (i % 3 == 0) draw_bytes(&seed, place + 8, sizeof *cipher - 8);
    if (i % 5 == 0) place[draw(&seed) % 8] = (uint8_t)draw(&seed);
    allow(CustomKeyboard_cryptECB(cipher, input, output, draw(&seed) % sizeof input), "05");
    CHECK_OK(CustomKeyboard_wipeCipher(cipher));
  }
}

/* ---- The last bytes before unmapped memory ----------------------------------------------------------------------- */

/* One byte read beyond the input, or any byte written before all checks, ends the test with SIGSEGV. */
static void use_edges(void) {
  uint8_t *pages = mmap(NULL, 3 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), space[1024];
  REQUIRE(pages != MAP_FAILED && mprotect(pages + PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
  CUSTOM_KEYBOARD k = typed(CUSTOM_ENCWAY_SM4, key, 16, NULL, 0), idle;
  size_t offset, length;
  REQUIRE_OK(CustomKeyboard_create(&idle));
  for (int i = 0; i < EDGES; i++) {
    const struct algorithm *a = &algorithms[draw(&seed) % ALGORITHM_COUNT];
    size_t size = draw(&seed) % 320;
    /* the buffer ends directly below the upper guard page, or begins directly above the lower one */
    uint8_t *edge = draw(&seed) & 1 ? pages + 2 * PAGE - size : pages + PAGE;
    CUSTOM_KEYBOARD_CIPHER cipher;
    draw_password(&seed, edge, size);
    allow(CustomKeyboard_input(k, edge, size), "03");
    allow(CustomKeyboard_setEncKey(idle, edge, size, a->way), "01");
    allow(CustomKeyboard_decrypt(a->way, key, a->key_length, edge, size, space, sizeof space, &offset, &length), "036");
    allow(CustomKeyboard_decrypt(a->way, edge, size, key, 16, space, sizeof space, &offset, &length), "016");
    allow(CustomKeyboard_getText(k, edge, size, &offset, &length), "04");
    CHECK_OK(CustomKeyboard_setupCipher(&cipher, a->way, key, a->key_length, i & 2));
    allow(CustomKeyboard_cryptECB(&cipher, edge, edge, size), "05");
    allow(CustomKeyboard_cryptECB(&cipher, edge, space, size), "05");
    allow(CustomKeyboard_cryptECB(&cipher, space, edge, size), "05");
    if (i % 8 == 0) {
      allow(CustomKeyboard_addRule(k, (CUSTOM_KEYBOARD_RULE)(8 + draw(&seed) % 6), 0, edge, size), "035");
      allow(CustomKeyboard_checkPattern(edge, size, &length), "035");
      allow(CustomKeyboard_checkRule(k, (CUSTOM_KEYBOARD_RULE)(8 + draw(&seed) % 6), 0, edge, size), "035:");
      allow(CustomKeyboard_deriveKey(k, edge, size, key, 8, 8, 1, space, 32), "05");
      allow(CustomKeyboard_deriveKey(k, key, 16, edge, size, 8, 1, space, 32), "03");
      allow(CustomKeyboard_deriveKey(k, key, 16, key, 8, 8, 1, edge, size), "05");
      allow(CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_P256, edge, size, key, 8, space, sizeof space, &offset, &length),
            "1");
      allow(CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4_GCM, key, 16, edge, size, space, sizeof space, &offset,
                                     &length), "03");
      allow(CustomKeyboard_sealTyped(k, CUSTOM_ENCWAY_SM4_GCM, key, 16, key, 8, edge, size, &offset, &length), "04");
      allow(CustomKeyboard_publicKey(CUSTOM_ENCWAY_X25519, edge, size, space, sizeof space, &length), "01");
      allow(CustomKeyboard_publicKey(CUSTOM_ENCWAY_X25519, key, 24, edge, size, &length), "1");
      allow(CustomKeyboard_publicKey(CUSTOM_ENCWAY_P256, space, 32, edge, size, &length), "014");
      allow(CustomKeyboard_unsealBatch(CUSTOM_ENCWAY_X25519, edge, size, NULL, 0), "01");
      CUSTOM_KEYBOARD_SEALED_JOB sealed = {edge, size, edge, size, NULL, 0, 0, CUSTOM_KEYBOARD_OK};
      CHECK_OK(CustomKeyboard_unsealBatch(CUSTOM_ENCWAY_X25519, space, 32, &sealed, 1));
      allow(sealed.rv, "36");
      CUSTOM_DUKPT_DEVICE device;
      CUSTOM_DUKPT scheme = (CUSTOM_DUKPT)(draw(&seed) % 7);
      CUSTOM_ENCWAY way = (CUSTOM_ENCWAY)(CUSTOM_ENCWAY_PIN0 + draw(&seed) % 4);
      allow(CustomKeyboard_setEncKey(idle, edge, size, way), "01");
      allow(CustomKeyboard_receive(idle, way, edge, size, key, 16, key, 8), "136");
      allow(CustomKeyboard_receive(idle, way, key, 16, edge, size, key, 16), "136");
      allow(CustomKeyboard_receive(idle, way, key, 16, bytes("4012345678909"), 13, edge, size), "16");
      allow(CustomKeyboard_dukptKey(scheme, edge, size, key, 10, space, sizeof space, &length), "015");
      allow(CustomKeyboard_dukptKey(scheme, key, 16, edge, size, space, sizeof space, &length), "015");
      allow(CustomKeyboard_dukptInitialKey(scheme, key, 16, key, 12, edge, size, &length), "0145");
      allow(CustomKeyboard_dukptLoad(&device, scheme, edge, size, key, 12), "015");
      allow(CustomKeyboard_dukptLoad(&device, scheme, key, 16, edge, size), "015");
      CustomKeyboard_close(idle);
      CHECK_OK(CustomKeyboard_clearRules(k));
    }
    if (i % 4 == 0) CustomKeyboard_clear(k);
    allow(CustomKeyboard_destroy(draw(&seed) | UINT64_C(1) << 63), "5");
    allow(CustomKeyboard_count(draw(&seed) % 65536 << 16, &length), "5");
  }
  CHECK_OK(CustomKeyboard_destroy(k));
  CHECK_OK(CustomKeyboard_destroy(idle));
  munmap(pages, 3 * PAGE);
}

int main(void) {
  alarm(LONGEST_WAIT);
  seed = take_seed();
  use_odd_ciphers();
  use_edges();
  return check_end("hostile", 3 * CIPHERS + 11 * EDGES);
}
