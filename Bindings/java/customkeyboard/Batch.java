// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * The jobs of a batch as C takes them: eight words of 64 bits each, and what they point to in one buffer.
 *
 * <p>Lists come here as arrays: another thread that changes a list cannot make an address wrong.
 */
final class Batch {
  private static final int JOB_SIZE = 64;

  private Batch() {}

  /** Pieces one after another, outside of the heap: where each begins, and its length. */
  record Column(Object kept, long[] addresses, int[] lengths) {
    static Column of(byte[][] pieces) {
      int total = 0;
      for (byte[] piece : pieces) {
        total = Math.addExact(total, piece.length);
      }
      ByteBuffer joined = ByteBuffer.allocateDirect(total);
      for (byte[] piece : pieces) {
        joined.put(piece);
      }
      int[] lengths = Arrays.stream(pieces).mapToInt(piece -> piece.length).toArray();
      return new Column(joined, starts(address(joined), lengths), lengths);
    }

    /** Secrets are copied to one, which the caller closes. */
    static Column of(Secret[] pieces, Secret joined) {
      ByteBuffer memory = joined.memory();
      for (Secret piece : pieces) {
        memory.put(piece.view());
        piece.check(); // Another thread may have closed it meanwhile.
      }
      int[] lengths = Arrays.stream(pieces).mapToInt(piece -> piece.length()).toArray();
      return new Column(joined, starts(Secret.address(joined), lengths), lengths);
    }

    /** One secret in equal parts. */
    static Column split(Secret joined, int count) {
      int each = count == 0 ? 0 : joined.length() / count;
      if (each * count != joined.length()) {
        throw new IllegalArgumentException("the keys are not as many as the texts");
      }
      int[] lengths = new int[count];
      Arrays.fill(lengths, each);
      return new Column(joined, starts(Secret.address(joined), lengths), lengths);
    }

    private static long[] starts(long address, int[] lengths) {
      long[] starts = new long[lengths.length];
      for (int i = 0; i < lengths.length; i++) {
        starts[i] = address;
        address += lengths[i];
      }
      return starts;
    }
  }

  interface Function {
    int call(long jobs, long count);
  }

  /** Fills the jobs and calls C. {@code first} is what comes before the text in a job: the key or the context. */
  static Opened run(Column first, byte[][] texts, Function function, Object... kept) {
    int count = texts.length;
    if (first.addresses.length != count) {
      throw new IllegalArgumentException("the keys or contexts are not as many as the texts");
    }
    Column second = Column.of(texts);
    Secret memory = new Secret(Math.multiplyExact(count, Opened.EACH));
    try {
      ByteBuffer jobs = ByteBuffer.allocateDirect(Math.multiplyExact(count, JOB_SIZE)).order(ByteOrder.nativeOrder());
      for (int i = 0; i < count; i++) {
        jobs.putLong(first.addresses[i]).putLong(first.lengths[i]);
        jobs.putLong(second.addresses[i]).putLong(second.lengths[i]);
        jobs.putLong(Secret.address(memory) + (long) i * Opened.EACH).putLong(Opened.EACH);
        jobs.putLong(0).putLong(0);
      }
      long address = count == 0 ? 0 : address(jobs);
      KeyboardException.check(Library.call(() -> function.call(address, count), first, second, memory, jobs, kept));
      Code[] codes = new Code[count];
      int[] lengths = new int[count];
      for (int i = 0; i < count; i++) {
        lengths[i] = (int) jobs.getLong(i * JOB_SIZE + 48);
        codes[i] = Code.of(jobs.getInt(i * JOB_SIZE + 56));
      }
      return new Opened(memory, codes, lengths);
    } catch (Throwable thrown) {
      memory.close();
      throw thrown;
    }
  }

  static long address(ByteBuffer direct) {
    return Pointer.nativeValue(Native.getDirectBufferPointer(direct));
  }
}
