// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/**
 * A private key and its public key. Closing it wipes the private key.
 *
 * @param privateKey secret
 * @param publicKey of SM4_GCM empty; the array is not copied
 */
public record GeneratedKey(Secret privateKey, byte[] publicKey) implements AutoCloseable {
  /** Wipes the private key. */
  @Override
  public void close() {
    privateKey.close();
  }

  /** {@return the record's name: a key has no text form} */
  @Override
  public String toString() {
    return "GeneratedKey";
  }
}
