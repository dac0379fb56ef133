// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** ERR: a key of a wrong length or value, or none. The server's fault, never the user's. */
public final class InvalidKeyException extends KeyboardException {
  private static final long serialVersionUID = 1;

  InvalidKeyException(String cause) {
    super(Code.ERR, cause);
  }
}
