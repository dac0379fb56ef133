// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Memory outside of Java's heap: locked, not in core dumps, empty in a child of a fork.
 *
 * <p>What is short has a slot in a region, which it shares with others: pages of its own would be two more mappings
 * for each secret, of which Linux allows a process 65,530. What is long has pages of its own. It is wiped before it
 * goes, and given to another secret only when no view of it can be reached any more, so a view never shows another
 * secret.
 */
final class Pages implements Runnable {
  private static final int DONT_DUMP = 16; // madvise(2) of Linux
  private static final int DO_DUMP = 17;
  private static final int WIPE_ON_FORK = 18;
  private static final int KEEP_ON_FORK = 19;
  private static final int REGION = 1 << 16; // bytes
  private static final int SHORTEST_SLOT = 64;
  private static final int LONGEST_SLOT = REGION / 4;
  private static final int PAGE;
  private static final Cleaner CLEANER = Cleaner.create();

  /** Never freed. */
  private static final List<ByteBuffer> REGIONS = new ArrayList<>();

  /** The addresses of free slots, by the logarithm of their size. */
  private static final List<ArrayDeque<Long>> FREE = new ArrayList<>();

  static {
    Jna.insist();
    Native.register(Pages.class, "c");
    PAGE = getpagesize();
    for (int i = 0; i < Integer.SIZE; i++) {
      FREE.add(new ArrayDeque<>());
    }
  }

  /** No other buffer of this memory but its own views, which keep it. */
  final ByteBuffer buffer;
  final long address;
  volatile boolean wiped;
  private final boolean isShared;

  Pages(int byteCount) {
    isShared = byteCount <= LONGEST_SLOT;
    if (isShared) {
      int size = Math.max(SHORTEST_SLOT, 2 * Integer.highestOneBit(Math.max(byteCount - 1, 1)));
      long slot = take(size);
      address = slot;
      buffer = new Pointer(slot).getByteBuffer(0, size);
      CLEANER.register(buffer, () -> give(slot, size));
    } else {
      buffer = map(Math.toIntExact((byteCount + PAGE - 1L) / PAGE * PAGE));
      address = Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
    }
  }

  /** Wipes it. Pages of its own become ordinary again: the allocator gives them to others later. */
  @Override
  public synchronized void run() {
    if (wiped) {
      return;
    }
    wiped = true;
    explicit_bzero(address, buffer.capacity());
    if (!isShared) {
      munlock(address, buffer.capacity());
      madvise(address, buffer.capacity(), DO_DUMP);
      madvise(address, buffer.capacity(), KEEP_ON_FORK);
    }
  }

  private static ByteBuffer map(int byteCount) {
    ByteBuffer pages = ByteBuffer.allocateDirect(Math.addExact(byteCount, PAGE)).alignedSlice(PAGE);
    long start = Pointer.nativeValue(Native.getDirectBufferPointer(pages));
    // Best effort, as in the C library: RLIMIT_MEMLOCK may be small.
    mlock(start, pages.capacity());
    madvise(start, pages.capacity(), DONT_DUMP);
    madvise(start, pages.capacity(), WIPE_ON_FORK);
    return pages;
  }

  private static long take(int size) {
    ArrayDeque<Long> free = FREE.get(Integer.numberOfTrailingZeros(size));
    synchronized (FREE) {
      if (free.isEmpty()) {
        ByteBuffer region = map(REGION);
        REGIONS.add(region);
        long start = Pointer.nativeValue(Native.getDirectBufferPointer(region));
        for (int offset = 0; offset < REGION; offset += size) {
          free.add(start + offset);
        }
      }
      return free.remove();
    }
  }

  private static void give(long slot, int size) {
    // Again: a call that was going on during `close` may have written to it.
    explicit_bzero(slot, size);
    synchronized (FREE) {
      FREE.get(Integer.numberOfTrailingZeros(size)).add(slot);
    }
  }

  private static native int getpagesize();

  private static native int mlock(long address, long length);

  private static native int munlock(long address, long length);

  private static native int madvise(long address, long length, int advice);

  private static native void explicit_bzero(long address, long length);
}
