/*
 * The window: a title, what to do, dots, what went wrong, a button; below them what the person agrees to, if there is
 * such a text; and the keyboard.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef WINDOW_H
#define WINDOW_H

#include <gtk/gtk.h>

typedef struct Window {
  GtkWidget *window, *title, *prompt, *dots, *message, *button, *agreement, *view;
  void (*next)(void *data); /* what the button does */
  void *data;
  gboolean is_allowed, is_read; /* typing; the agreement, to its end */
} Window;

/* `widest` is how many times wider than high the keys may be. `window` must outlive the window on the screen. */
void window_build(Window *window, int width, int height, double widest);

/* Sets the text of the title, the prompt or the message. */
void window_say(GtkWidget *label, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* As many dots as characters, and never a character; empty ones up to `maximum`. */
void window_show_count(Window *window, size_t count, size_t maximum);
void window_hide_count(Window *window);

/* Shows what the person agrees to by typing; "": nothing. Nothing can be typed until its end was on the screen. */
void window_show_agreement(Window *window, const char *text);

/* Lets the person type, or do nothing but press the button. */
void window_let_type(Window *window, gboolean is_allowed);
void window_offer(Window *window, const char *label, void (*next)(void *data), void *data);

#endif
