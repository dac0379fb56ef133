// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * What both ends of OPAQUE have alike: CUSTOM_OPAQUE_TERMS of the C header. All of it may be empty. Keep the costs with
 * each record.
 *
 * @param context the application, at most 256 bytes; the arrays are not copied
 * @param client the client's identity, at most 255 bytes; none: its public key
 * @param server the server's identity, at most 255 bytes; none: its public key
 * @param memoryKiB of the client's Argon2id; 0, 0, 0 are 19456 KiB, two passes and one lane
 * @param passes over the memory
 * @param lanes 1 to 16
 */
public record OpaqueTerms(byte[] context, byte[] client, byte[] server, int memoryKiB, int passes, int lanes) {
  private static final int SIZE = 72;

  /**
   * Terms with no identities and the default costs.
   *
   * @param context the application, at most 256 bytes
   */
  public OpaqueTerms(byte[] context) {
    this(context, new byte[0], new byte[0], 0, 0, 0);
  }

  /** As C takes them, and what they point to. */
  record OfC(ByteBuffer terms, Batch.Column texts) {}

  OfC ofC() {
    Batch.Column texts = Batch.Column.of(new byte[][] {context, client, server});
    ByteBuffer terms = ByteBuffer.allocateDirect(SIZE).order(ByteOrder.nativeOrder()).putLong(SIZE);
    for (int i = 0; i < 3; i++) {
      terms.putLong(texts.addresses()[i]).putLong(texts.lengths()[i]);
    }
    return new OfC(terms.putInt(memoryKiB).putInt(passes).putInt(lanes), texts);
  }
}
