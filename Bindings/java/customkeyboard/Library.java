// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import com.sun.jna.Callback;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.IntSupplier;

/**
 * The C functions, as JNA calls them. A size_t is a long, so this is for systems of 64 bits.
 *
 * <p>An array is copied for the call, to memory that nothing wipes: it is for what is not secret. What is secret is an
 * address in a {@link Secret}.
 */
final class Library {
  static final int MAX_KEYS = 37;
  static final int KEY_SIZE = 72;
  static final int MAX_VERIFIER = 128;

  interface TextField extends Callback {
    void invoke(Pointer context, long keyboard, long characterCount);
  }

  interface OkAction extends Callback {
    void invoke(Pointer context, long keyboard);
  }

  static {
    Jna.insist();
    if (Native.POINTER_SIZE != 8) {
      throw new UnsatisfiedLinkError("CustomKeyboard needs a Java of 64 bits");
    }
    Native.register(Library.class, load());
  }

  private Library() {}

  /**
   * The library in the jar, or the one that the property customkeyboard.library names.
   *
   * <p>It is copied to a directory of this user alone and removed again when it is loaded. JNA would look for an
   * installed library of this name first, which may be of another version.
   */
  private static NativeLibrary load() {
    String named = System.getProperty("customkeyboard.library");
    if (named != null) {
      return NativeLibrary.getInstance(named);
    }
    String name = "/" + Platform.RESOURCE_PREFIX + "/libcustomkeyboard.so";
    try (InputStream packed = Library.class.getResourceAsStream(name)) {
      if (packed == null) {
        throw new UnsatisfiedLinkError("this jar has no " + name
            + ": build libcustomkeyboard for this system, and name it with -Dcustomkeyboard.library=PATH");
      }
      Path directory = Files.createTempDirectory("customkeyboard");
      Path file = directory.resolve("libcustomkeyboard.so");
      try {
        Files.copy(packed, file);
        return NativeLibrary.getInstance(file.toString());
      } catch (UnsatisfiedLinkError error) {
        throw Jna.failure("the library cannot be loaded from " + directory.getParent() + ", which must allow programs, "
            + "and a mount with noexec does not: name another directory with -Djava.io.tmpdir=DIRECTORY, or an "
            + "unpacked library with -Dcustomkeyboard.library=PATH", error);
      } finally {
        Files.deleteIfExists(file);
        Files.deleteIfExists(directory);
      }
    } catch (IOException error) {
      throw Jna.failure("the library could not be unpacked to java.io.tmpdir: " + error, error);
    }
  }

  /**
   * Makes a call, and keeps the objects until it returns: their cleaners wipe what the call reads.
   *
   * @throws IllegalStateException if another thread closed a secret among them meanwhile: the call has read zeros, and
   *     its answer may look like a person's wrong PIN, or like success
   */
  static int call(IntSupplier call, Object... kept) {
    try {
      int answer = call.getAsInt();
      insistOpen(kept);
      return answer;
    } finally {
      Reference.reachabilityFence(kept);
    }
  }

  private static void insistOpen(Object... kept) {
    for (Object each : kept) {
      if (each instanceof Secret secret) {
        secret.check();
      } else if (each instanceof Batch.Column column) {
        insistOpen(column.kept());
      } else if (each instanceof Object[] more) {
        insistOpen(more);
      }
    }
  }

  // In the order of custom_keyboard.h. Not for Java: dukptLoad and dukptNext, because a terminal's own program keeps
  // its registers; setupCipher, cryptECB and wipeCipher, because bare block ciphers have no padding; OPAQUE's client,
  // which is the keyboard of a person's device.

  static native Pointer CustomKeyboard_message(int rv);

  static native Pointer CustomKeyboard_cause();

  static native Pointer CustomKeyboard_version();

  static native int CustomKeyboard_create(long[] keyboard);

  static native int CustomKeyboard_destroy(long keyboard);

  static native int CustomKeyboard_setEncKey(long keyboard, long key, long keyLength, int way);

  static native int CustomKeyboard_setEncKey(long keyboard, byte[] key, long keyLength, int way);

  static native int CustomKeyboard_open(long keyboard);

  static native int CustomKeyboard_close(long keyboard);

  static native int CustomKeyboard_input(long keyboard, long utf8, long length);

  static native int CustomKeyboard_deleteBackward(long keyboard);

  static native int CustomKeyboard_clear(long keyboard);

  static native int CustomKeyboard_count(long keyboard, long[] characterCount);

  static native int CustomKeyboard_getText(long keyboard, byte[] space, long size, long[] offset, long[] length);

  static native int CustomKeyboard_setLayout(long keyboard, int layout, int shuffle, long maximumCount);

  static native int CustomKeyboard_setSize(long keyboard, double width, double height, double columnGap, double rowGap);

  static native int CustomKeyboard_keys(long keyboard, byte[] keys, long capacity, long[] keyCount);

  static native int CustomKeyboard_pressKey(long keyboard, long index);

  static native int CustomKeyboard_touch(long keyboard, double x, double y);

  static native int CustomKeyboard_setTextField(long keyboard, TextField changed, Pointer context);

  static native int CustomKeyboard_setOKAction(long keyboard, OkAction action, Pointer context);

  static native int CustomKeyboard_addRule(long keyboard, int rule, long number, byte[] text, long textLength);

  static native int CustomKeyboard_clearRules(long keyboard);

  static native int CustomKeyboard_checkPattern(byte[] pattern, long patternLength, long[] position);

  static native int CustomKeyboard_check(long keyboard, long[] brokenRule);

  static native int CustomKeyboard_checkRule(long keyboard, int rule, long number, byte[] text, long textLength);

  static native Pointer CustomKeyboard_ruleMessage(int rule);

  static native int CustomKeyboard_compare(long keyboard, long other);

  static native int CustomKeyboard_makeVerifier(
      long keyboard, long pepper, long pepperLength, byte[] verifier, long capacity, long[] verifierLength);

  static native int CustomKeyboard_checkVerifier(long keyboard, long pepper, long pepperLength, byte[] verifier);

  static native int CustomKeyboard_deriveKey(long keyboard, byte[] salt, long saltLength, long pepper,
      long pepperLength, int memoryKiB, int passes, long key, long keyLength);

  static native int CustomKeyboard_decrypt(int way, long key, long keyLength, byte[] text, long textLength, long space,
      long spaceSize, long[] clearOffset, long[] clearLength);

  static native int CustomKeyboard_decryptBatch(int way, long jobs, long count);

  static native int CustomKeyboard_setContext(long keyboard, byte[] context, long contextLength);

  static native int CustomKeyboard_sealTyped(long keyboard, int way, long key, long keyLength, byte[] context,
      long contextLength, byte[] space, long spaceSize, long[] textOffset, long[] textLength);

  static native int CustomKeyboard_sealTyped(long keyboard, int way, byte[] key, long keyLength, byte[] context,
      long contextLength, byte[] space, long spaceSize, long[] textOffset, long[] textLength);

  static native int CustomKeyboard_unseal(int way, long key, long keyLength, byte[] context, long contextLength,
      byte[] text, long textLength, long space, long spaceSize, long[] clearOffset, long[] clearLength);

  static native int CustomKeyboard_unsealBatch(int way, long key, long keyLength, long jobs, long count);

  static native int CustomKeyboard_receive(long keyboard, int way, long key, long keyLength, byte[] context,
      long contextLength, byte[] text, long textLength);

  static native int CustomKeyboard_generateKey(int way, long privateKey, long privateCapacity, long[] privateLength,
      byte[] publicKey, long publicCapacity, long[] publicLength);

  static native int CustomKeyboard_publicKey(
      int way, long privateKey, long privateLength, byte[] publicKey, long capacity, long[] publicLength);

  static native int CustomKeyboard_signText(int way, long key, long keyLength, byte[] context, long contextLength,
      byte[] text, long textLength, byte[] signature, long capacity, long[] signatureLength);

  static native int CustomKeyboard_verifyText(int way, byte[] publicKey, long publicKeyLength, byte[] context,
      long contextLength, byte[] text, long textLength, byte[] signature, long signatureLength);

  static native int CustomKeyboard_dukptInitialKey(int scheme, long baseKey, long baseKeyLength, byte[] ksn,
      long ksnLength, long initialKey, long capacity, long[] initialKeyLength);

  static native int CustomKeyboard_dukptKey(int scheme, long baseKey, long baseKeyLength, byte[] ksn, long ksnLength,
      long key, long capacity, long[] keyLength);

  static native int CustomKeyboard_opaqueSetup(long setup, long capacity, long[] setupLength, byte[] publicKey,
      long publicCapacity, long[] publicLength);

  static native int CustomKeyboard_opaqueRespond(long setup, long setupLength, byte[] account, long accountLength,
      byte[] request, long requestLength, byte[] response, long capacity, long[] responseLength);

  static native int CustomKeyboard_opaqueAnswer(long setup, long setupLength, byte[] account, long accountLength,
      byte[] record, long recordLength, long terms, byte[] ke1, long ke1Length, byte[] ke2, long capacity,
      long[] ke2Length, long state, long stateCapacity, long[] stateLength);

  static native int CustomKeyboard_opaqueCheck(long state, long stateLength, byte[] ke3, long ke3Length,
      long sessionKey, long capacity, long[] sessionKeyLength);
}
