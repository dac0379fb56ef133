// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** What a call answered: CUSTOM_KEYBOARD_RV of the C header. The ordinal is the number there. */
public enum Code {
  /** Success. */
  OK,
  /** A key of a wrong length or value, or none. */
  ERR,
  /** Not allowed in this state. */
  OP_DISABLE,
  /** Something is too long. */
  MAXLEN,
  /** A space is too small. */
  SPACE,
  /** An argument that cannot be. */
  ARGUMENT,
  /** A text that is wrong in any way: altered, or for another key, way or context. */
  UNDECRYPTABLE,
  /** No memory. */
  MEMORY,
  /** The system gave no randomness. */
  RANDOM,
  /** A signature is wrong, or passwords differ. */
  MISMATCH,
  /** A rule refuses the passcode, or it cannot become this text. */
  REFUSED,
  /** Something of this name is there already. */
  EXISTS,
  /** Nothing of this name is there. */
  NOT_FOUND,
  /** Too many wrong tries. */
  LOCKED,
  /** What is stored was altered, or is not whole. */
  DAMAGED,
  /** A file that cannot be read or written. */
  STORAGE,
  /** It is in use elsewhere. */
  BUSY;

  private static final Code[] ALL = values();

  static Code of(int number) {
    if (number < 0 || number >= ALL.length) {
      throw new IllegalStateException("the library answered the unknown code " + number);
    }
    return ALL[number];
  }

  /**
   * The library's sentence about this code.
   *
   * @return English, one line
   */
  public String message() {
    return Library.CustomKeyboard_message(ordinal()).getString(0, "UTF-8");
  }
}
