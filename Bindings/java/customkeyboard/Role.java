// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** What a key does: CUSTOM_KEYBOARD_ROLE of the C header. */
public enum Role {
  /** Types its label. */
  CHARACTER,
  /** Types a space. */
  SPACE,
  /** Removes the last character. */
  DELETE,
  /** Wipes what is typed. */
  CLEAR,
  /** One capital letter; pressed twice, caps lock. */
  SHIFT,
  /** Shows the letters. */
  TO_LETTERS,
  /** Shows the digits. */
  TO_DIGITS,
  /** Shows the symbols. */
  TO_SYMBOLS,
  /** Calls the OK action. */
  RETURN,
  /** Does nothing. */
  BLANK,
  /** A node of a pattern. */
  NODE
}
