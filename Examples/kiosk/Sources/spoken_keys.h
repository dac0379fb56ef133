/*
 * Keys for people without a pointer: what a screen reader says of one, and which one an arrow leads to.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SPOKEN_KEYS_H
#define SPOKEN_KEYS_H

#include <custom_keyboard.h>
#include <gtk/gtk.h>

enum { SPOKEN_SIZE = 24 }; /* of a name, with its end */

void spoken_name(const CUSTOM_KEYBOARD_KEY *key, char name[SPOKEN_SIZE]);

gboolean spoken_is_arrow(guint value);

/* `chosen`, or the first key that is not blank, if there is no such key or it is a blank one. */
size_t spoken_valid(const CUSTOM_KEYBOARD_KEY *keys, size_t count, size_t chosen);

/* The key before or after this one, or the nearest of the next row; never a blank one. */
size_t spoken_next(const CUSTOM_KEYBOARD_KEY *keys, size_t count, size_t chosen, guint arrow);

#endif
