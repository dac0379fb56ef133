// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * ERR: no context, or one that the way does not take: {@link Keyboard#setContext} was forgotten, or a card's number is
 * wrong.
 */
public final class InvalidContextException extends KeyboardException {
  private static final long serialVersionUID = 1;

  InvalidContextException(String cause) {
    super(Code.ERR, cause);
  }
}
