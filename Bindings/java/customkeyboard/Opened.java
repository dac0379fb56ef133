// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/**
 * What a batch answered: a code for each job, and the passwords, in one piece of locked memory. Closing it wipes all
 * passwords.
 */
public final class Opened implements AutoCloseable {
  static final int EACH = 128;

  private final Secret memory;
  private final Code[] codes;
  private final int[] lengths;

  Opened(Secret memory, Code[] codes, int[] lengths) {
    this.memory = memory;
    this.codes = codes;
    this.lengths = lengths;
  }

  /**
   * The number of jobs.
   *
   * @return at least 0
   */
  public int size() {
    return codes.length;
  }

  /**
   * The code of one job.
   *
   * @param number of the job, from 0
   * @return OK if it has a password
   */
  public Code code(int number) {
    return codes[number];
  }

  /**
   * The jobs that have no password.
   *
   * @return their numbers, rising
   */
  public int[] failed() {
    return IntStream.range(0, codes.length).filter(number -> codes[number] != Code.OK).toArray();
  }

  /**
   * A password where it is. Do not keep it longer than this object, which must be in use until then (close it behind
   * the last use, or take try-with-resources): it shows zeros afterwards.
   *
   * @param number of the job, from 0
   * @return read-only
   * @throws KeyboardException the job's code, if that is not OK
   */
  public ByteBuffer view(int number) {
    if (codes[number] != Code.OK) {
      throw KeyboardException.of(codes[number]);
    }
    return memory.view().slice(number * EACH, lengths[number]);
  }

  /**
   * A copy of a password in Java's heap, which nothing wipes but you.
   *
   * @param number of the job, from 0
   * @return its bytes
   * @throws KeyboardException the job's code, if that is not OK
   */
  public byte[] reveal(int number) {
    byte[] bytes = new byte[lengths[number]];
    view(number).get(bytes);
    memory.check(); // Another thread may have closed it meanwhile.
    // Collected before, it would have wiped them.
    Reference.reachabilityFence(this);
    return bytes;
  }

  /** Wipes all passwords. */
  @Override
  public void close() {
    memory.close();
  }

  /** {@return how many jobs there are} */
  @Override
  public String toString() {
    return codes.length + " opened texts";
  }
}
