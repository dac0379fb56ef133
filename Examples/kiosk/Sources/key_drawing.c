/*
 * How a key looks: a rounded rectangle with text or a sign in it, in light and dark colours. Only Cairo and Pango are
 * used, and no state is kept. What is drawn, and where, comes from the library.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "key_drawing.h"

#include <math.h>
#include <string.h>

enum { RADIUS = 7 }; /* points */

typedef struct Colour {
  double red, green, blue;
} Colour;

#define HEX(rgb) {((rgb) >> 16) / 255.0, ((rgb) >> 8 & 255) / 255.0, ((rgb) & 255) / 255.0}

static const struct Palette {
  Colour board, key, function, accent, pressed, edge, text, on_accent;
} light = {HEX(0xe4e7ed), HEX(0xffffff), HEX(0xcdd2dc), HEX(0x1f5fd0),
           HEX(0xaab4c6), HEX(0xb3bac7), HEX(0x15181e), HEX(0xffffff)},
  dark = {HEX(0x1d1f23), HEX(0x43464d), HEX(0x2e3036), HEX(0x3f7bea),
          HEX(0x6a6e78), HEX(0x0e0f11), HEX(0xf4f5f7), HEX(0xffffff)};

static void set_colour(cairo_t *cairo, Colour colour, double opacity) {
  cairo_set_source_rgba(cairo, colour.red, colour.green, colour.blue, opacity);
}

static void round_rectangle(cairo_t *cairo, double x, double y, double width, double height) {
  const double r = fmin(RADIUS, fmin(width, height) / 2);
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, x + width - r, y + r, r, -G_PI / 2, 0);
  cairo_arc(cairo, x + width - r, y + height - r, r, 0, G_PI / 2);
  cairo_arc(cairo, x + r, y + height - r, r, G_PI / 2, G_PI);
  cairo_arc(cairo, x + r, y + r, r, G_PI, 3 * G_PI / 2);
  cairo_close_path(cairo);
}

/* Fonts may lack signs for delete and shift, so these two are drawn: lines around the middle of the key. */
static void draw_sign(cairo_t *cairo, const double (*points)[2], size_t count, double size) {
  cairo_new_sub_path(cairo);
  for (size_t i = 0; i < count; i++) cairo_line_to(cairo, points[i][0] * size, points[i][1] * size);
  cairo_close_path(cairo);
}

static void draw_delete(cairo_t *cairo, double size) {
  static const double outline[][2] = {{-1.1, 0}, {-0.45, -0.75}, {1.1, -0.75}, {1.1, 0.75}, {-0.45, 0.75}};
  draw_sign(cairo, outline, G_N_ELEMENTS(outline), size);
  for (int side = -1; side <= 1; side += 2) {
    cairo_move_to(cairo, 0.02 * size, side * -0.3 * size);
    cairo_line_to(cairo, 0.62 * size, side * 0.3 * size);
  }
  cairo_stroke(cairo);
}

/* The label of shift is written in the case that letters have: shift, Shift, SHIFT. */
static void draw_shift(cairo_t *cairo, double size, const char *label) {
  static const double arrow[][2] = {{0, -1}, {0.95, 0}, {0.45, 0}, {0.45, 0.6}, {-0.45, 0.6}, {-0.45, 0}, {-0.95, 0}};
  static const double bar[][2] = {{-0.45, 1}, {0.45, 1}};
  draw_sign(cairo, arrow, G_N_ELEMENTS(arrow), size);
  if (label[0] == 'S') cairo_fill_preserve(cairo);
  if (label[1] == 'H') draw_sign(cairo, bar, G_N_ELEMENTS(bar), size);
  cairo_stroke(cairo);
}

/* A word on a narrow key is made as small as it must be. Of the person's settings, only the fonts are taken: in a
 * language that is written from right to left, "(" would be drawn as ")". */
static void draw_text(cairo_t *cairo, PangoLayout *layout, const char *text, double size, double room) {
  PangoFontDescription *font = pango_font_description_from_string("Sans");
  PangoContext *context = pango_layout_get_context(layout);
  PangoRectangle extents;
  pango_context_set_base_dir(context, PANGO_DIRECTION_LTR);
  pango_context_set_base_gravity(context, PANGO_GRAVITY_SOUTH);
  pango_context_set_language(context, pango_language_from_string("en"));
  pango_layout_context_changed(layout);
  pango_layout_set_auto_dir(layout, FALSE);
  pango_font_description_set_style(font, PANGO_STYLE_NORMAL);
  pango_font_description_set_variant(font, PANGO_VARIANT_NORMAL);
  pango_font_description_set_weight(font, PANGO_WEIGHT_NORMAL);
  pango_font_description_set_stretch(font, PANGO_STRETCH_NORMAL);
  pango_layout_set_text(layout, text, -1);
  do {
    pango_font_description_set_absolute_size(font, size * PANGO_SCALE);
    pango_layout_set_font_description(layout, font);
    pango_layout_get_pixel_extents(layout, NULL, &extents);
  } while (extents.width > room && (size *= 0.95) > 1);
  pango_font_description_free(font);
  cairo_move_to(cairo, round(-extents.width / 2.0), round(-extents.height / 2.0));
  pango_cairo_show_layout(cairo, layout);
}

/* A blank key is a key without a label, and fainter. */
void draw_key(cairo_t *cairo, PangoLayout *layout, const CUSTOM_KEYBOARD_KEY *key, KeyState state, gboolean is_dark) {
  const struct Palette *palette = is_dark ? &dark : &light;
  /* Whole pixels keep the edges sharp. */
  const double x = round(key->x), y = round(key->y);
  const double width = round(key->x + key->width) - x, height = round(key->y + key->height) - y;
  const gboolean is_pressed = state == KEY_PRESSED;
  const gboolean is_return = key->role == CUSTOM_KEYBOARD_ROLE_RETURN && state == KEY_READY;
  const gboolean is_typing = key->role == CUSTOM_KEYBOARD_ROLE_CHARACTER || key->role == CUSTOM_KEYBOARD_ROLE_SPACE;
  const double opacity = key->role == CUSTOM_KEYBOARD_ROLE_BLANK && !is_pressed ? 0.4 : 1;
  if (opacity == 1) {
    round_rectangle(cairo, x, y + 1, width, height);
    set_colour(cairo, palette->edge, 1);
    cairo_fill(cairo);
  }
  round_rectangle(cairo, x, y, width, height);
  const Colour fill = is_pressed ? palette->pressed : is_return ? palette->accent
                      : is_typing ? palette->key : palette->function;
  set_colour(cairo, fill, opacity);
  cairo_fill(cairo);
  if (state == KEY_HIDDEN) return;
  cairo_save(cairo);
  cairo_translate(cairo, x + round(width / 2), y + round(height / 2));
  set_colour(cairo, is_return ? palette->on_accent : palette->text, 1);
  cairo_set_line_width(cairo, 1.6);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  if (key->role == CUSTOM_KEYBOARD_ROLE_DELETE)
    draw_delete(cairo, fmin(height * 0.2, width * 0.26));
  else if (key->role == CUSTOM_KEYBOARD_ROLE_SHIFT)
    draw_shift(cairo, fmin(width, height) * 0.24, key->label);
  else
    draw_text(cairo, layout, key->label, fmin(height * (strlen(key->label) == 1 ? 0.46 : 0.34), 30), width - 6);
  cairo_restore(cairo);
}

void draw_node(cairo_t *cairo, const CUSTOM_KEYBOARD_KEY *node, gboolean is_joined, gboolean is_dark) {
  const struct Palette *palette = is_dark ? &dark : &light;
  const double x = node->x + node->width / 2, y = node->y + node->height / 2;
  cairo_arc(cairo, x, y, node->width / 2 - 1, 0, 2 * G_PI);
  set_colour(cairo, palette->key, 1);
  cairo_fill(cairo);
  cairo_arc(cairo, x, y, node->width * (is_joined ? 0.22 : 0.12), 0, 2 * G_PI);
  set_colour(cairo, is_joined ? palette->accent : palette->pressed, 1);
  cairo_fill(cairo);
}

void draw_way(cairo_t *cairo, const CUSTOM_KEYBOARD_KEY *from, const CUSTOM_KEYBOARD_KEY *to, gboolean is_dark) {
  cairo_move_to(cairo, from->x + from->width / 2, from->y + from->height / 2);
  cairo_line_to(cairo, to->x + to->width / 2, to->y + to->height / 2);
  set_colour(cairo, (is_dark ? &dark : &light)->accent, 1);
  cairo_set_line_width(cairo, 6);
  cairo_set_line_cap(cairo, CAIRO_LINE_CAP_ROUND);
  cairo_stroke(cairo);
}

/* White within blue can be seen on every colour. */
static void draw_ring_around(cairo_t *cairo, double x, double y, double width, double height) {
  for (int i = 0; i < 2; i++) {
    const double out = i == 0 ? 3 : 1;
    round_rectangle(cairo, x - out, y - out, width + 2 * out, height + 2 * out);
    set_colour(cairo, i == 0 ? light.accent : light.key, 1);
    cairo_set_line_width(cairo, 2);
    cairo_stroke(cairo);
  }
}

void draw_ring(cairo_t *cairo, const CUSTOM_KEYBOARD_KEY *key) {
  draw_ring_around(cairo, key->x, key->y, key->width, key->height);
}

void draw_offer(cairo_t *cairo, PangoLayout *layout, const char *text, double width, double height) {
  draw_ring_around(cairo, 4, 4, width - 8, height - 8);
  round_rectangle(cairo, 10, height / 2 - 18, width - 20, 36);
  set_colour(cairo, light.accent, 1);
  cairo_fill(cairo);
  set_colour(cairo, light.on_accent, 1);
  cairo_save(cairo);
  cairo_translate(cairo, width / 2, height / 2);
  draw_text(cairo, layout, text, 15, width - 32);
  cairo_restore(cairo);
}

void draw_board(cairo_t *cairo, gboolean is_dark) {
  set_colour(cairo, is_dark ? dark.board : light.board, 1);
  cairo_paint(cairo);
}
