// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** UNDECRYPTABLE: a text that is wrong in any way: altered, or for another key, way or context. */
public final class UndecryptableException extends KeyboardException {
  private static final long serialVersionUID = 1;

  UndecryptableException(String cause) {
    super(Code.UNDECRYPTABLE, cause);
  }
}
