/*
 * A widget that shows a keyboard of the library: it draws the keys, and hands in what a finger or a mouse touches.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef KEYBOARD_VIEW_H
#define KEYBOARD_VIEW_H

#include <custom_keyboard.h>
#include <gtk/gtk.h>

/* The keys fill the view, but are never wider than `widest` times their height: a screen may be much wider. */
GtkWidget *keyboard_view_new(double widest);

/* Called when the finger has left a pattern that it began. */
typedef void (*KeyboardViewLeft)(void *data, CUSTOM_KEYBOARD keyboard);

/* Shows an open keyboard; 0 shows none. The view does not own it. A view that is not sensitive hides all labels. `left`
 * is for a pattern, and may be NULL. */
void keyboard_view_show(GtkWidget *view, CUSTOM_KEYBOARD keyboard, KeyboardViewLeft left, void *data);

/* The next person may be another one: keys are not spoken until that one asks for it. */
void keyboard_view_end_speaking(GtkWidget *view);

#endif
