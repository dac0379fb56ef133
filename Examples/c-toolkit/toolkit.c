/*
 * A user interface on top of the library: ask for the keys, draw them, hand in the touches, and take the ciphertext
 * when the input is complete. Here the screen is a terminal and the finger is an array of points. With a UI toolkit,
 * `draw` is your paint handler, and your mouse or touch handler calls CustomKeyboard_touch.
 *
 *     cc toolkit.c $(pkg-config --cflags --libs customkeyboard) && ./a.out
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include <custom_keyboard.h>
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with the library's own advice if a call fails. */
static void check(CUSTOM_KEYBOARD_RV rv) {
  if (rv == CUSTOM_KEYBOARD_OK) return;
  fprintf(stderr, "toolkit: %s\n", CustomKeyboard_cause());
  exit(EXIT_FAILURE);
}

/* Each key in its place. The keys may change with every touch, so ask again each time. */
static void draw(CUSTOM_KEYBOARD keyboard) {
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  size_t count;
  check(CustomKeyboard_keys(keyboard, keys, CUSTOM_KEYBOARD_MAXKEYS, &count));
  for (size_t i = 0; i < count; i++)
    printf("%s[%-6s] at %3.0f,%3.0f, %.0f x %.0f", keys[i].grid.column == 1 ? "\n  " : "   ", keys[i].label, keys[i].x,
           keys[i].y, keys[i].width, keys[i].height);
  puts("");
}

/* The text field: as many dots as characters, and never the characters. */
static void show_dots(void *context, CUSTOM_KEYBOARD keyboard, size_t count) {
  (void)keyboard;
  printf("%s: %.*s\n", (const char *)context, (int)count, "****");
}

/* The input is complete: take the ciphertext, and wipe what was typed. */
static void send(void *context, CUSTOM_KEYBOARD keyboard) {
  uint8_t space[CUSTOM_KEYBOARD_ENCDATASPACESIZE];
  size_t offset, length;
  check(CustomKeyboard_getText(keyboard, space, sizeof space, &offset, &length));
  check(CustomKeyboard_close(keyboard));
  fputs("to the server: ", stdout);
  for (size_t i = 0; i < length; i++) printf("%02x", space[offset + i]);
  puts("");
  *(int *)context = 1;
}

int main(void) {
  static const uint8_t key[16] = {0x89, 0x07, 0x65, 0x43, 0x29, 0x80, 0x76, 0x54}; /* in practice from the server */
  const double touches[][2] = {{50, 20}, {160, 75}, {300, 200}, {160, 75}, {270, 20}, {160, 190}};
  int is_sent = 0;
  CUSTOM_KEYBOARD keyboard;
  check(CustomKeyboard_create(&keyboard));
  check(CustomKeyboard_setEncKey(keyboard, key, sizeof key, CUSTOM_ENCWAY_SM4));
  check(CustomKeyboard_setLayout(keyboard, CUSTOM_KEYBOARD_LAYOUT_PIN, CUSTOM_KEYBOARD_SHUFFLE_EACH_KEY, 4));
  check(CustomKeyboard_setSize(keyboard, 320, 216, 6, 8));
  check(CustomKeyboard_setTextField(keyboard, show_dots, "PIN"));
  check(CustomKeyboard_setOKAction(keyboard, send, &is_sent));
  check(CustomKeyboard_open(keyboard));
  for (size_t i = 0; i < sizeof touches / sizeof *touches && !is_sent; i++) {
    draw(keyboard);
    check(CustomKeyboard_touch(keyboard, touches[i][0], touches[i][1]));
  }
  check(CustomKeyboard_destroy(keyboard));
  return is_sent ? EXIT_SUCCESS : EXIT_FAILURE;
}
