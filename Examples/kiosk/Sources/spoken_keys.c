/*
 * The names are those of Unicode, shortened. Nothing is kept.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "spoken_keys.h"

#include <math.h>

static const char *const symbols[] = {
    ['!'] = "exclamation mark", ['"'] = "quotation mark", ['#'] = "number sign", ['$'] = "dollar sign",
    ['%'] = "percent sign", ['&'] = "ampersand", ['\''] = "apostrophe", ['('] = "left parenthesis",
    [')'] = "right parenthesis", ['*'] = "asterisk", ['+'] = "plus", [','] = "comma", ['-'] = "hyphen",
    ['.'] = "full stop", ['/'] = "slash", [':'] = "colon", [';'] = "semicolon", ['<'] = "less than", ['='] = "equals",
    ['>'] = "greater than", ['?'] = "question mark", ['@'] = "at sign", ['['] = "left bracket", ['\\'] = "backslash",
    [']'] = "right bracket", ['^'] = "caret", ['_'] = "underscore", ['`'] = "backtick", ['{'] = "left brace",
    ['|'] = "vertical bar", ['}'] = "right brace", ['~'] = "tilde"};

void spoken_name(const CUSTOM_KEYBOARD_KEY *key, char name[SPOKEN_SIZE]) {
  const unsigned char first = (unsigned char)key->label[0];
  const char *text = key->label, *before = "";
  if (key->role == CUSTOM_KEYBOARD_ROLE_NODE)
    before = "dot ";
  else if (key->role == CUSTOM_KEYBOARD_ROLE_CHARACTER && first < G_N_ELEMENTS(symbols) && symbols[first])
    text = symbols[first];
  else if (key->role == CUSTOM_KEYBOARD_ROLE_CHARACTER && first >= 'A' && first <= 'Z')
    before = "capital ";
  else if (key->role == CUSTOM_KEYBOARD_ROLE_SHIFT)
    text = text[1] == 'H' ? "caps lock, on" : first == 'S' ? "shift, on" : "shift";
  else if (key->role == CUSTOM_KEYBOARD_ROLE_TO_LETTERS)
    text = "letters";
  else if (key->role == CUSTOM_KEYBOARD_ROLE_TO_DIGITS)
    text = "digits";
  else if (key->role == CUSTOM_KEYBOARD_ROLE_TO_SYMBOLS)
    text = "symbols";
  g_snprintf(name, SPOKEN_SIZE, "%s%s", before, text);
}

gboolean spoken_is_arrow(guint value) {
  return value == GDK_KEY_Left || value == GDK_KEY_Right || value == GDK_KEY_Up || value == GDK_KEY_Down;
}

size_t spoken_valid(const CUSTOM_KEYBOARD_KEY *keys, size_t count, size_t chosen) {
  if (chosen < count && keys[chosen].role != CUSTOM_KEYBOARD_ROLE_BLANK) return chosen;
  return count > 0 && keys[0].role == CUSTOM_KEYBOARD_ROLE_BLANK ? spoken_next(keys, count, 0, GDK_KEY_Right) : 0;
}

size_t spoken_next(const CUSTOM_KEYBOARD_KEY *keys, size_t count, size_t chosen, guint arrow) {
  if (arrow == GDK_KEY_Left || arrow == GDK_KEY_Right) {
    for (size_t i = 0; i < count; i++) {
      chosen = (chosen + (arrow == GDK_KEY_Right ? 1 : count - 1)) % count;
      if (keys[chosen].role != CUSTOM_KEYBOARD_ROLE_BLANK) break;
    }
    return chosen;
  }
  const double x = keys[chosen].x + keys[chosen].width / 2, down = arrow == GDK_KEY_Down ? 1 : -1;
  double shortest = INFINITY;
  size_t nearest = chosen;
  for (size_t i = 0; i < count; i++) {
    const double rows = (keys[i].y - keys[chosen].y) * down;
    const double way = 100 * rows + fmax(fmax(keys[i].x - x, x - keys[i].x - keys[i].width), 0);
    if (rows < 1 || way >= shortest || keys[i].role == CUSTOM_KEYBOARD_ROLE_BLANK) continue;
    shortest = way;
    nearest = i;
  }
  return nearest;
}
