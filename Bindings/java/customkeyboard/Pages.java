// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;

/**
 * Whole pages of memory outside of Java's heap: locked, not in core dumps, empty in a child of a fork.
 *
 * <p>They belong to a direct buffer, so that the memory stays for as long as any view of it can be reached. It is wiped
 * before.
 */
final class Pages implements Runnable {
  private static final int DONT_DUMP = 16; // madvise(2) of Linux
  private static final int DO_DUMP = 17;
  private static final int WIPE_ON_FORK = 18;
  private static final int KEEP_ON_FORK = 19;
  private static final int PAGE;

  static {
    Native.register(Pages.class, "c");
    PAGE = getpagesize();
  }

  final ByteBuffer buffer;
  final long address;
  volatile boolean wiped;

  Pages(int byteCount) {
    long size = Math.max(1, (byteCount + PAGE - 1L) / PAGE) * PAGE;
    buffer = ByteBuffer.allocateDirect(Math.toIntExact(size + PAGE)).alignedSlice(PAGE);
    address = Pointer.nativeValue(Native.getDirectBufferPointer(buffer));
    // Best effort, as in the C library: RLIMIT_MEMLOCK may be small.
    mlock(address, buffer.capacity());
    madvise(address, buffer.capacity(), DONT_DUMP);
    madvise(address, buffer.capacity(), WIPE_ON_FORK);
  }

  /** Wipes them, and makes them ordinary pages again: the allocator gives them to others later. */
  @Override
  public synchronized void run() {
    if (wiped) {
      return;
    }
    wiped = true;
    explicit_bzero(address, buffer.capacity());
    munlock(address, buffer.capacity());
    madvise(address, buffer.capacity(), DO_DUMP);
    madvise(address, buffer.capacity(), KEEP_ON_FORK);
  }

  private static native int getpagesize();

  private static native int mlock(long address, long length);

  private static native int munlock(long address, long length);

  private static native int madvise(long address, long length, int advice);

  private static native void explicit_bzero(long address, long length);
}
