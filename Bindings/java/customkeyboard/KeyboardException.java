// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * A call that did not succeed. {@link #code} says why, and the message is the library's sentence about what was wrong.
 *
 * <p>It never carries a password, a key or a text, and may be logged.
 */
public class KeyboardException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** The code that the C function answered. */
  private final Code code;

  KeyboardException(Code code, String cause) {
    super(code + ": " + cause);
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

  /** The exception of a code, where no more is known. */
  static KeyboardException of(Code code) {
    return of(code, code.message());
  }

  private static KeyboardException of(Code code, String cause) {
    switch (code) {
      case ERR:
        return new InvalidKeyException(cause);
      case UNDECRYPTABLE:
        return new UndecryptableException(cause);
      case MISMATCH:
        return new MismatchException(cause);
      case REFUSED:
        return new RefusedException(cause);
      default:
        return new KeyboardException(code, cause);
    }
  }

  /** The exception of what a call has just answered in this thread. */
  static KeyboardException last(int answer) {
    Code code = Code.of(answer);
    String cause = Library.CustomKeyboard_cause().getString(0, "UTF-8");
    // No sentence about a key has this word.
    return code == Code.ERR && cause.contains("context") ? new InvalidContextException(cause) : of(code, cause);
  }

  /** Throws what a call has just answered in this thread, unless it was OK. */
  static void check(int answer) {
    if (answer != 0) {
      throw last(answer);
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
