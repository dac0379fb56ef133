// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** REFUSED: what is typed cannot become this text; see {@link Keyboard#getText} and {@link Keyboard#sealTyped}. */
public final class RefusedException extends KeyboardException {
  private static final long serialVersionUID = 1;

  RefusedException(String cause) {
    super(Code.REFUSED, cause);
  }
}
