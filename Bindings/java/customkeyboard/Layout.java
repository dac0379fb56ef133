// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** Which keys there are: CUSTOM_KEYBOARD_LAYOUT of the C header. */
public enum Layout {
  /** 26 letters first. */
  LETTERS,
  /** The same pages, the digits first. */
  DIGITS,
  /** The same pages, the symbols first. */
  SYMBOLS,
  /** All characters pooled, shuffled and dealt over three pages. */
  MIXED,
  /** Ten digits, a blank key and delete. */
  PIN,
  /** Ten digits and four blank keys, shuffled; delete and return. */
  PIN_DECOYS,
  /** Nine nodes to draw a pattern through. */
  PATTERN
}
