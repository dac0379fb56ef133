// A person's device that speaks OPAQUE: a keyboard of the C library, whose functions for that the package does not
// have. It is in a copy of its own of the library, which JNA calls by name.
//
// SPDX-License-Identifier: Apache-2.0

import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import customkeyboard.OpaqueTerms;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

final class Client implements AutoCloseable {
  static NativeLibrary library;

  private final long keyboard;
  private final Memory terms = new Memory(72);
  private final List<Memory> kept = new ArrayList<>();

  /** KE3 and the keys of a login that went well. */
  record Finished(byte[] ke3, byte[] session, byte[] export) {}

  Client(String password, OpaqueTerms both) {
    terms.clear();
    terms.setLong(0, terms.size());
    byte[][] texts = {both.context(), both.client(), both.server()};
    for (int i = 0; i < texts.length; i++) {
      Memory text = new Memory(Math.max(texts[i].length, 1));
      text.write(0, texts[i], 0, texts[i].length);
      kept.add(text);
      terms.setPointer(8 + 16L * i, text);
      terms.setLong(16 + 16L * i, texts[i].length);
    }
    terms.setInt(56, both.memoryKiB());
    terms.setInt(60, both.passes());
    terms.setInt(64, both.lanes());
    long[] handle = new long[1];
    insist(call("create", new Object[] {handle}));
    keyboard = handle[0];
    byte[] utf8 = password.getBytes(StandardCharsets.UTF_8);
    insist(call("open", keyboard));
    insist(call("input", keyboard, utf8, (long) utf8.length));
  }

  private static int call(String name, Object... arguments) {
    return library.getFunction("CustomKeyboard_" + name).invokeInt(arguments);
  }

  private static void insist(int code) {
    if (code != 0) {
      throw new AssertionError("the client was answered " + code);
    }
  }

  private byte[] begin(String step, int size) {
    byte[] message = new byte[size];
    insist(call(step, keyboard, message, (long) size, new long[1]));
    return message;
  }

  byte[] request() {
    return begin("opaqueRegister", 32);
  }

  byte[] ke1() {
    return begin("opaqueLogin", 96);
  }

  /** The record and the export key. */
  byte[][] record(byte[] response) {
    byte[] record = new byte[192];
    byte[] export = new byte[64];
    insist(call("opaqueRecord", keyboard, response, (long) response.length, terms, record, 192L, new long[1], export));
    return new byte[][] {record, export};
  }

  /** Null for MISMATCH. */
  Finished finish(byte[] ke2) {
    byte[] ke3 = new byte[64];
    byte[] session = new byte[64];
    byte[] export = new byte[64];
    int code = call("opaqueFinish", keyboard, ke2, (long) ke2.length, terms, ke3, 64L, new long[1], session, export);
    if (code == 9) {
      return null;
    }
    insist(code);
    return new Finished(ke3, session, export);
  }

  @Override
  public void close() {
    insist(call("destroy", keyboard));
  }
}
