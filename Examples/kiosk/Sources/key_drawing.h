/*
 * Draws the keys of a keyboard.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef KEY_DRAWING_H
#define KEY_DRAWING_H

#include <custom_keyboard.h>
#include <pango/pangocairo.h>

typedef enum KeyState {
  KEY_READY,
  KEY_PRESSED,
  KEY_HIDDEN /* without its label: nothing may be typed now */
} KeyState;

/* What is behind the keys. */
void draw_board(cairo_t *cairo, gboolean is_dark);

/* Draws a node of a pattern at its place; nothing is written on it. */
void draw_node(cairo_t *cairo, const CUSTOM_KEYBOARD_KEY *node, gboolean is_joined, gboolean is_dark);

/* Draws the way of a pattern from the middle of a node to that of another. */
void draw_way(cairo_t *cairo, const CUSTOM_KEYBOARD_KEY *from, const CUSTOM_KEYBOARD_KEY *to, gboolean is_dark);

/* Draws a ring around the key that the arrows have chosen. */
void draw_ring(cairo_t *cairo, const CUSTOM_KEYBOARD_KEY *key);

/* Draws a sentence over the middle of a board of this size. */
void draw_offer(cairo_t *cairo, PangoLayout *layout, const char *text, double width, double height);

/* Draws a key at its place. `layout` is for its text. */
void draw_key(cairo_t *cairo, PangoLayout *layout, const CUSTOM_KEYBOARD_KEY *key, KeyState state, gboolean is_dark);

#endif
