// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** When keys change places: CUSTOM_KEYBOARD_SHUFFLE of the C header. */
public enum Shuffle {
  /** Never. */
  NONE,
  /** At each opening. */
  EACH_OPENING,
  /** After every character, too. */
  EACH_KEY
}
