/*
 * deriveKey beside libargon2, with random passcodes, salts, peppers, costs and lengths: argon2_ctx with the associated
 * data that the header names.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "fixture.h"
#include <argon2.h>

enum { ROUNDS = 600 / LESS, MOST_MEMORY = 400 };

static char associated_data[] = "CustomKeyboard key";

int main(void) {
  uint64_t seed = take_seed();
  for (int round = 0; round < ROUNDS; round++) {
    uint8_t passcode[CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE], salt[64], pepper[64], ours[64] = {0}, theirs[64] = {0};
    size_t length = draw(&seed) % (sizeof passcode + 1), salt_length = 8 + draw(&seed) % 57;
    size_t pepper_length = draw(&seed) % 65, key_length = 16 + draw(&seed) % 49;
    /* Now and then the costs of the header. */
    int is_usual = round % 60 == 0;
    uint32_t memory = is_usual ? 0 : 8 + (uint32_t)(draw(&seed) % MOST_MEMORY);
    uint32_t passes = is_usual ? 0 : 1 + (uint32_t)(draw(&seed) % 4);
    draw_password(&seed, passcode, length);
    draw_bytes(&seed, salt, sizeof salt);
    draw_bytes(&seed, pepper, sizeof pepper);
    CUSTOM_KEYBOARD k = typed(CUSTOM_ENCWAY_SM4, salt, 16, passcode, length);
    CHECK_OK(CustomKeyboard_deriveKey(k, salt, salt_length, pepper, pepper_length, memory, passes, ours, key_length));
    argon2_context context = {
        .out = theirs, .outlen = (uint32_t)key_length, .pwd = passcode, .pwdlen = (uint32_t)length,
        .salt = salt, .saltlen = (uint32_t)salt_length, .secret = pepper, .secretlen = (uint32_t)pepper_length,
        .ad = (uint8_t *)associated_data, .adlen = sizeof associated_data - 1, .t_cost = is_usual ? 2 : passes,
        .m_cost = is_usual ? 19456 : memory, .lanes = 1, .threads = 1, .version = ARGON2_VERSION_13,
    };
    REQUIRE(argon2_ctx(&context, Argon2_id) == ARGON2_OK);
    CHECK_BYTES(ours, theirs, sizeof ours);
    REQUIRE_OK(CustomKeyboard_destroy(k));
  }
  return check_end("derive_peers", 2 * (unsigned long)ROUNDS * LESS);
}
