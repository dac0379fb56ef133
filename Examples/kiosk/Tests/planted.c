/*
 * Preloaded into the kiosk by its tests. It notes calls in the file KIOSK_NOTES. If KIOSK_KEEPS is set, it makes of the
 * kiosk what the example must not be: a program that keeps the keys, and what is typed in the forms that programs have
 * for text. With KIOSK_RIGHT_TO_LEFT, the person's language is written so.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE
#include <custom_keyboard.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *text) {
  const char *path = getenv("KIOSK_NOTES");
  if (!path) return;
  FILE *file = fopen(path, "a");
  fputs(text, file);
  fclose(file);
}

CUSTOM_KEYBOARD_KEY kept_keys[CUSTOM_KEYBOARD_MAXKEYS]; /* not static, or the compiler would leave it out */

/* Six forms of the same: ASCII, UTF-16, UTF-32, and the values of digits as integers of 8, 32 and 64 bits. */
static void keep(CUSTOM_KEYBOARD keyboard, double x, double y) {
  enum { ROOM = 64 };
  static uint8_t *bytes, *values8;
  static uint16_t *utf16;
  static uint32_t *utf32, *values32;
  static uint64_t *values64;
  static size_t typed;
  CUSTOM_KEYBOARD_KEY keys[CUSTOM_KEYBOARD_MAXKEYS];
  size_t count;
  if (!bytes) {
    bytes = calloc(ROOM, 1), values8 = calloc(ROOM, 1), utf16 = calloc(ROOM, 2);
    utf32 = calloc(ROOM, 4), values32 = calloc(ROOM, 4), values64 = calloc(ROOM, 8);
  }
  if (CustomKeyboard_keys(keyboard, keys, CUSTOM_KEYBOARD_MAXKEYS, &count) || typed == ROOM) return;
  memcpy(kept_keys, keys, sizeof kept_keys);
  for (size_t i = 0; i < count; i++) {
    if (keys[i].role != CUSTOM_KEYBOARD_ROLE_CHARACTER || x < keys[i].x || x > keys[i].x + keys[i].width ||
        y < keys[i].y || y > keys[i].y + keys[i].height)
      continue;
    const char character = keys[i].label[0];
    bytes[typed] = (uint8_t)character, utf16[typed] = (uint16_t)character, utf32[typed] = (uint32_t)character;
    values8[typed] = (uint8_t)(character - '0'), values32[typed] = (uint32_t)(character - '0');
    values64[typed++] = (uint64_t)(character - '0');
  }
}

CUSTOM_KEYBOARD_RV CustomKeyboard_touch(CUSTOM_KEYBOARD keyboard, double x, double y) {
  CUSTOM_KEYBOARD_RV (*real)(CUSTOM_KEYBOARD, double, double) = dlsym(RTLD_NEXT, "CustomKeyboard_touch");
  char text[64];
  snprintf(text, sizeof text, "touch %.1f %.1f\n", x, y);
  note(text);
  if (getenv("KIOSK_KEEPS")) keep(keyboard, x, y);
  return real(keyboard, x, y);
}

CUSTOM_KEYBOARD_RV CustomKeyboard_pressKey(CUSTOM_KEYBOARD keyboard, size_t index) {
  CUSTOM_KEYBOARD_RV (*real)(CUSTOM_KEYBOARD, size_t) = dlsym(RTLD_NEXT, "CustomKeyboard_pressKey");
  note("press\n");
  return real(keyboard, index);
}

CUSTOM_KEYBOARD_RV CustomKeyboard_destroy(CUSTOM_KEYBOARD keyboard) {
  CUSTOM_KEYBOARD_RV (*real)(CUSTOM_KEYBOARD) = dlsym(RTLD_NEXT, "CustomKeyboard_destroy");
  CUSTOM_KEYBOARD_RV rv = real(keyboard);
  note(rv == CUSTOM_KEYBOARD_OK ? "destroyed\n" : "not destroyed\n");
  return rv;
}

/* A language that is written from right to left: no such locale has to be installed. */
int gtk_init_check(void) {
  int (*real)(void) = dlsym(RTLD_NEXT, "gtk_init_check");
  void (*set_direction)(int) = dlsym(RTLD_NEXT, "gtk_widget_set_default_direction");
  const int is_ready = real();
  if (getenv("KIOSK_RIGHT_TO_LEFT")) set_direction(2); /* GTK_TEXT_DIR_RTL */
  return is_ready;
}
