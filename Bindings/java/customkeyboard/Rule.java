// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** What a passcode must not be: CUSTOM_KEYBOARD_RULE of the C header. Some have a number or a text. */
public enum Rule {
  /** Fewer than <i>number</i> characters. */
  MIN_LENGTH,
  /** More than <i>number</i> characters. */
  MAX_LENGTH,
  /** Anything but ASCII digits. */
  DIGITS,
  /** Anything but ASCII digits and letters. */
  ALPHANUMERIC,
  /** <i>number</i> equal characters in a row. */
  SAME,
  /** <i>number</i> digits or letters in a row, each one up or each one down. */
  RUN,
  /** One pair over and over: 1212. */
  PAIRS,
  /** Doubled characters: 1122. */
  DOUBLES,
  /** Contains <i>text</i>. */
  TEXT,
  /** Contains the date <i>text</i>, yyyy-mm-dd. */
  DATE,
  /** Contains <i>number</i> digits in a row of the number <i>text</i>. */
  PHONE,
  /** Is on the built-in list. */
  COMMON,
  /** The pattern <i>text</i> is not found in it. */
  MATCH,
  /** The pattern <i>text</i> is found in it. */
  NOT_MATCH;

  /**
   * One sentence for the person whose passcode the rule refuses.
   *
   * @return English, one line
   */
  public String message() {
    return Library.CustomKeyboard_ruleMessage(ordinal()).getString(0, "UTF-8");
  }
}
