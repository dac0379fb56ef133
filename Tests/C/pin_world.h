/*
 * What the calls of keyboard_calls.h on PIN blocks and keys of DUKPT need.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef PIN_WORLD_H
#define PIN_WORLD_H

#include "keyboard_world.h"

static const struct pin_way {
  const char *name;
  CUSTOM_ENCWAY way;
  size_t key_length, block_size, account_length;
  CUSTOM_DUKPT scheme;
  size_t base_length, ksn_length;
} pin_ways[] = {
    {"PIN0", CUSTOM_ENCWAY_PIN0, 16, 8, 13, CUSTOM_DUKPT_TDES, 16, 10},
    {"PIN1", CUSTOM_ENCWAY_PIN1, 24, 8, 0, CUSTOM_DUKPT_AES_3TDEA, 24, 12},
    {"PIN3", CUSTOM_ENCWAY_PIN3, 24, 8, 13, CUSTOM_DUKPT_AES_2TDEA, 16, 12},
    {"PIN4", CUSTOM_ENCWAY_PIN4, 32, 16, 13, CUSTOM_DUKPT_AES256, 32, 12},
};
static uint8_t pin_account[] = "4012345678909", pin_ksn[12] = {0x12, 0x34};
static const uint8_t pin_counter[12] = {0x12, 0x34, [11] = 5};

static struct pin_world {
  const struct pin_way *way;
  uint8_t keys[64], digits[12], block[16], text[16], ksn[12], made[32];
  CUSTOM_DUKPT_DEVICE device;
} pin;

static void choose_pin(int which) { pin.way = &pin_ways[which]; }
static const char *pin_name(int which) { return pin_ways[which].name; }
static const struct variants pins = {sizeof pin_ways / sizeof *pin_ways, choose_pin, pin_name, NULL};

/* Keys and PIN are made from the password. */
static void pin_secrets(void) {
  size_t n = w.password_length;
  for (size_t i = 0; i < sizeof pin.keys; i++)
    pin.keys[i] = (uint8_t)(w.password[i % n] * 167 + i * 59 + i / n * 13);
  /* K1, K2 and K1, which differ in one byte. */
  memcpy(pin.keys + 8, pin.keys, 8), memcpy(pin.keys + 16, pin.keys, 8);
  pin.keys[8] ^= 0x5a;
  for (size_t i = 0; i < sizeof pin.digits; i++) pin.digits[i] = (uint8_t)('0' + pin.keys[i] % 10);
  /* 10 … 12 bytes, with a counter in the last ones. */
  memcpy(pin.ksn, pin_counter + 12 - pin.way->ksn_length, pin.way->ksn_length);
}
static void pin_idle(void) {
  pin_secrets();
  new_keyboard();
  REQUIRE_OK(CustomKeyboard_setEncKey(w.keyboard, pin.keys, pin.way->key_length, pin.way->way));
}
static void pin_type(size_t count) {
  REQUIRE_OK(CustomKeyboard_setContext(w.keyboard, pin_account, pin.way->account_length));
  REQUIRE_OK(CustomKeyboard_open(w.keyboard));
  REQUIRE_OK(CustomKeyboard_input(w.keyboard, pin.digits, count));
}
static void pin_typed(void) {
  pin_idle();
  pin_type(sizeof pin.digits);
}
static void pin_short(void) {
  pin_idle();
  pin_type(3);
}
/* A block, and a keyboard that is idle again. */
static void pin_block(void) {
  size_t at, size;
  pin_typed();
  REQUIRE_OK(CustomKeyboard_getText(w.keyboard, pin.block, pin.way->block_size, &at, &size));
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
}
static CUSTOM_KEYBOARD_RV receive_pin(size_t block_length) {
  return CustomKeyboard_receive(w.keyboard, pin.way->way, pin.keys, pin.way->key_length, pin_account,
                                pin.way->account_length, pin.block, block_length);
}
/* Of format 1, one altered block in 640 is still a block, so there it is cut. Of format 3 it is one in 200,000, of 0
 * and 4 one in 16 million: such a block is altered once more. A library that accepts both does not check them. */
static size_t pin_altered_length(void) { return pin.way->account_length ? pin.way->block_size : 7; }
static int is_pin_received_right(void) { return is_typed(pin.digits, sizeof pin.digits); }
static void pin_altered(void) {
  pin_block();
  pin.block[0] ^= 0x90;
  if (receive_pin(pin_altered_length()) != CUSTOM_KEYBOARD_OK) return;
  REQUIRE_OK(CustomKeyboard_close(w.keyboard));
  pin.block[1] ^= 0x90;
}
static void pin_received(void) {
  pin_block();
  REQUIRE_OK(receive_pin(pin.way->block_size));
  REQUIRE_OK(CustomKeyboard_setContext(w.keyboard, pin_account, pin.way->account_length));
}
static void pin_load(void) {
  REQUIRE_OK(CustomKeyboard_dukptLoad(&pin.device, pin.way->scheme, pin.keys, pin.way->base_length, pin_ksn,
                                      pin.way->ksn_length));
}
static void pin_device(void) {
  pin_idle();
  pin_load();
}
static void pin_damaged(void) {
  pin_device();
  ((uint8_t *)&pin.device)[30] ^= 1;
}
/* Typed, with the key of one transaction. */
static void pin_next(void) {
  size_t size;
  pin_device();
  REQUIRE_OK(CustomKeyboard_dukptNext(&pin.device, w.keyboard, pin.way->way, pin.ksn, sizeof pin.ksn, &size));
  pin_type(4);
}
/* The text has taken the key. In the child of a fork, the keyboard is idle. */
static void pin_again(void) {
  size_t size;
  (void)CustomKeyboard_close(w.keyboard);
  pin_load();
  REQUIRE_OK(CustomKeyboard_dukptNext(&pin.device, w.keyboard, pin.way->way, pin.ksn, sizeof pin.ksn, &size));
  pin_type(4);
}

#endif /* PIN_WORLD_H */
