// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import com.sun.jna.Native;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * An open file. Its rights are those of what is read, whatever its name names by now: Java's own channels do not tell
 * them.
 */
final class Descriptor implements AutoCloseable {
  private static final int CLOSE_ON_EXEC = 02000000; // O_CLOEXEC of Linux
  private static final int NOT_FOUND = 2; // ENOENT
  private static final int INTERRUPTED = 4; // EINTR
  private static final int DENIED = 13; // EACCES

  static {
    Jna.insist();
    Native.register(Descriptor.class, "c");
  }

  private final String name;
  private final int number;
  private final Map<String, Object> about;

  /** @throws IOException if it cannot be opened */
  Descriptor(Path path) throws IOException {
    name = path.toString();
    byte[] bytes = path.toFile().getPath().getBytes(Charset.forName(System.getProperty("sun.jnu.encoding", "UTF-8")));
    byte[] terminated = Arrays.copyOf(bytes, bytes.length + 1);
    int opened;
    do {
      opened = open(terminated, CLOSE_ON_EXEC);
    } while (opened < 0 && Native.getLastError() == INTERRUPTED);
    number = opened;
    if (number < 0) {
      throw failure(Native.getLastError());
    }
    try {
      about = Files.readAttributes(Path.of("/proc/self/fd/" + number), "unix:mode,gid,size");
    } catch (IOException | RuntimeException error) {
      close();
      throw new IOException("the rights of " + name + " cannot be looked at without /proc", error);
    }
  }

  private IOException failure(int error) {
    switch (error) {
      case NOT_FOUND:
        return new NoSuchFileException(name);
      case DENIED:
        return new AccessDeniedException(name);
      default:
        return new FileSystemException(name, null, strerror(error));
    }
  }

  /** Of a pipe 0. */
  long size() {
    return (Long) about.get("size");
  }

  /** @throws AccessDeniedException if others may read or write it */
  void insistPrivate(Readers readers) throws AccessDeniedException {
    int others = readers == Readers.GROUP && isOfOurs((Integer) about.get("gid")) ? 0037 : 0077;
    if (((Integer) about.get("mode") & others) != 0) {
      throw new AccessDeniedException(name, null, "others may read or write it: chmod 600 it");
    }
  }

  private static boolean isOfOurs(int group) {
    int[] groups = new int[Math.max(getgroups(0, null), 0)];
    int count = getgroups(groups.length, groups);
    return group == getegid() || Arrays.stream(groups, 0, Math.max(count, 0)).anyMatch(each -> each == group);
  }

  /**
   * Reads to an address.
   *
   * @return how many bytes; 0 at the end
   */
  int read(long address, int byteCount) throws IOException {
    while (true) {
      long count = read(number, address, byteCount);
      if (count >= 0) {
        return (int) count;
      }
      int error = Native.getLastError();
      if (error != INTERRUPTED) {
        throw failure(error);
      }
    }
  }

  @Override
  public void close() {
    close(number);
  }

  private static native int open(byte[] path, int flags);

  private static native long read(int number, long address, long byteCount);

  private static native int close(int number);

  private static native int getegid();

  private static native int getgroups(int count, int[] groups);

  private static native String strerror(int error);
}
