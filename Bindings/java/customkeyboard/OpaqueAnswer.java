// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * The answer to the first message of a login. Closing it wipes the state.
 *
 * @param ke2 the second message, 320 bytes, for the client; the array is not copied
 * @param state secret, for the third message
 */
public record OpaqueAnswer(byte[] ke2, OpaqueState state) implements AutoCloseable {
  /** Wipes the state. */
  @Override
  public void close() {
    state.close();
  }
}
