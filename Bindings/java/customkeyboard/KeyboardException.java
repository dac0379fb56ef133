// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * A call that did not succeed. {@link #code} says why, and the message is the library's sentence about it.
 *
 * <p>It never carries a password, a key or a text, and may be logged.
 */
public class KeyboardException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The code that the C function answered. */
  private final Code code;

  KeyboardException(Code code) {
    super(code + ": " + code.message());
    this.code = code;
  }

  /**
   * The code that the C function of the same name answered.
   *
   * @return never OK
   */
  public final Code code() {
    return code;
  }

  static KeyboardException of(Code code) {
    switch (code) {
      case ERR:
        return new InvalidKeyException();
      case UNDECRYPTABLE:
        return new UndecryptableException();
      case REFUSED:
        return new RefusedException();
      default:
        return new KeyboardException(code);
    }
  }

  /** Throws what a call answered, unless it was OK. */
  static void check(int answer) {
    if (answer != 0) {
      throw of(Code.of(answer));
    }
  }

  /** Whether a call answered the code of its verdict; another but OK is thrown. */
  static boolean is(Code verdict, int answer) {
    if (answer == verdict.ordinal()) {
      return true;
    }
    check(answer);
    return false;
  }
}
