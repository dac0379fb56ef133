// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.io.EOFException;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetEncoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Bytes that are secret: private keys, a pepper, opened passwords.
 *
 * <p>They are outside of Java's heap, in pages that are locked where the system allows it, left out of
 * core dumps, and wiped by {@link #close}, or when the object is collected. A heap dump does not have them. A secret
 * has no text form and cannot be serialised. {@link #reveal} copies it to an array, which the garbage collector may
 * copy again and which nothing wipes: ask for that only if another library needs it.
 *
 * <p>Any thread may call anything. If a secret is closed while another thread is in a call with it, that call throws
 * IllegalStateException: it has read zeros, and its answer is worth nothing, least of all as a person's wrong PIN.
 */
public final class Secret implements AutoCloseable {
  private static final Cleaner CLEANER = Cleaner.create();
  private static final int LONGEST_FILE = 1 << 24; // no key and no pepper is longer

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
   * The bytes of a file or a pipe, as they are, which do not go through Java's heap. For a key, take {@link #readKey}.
   *
   * @param path a file that only its owner may read and write: chmod 600 it
   * @return its bytes
   * @throws AccessDeniedException if others may read or write it
   * @throws IOException if it cannot be read, has over 16 MiB, or is empty: a forgotten pepper protects nothing
   */
  public static Secret read(Path path) throws IOException {
    return read(path, Readers.OWNER);
  }

  /**
   * The same of a file that a group may read, too.
   *
   * @param path a file that nobody else may read or write
   * @param readers who may
   * @return its bytes
   * @throws IOException as the other
   */
  public static Secret read(Path path, Readers readers) throws IOException {
    try (Descriptor file = new Descriptor(path)) {
      file.insistPrivate(readers);
      return read(file, path);
    }
  }

  /**
   * The private or secret key in a file: hexadecimal digits, base64url, PEM, DER, or its bytes, in the form that the
   * other calls take. {@code keyboard generate-key} and OpenSSL write such files. Of several keys in PEM it is the
   * private one of the way. A pepper in hexadecimal digits is read, too. Hexadecimal digits win: a file of
   * such characters alone is decoded to half as many bytes, also where the characters themselves could be a key.
   *
   * @param path a file that only its owner may read and write
   * @param way what the key is for; null if that is not to be looked at
   * @return the key
   * @throws IOException as {@link #read}; and if it holds another thing: the message says what it is, and which command
   *     makes a key of it
   */
  public static Secret readKey(Path path, Way way) throws IOException {
    return readKey(path, way, Readers.OWNER);
  }

  /**
   * The same, whatever the key is for.
   *
   * @param path a file that only its owner may read and write
   * @return the key
   * @throws IOException as the other
   */
  public static Secret readKey(Path path) throws IOException {
    return readKey(path, null, Readers.OWNER);
  }

  /**
   * The same of a file that a group may read, too.
   *
   * @param path a file that nobody else may read or write
   * @param way what the key is for; null if that is not to be looked at
   * @param readers who may
   * @return the key
   * @throws IOException as the other
   */
  public static Secret readKey(Path path, Way way, Readers readers) throws IOException {
    return KeyFile.readSecret(path, way, readers);
  }

  /** All of an open file. */
  static Secret read(Descriptor file, Path path) throws IOException {
    // Only a regular file tells its length, and it may grow: read until there is no more.
    Secret room = new Secret((int) Math.min(Math.max(file.size(), 4095), LONGEST_FILE) + 1);
    int done = 0;
    try {
      for (int count; (count = file.read(room.pages.address + done, room.length - done)) > 0; ) {
        done += count;
        if (done > LONGEST_FILE) {
          throw new IOException(path + " is longer than 16 MiB, which no secret is");
        }
        if (done == room.length) {
          try (Secret full = room) {
            room = new Secret(Math.min(2 * done, LONGEST_FILE + 1));
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
    check(); // Another thread may have closed it meanwhile.
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
    other.check();
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
    check(); // Closed by another thread meanwhile, it is not another secret, but none.
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

  /** @throws IllegalStateException if it was closed */
  void check() {
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
