// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.io.EOFException;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/**
 * Bytes that are secret: private keys, a pepper, opened passwords.
 *
 * <p>They are outside of Java's heap, in pages of their own that are locked where the system allows it, left out of
 * core dumps, and wiped by {@link #close}, or when the object is collected. A heap dump does not have them. A secret
 * has no text form and cannot be serialised. {@link #reveal} copies it to an array, which the garbage collector may
 * copy again and which nothing wipes: ask for that only if another library needs it.
 *
 * <p>Any thread may call anything. If a secret is closed while another thread is in a call with it, that call reads
 * zeros and answers an error.
 */
public final class Secret implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final int LONGEST_FILE = 1 << 24; // no key and no pepper is so long

  private final Pages pages;
  private final int length;
  private final Cleaner.Cleanable cleanable;

  /** Zeros. */
  Secret(int length) {
    if (length < 0) {
      throw new IllegalArgumentException("a length must not be negative");
    }
    this.length = length;
    pages = new Pages(length);
    cleanable = CLEANER.register(this, pages);
  }

  /** A copy. */
  Secret(ByteBuffer bytes) {
    this(bytes.remaining());
    pages.buffer.duplicate().put(bytes);
  }

  /**
   * Moves bytes into a secret.
   *
   * @param bytes is zeroed: the garbage collector may still have copied it before
   * @return the bytes
   */
  public static Secret take(byte[] bytes) {
    try {
      return new Secret(ByteBuffer.wrap(bytes));
    } finally {
      Arrays.fill(bytes, (byte) 0);
    }
  }

  /**
   * Moves characters into a secret, as UTF-8: what JPasswordField.getPassword and Console.readPassword give.
   *
   * @param characters are zeroed
   * @return their UTF-8
   * @throws IllegalArgumentException if half of a surrogate pair is alone; they are zeroed then, too
   */
  public static Secret take(char[] characters) {
    CharsetEncoder encoder = StandardCharsets.UTF_8.newEncoder();
    try (Secret room = new Secret(Math.multiplyExact(3, characters.length))) {
      ByteBuffer bytes = room.pages.buffer.duplicate();
      CoderResult result = encoder.encode(CharBuffer.wrap(characters), bytes, true);
      if (result.isError()) {
        throw new IllegalArgumentException("no Unicode: half of a surrogate pair");
      }
      return new Secret(bytes.flip());
    } finally {
      Arrays.fill(characters, '\0');
    }
  }

  /**
   * The bytes of a file or a pipe, which do not go through Java's heap.
   *
   * @param path a file that only its owner may read and write: chmod 600 it
   * @return its bytes
   * @throws AccessDeniedException if others may read or write it
   * @throws IOException if it cannot be read, or is empty: a forgotten pepper protects nothing
   */
  public static Secret read(Path path) throws IOException {
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      String rights = PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
      if (!rights.endsWith("------")) {
        throw new AccessDeniedException(path.toString(), null, "others may read or write it: chmod 600 it");
      }
      // Only a regular file tells its length, and it may grow: read until there is no more.
      Secret room = new Secret(Math.max(4096, Math.toIntExact(file.size() + 1)));
      int done = 0;
      try {
        for (int count; (count = file.read(room.pages.buffer.duplicate().limit(room.length).position(done))) >= 0; ) {
          done += count;
          if (done == room.length) {
            if (done >= LONGEST_FILE) {
              throw new IOException(path + " is too long for a secret");
            }
            try (Secret full = room) {
              room = new Secret(2 * done);
              room.pages.buffer.duplicate().put(full.view());
            }
          }
        }
        if (done == 0) {
          throw new EOFException(path + " is empty");
        }
        return new Secret(room.view().limit(done));
      } finally {
        room.close();
      }
    }
  }

  /**
   * How many bytes it has, closed or not.
   *
   * @return at least 0
   */
  public int length() {
    return length;
  }

  /**
   * The bytes where they are. Do not keep it longer than the secret: it shows zeros then.
   *
   * @return read-only, from 0 to {@link #length}
   * @throws IllegalStateException if it was closed
   */
  public ByteBuffer view() {
    check();
    return pages.buffer.asReadOnlyBuffer().slice(0, length);
  }

  /**
   * A copy in Java's heap, which nothing wipes but you.
   *
   * @return the bytes
   * @throws IllegalStateException if it was closed
   */
  public byte[] reveal() {
    byte[] bytes = new byte[length];
    view().get(bytes);
    Reference.reachabilityFence(this);
    return bytes;
  }

  /**
   * Whether two secrets have the same bytes. The time depends on the lengths only.
   *
   * @param other is not changed
   * @return whether they have
   * @throws IllegalStateException if one was closed
   */
  public boolean matches(Secret other) {
    boolean same = matches(other.view());
    Reference.reachabilityFence(other);
    return same;
  }

  /**
   * The same with an array.
   *
   * @param bytes is not changed
   * @return whether it has the same bytes
   * @throws IllegalStateException if it was closed
   */
  public boolean matches(byte[] bytes) {
    return matches(ByteBuffer.wrap(bytes));
  }

  private boolean matches(ByteBuffer bytes) {
    ByteBuffer own = view();
    int different = own.remaining() ^ bytes.remaining();
    int count = Math.min(own.remaining(), bytes.remaining());
    for (int i = 0; i < count; i++) {
      different |= own.get(i) ^ bytes.get(i);
    }
    Reference.reachabilityFence(this);
    return different == 0;
  }

  /** Wipes the bytes. Doing it twice is allowed. */
  @Override
  public void close() {
    cleanable.clean();
  }

  /** {@return the class's name: a secret has no text form} */
  @Override
  public String toString() {
    return "Secret";
  }

  private void check() {
    if (pages.wiped) {
      throw new IllegalStateException("this secret was closed");
    }
  }

  /** What C gets; the caller keeps the secret until the call returns. 0 for null. */
  static long address(Secret secret) {
    if (secret == null) {
      return 0;
    }
    secret.check();
    return secret.pages.address;
  }

  static long length(Secret secret) {
    return secret == null ? 0 : secret.length;
  }

  /** The bytes, writable, for this package. */
  ByteBuffer memory() {
    check();
    return pages.buffer.duplicate();
  }
}
