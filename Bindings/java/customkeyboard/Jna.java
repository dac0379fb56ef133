// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

/** Says what is missing where Java would only name a class: JNA, or a directory for its library. */
final class Jna {
  private Jna() {}

  /** Every class that calls C calls this first. */
  static void insist() {
    try {
      Class.forName("com.sun.jna.Native", true, Jna.class.getClassLoader());
    } catch (ClassNotFoundException error) {
      throw failure("CustomKeyboard needs JNA 5.13 or later on the class path: net.java.dev.jna:jna, or jna.jar of "
          + "Debian's libjna-java", error);
    } catch (LinkageError error) {
      throw failure("JNA cannot load its own library. It unpacks it to a directory that must allow programs, and a "
          + "mount with noexec does not: name another one with -Djna.tmpdir=DIRECTORY", error);
    }
  }

  static UnsatisfiedLinkError failure(String message, Throwable cause) {
    UnsatisfiedLinkError failure = new UnsatisfiedLinkError(message);
    failure.initCause(cause);
    return failure;
  }
}
