// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** MISMATCH of {@link OpaqueState#check}: the client did not know the password, or has other terms. */
public final class MismatchException extends KeyboardException {
  private static final long serialVersionUID = 1;

  MismatchException(String cause) {
    super(Code.MISMATCH, cause);
  }
}
