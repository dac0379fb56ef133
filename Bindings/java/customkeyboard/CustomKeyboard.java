// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.OptionalInt;

/** What needs no keyboard: keys, opening texts one by one and in batches, signatures, the host's keys of DUKPT. */
public final class CustomKeyboard {
  /** Bytes of the longest password. */
  public static final int MAX_PASSWORD = 128;

  /** Bytes of the longest ECB text. */
  public static final int MAX_TEXT = 144;

  /** Bytes of the longest context. */
  public static final int MAX_CONTEXT = 256;

  /** Bytes of the longest sealed text. */
  public static final int MAX_SEALED = 1280;

  private CustomKeyboard() {}

  /**
   * The library's version.
   *
   * @return major.minor.patch
   */
  public static String version() {
    return Library.CustomKeyboard_version().getString(0, "UTF-8");
  }

  // ---- Opening texts -----------------------------------------------------------------------------------------------

  /**
   * The password of an ECB text. {@link Keyboard#receive} opens it without showing it to Java.
   *
   * @param way DES, TRIPLE_DES or SM4
   * @param key the secret key
   * @param text 8 to 144 bytes
   * @return the password
   * @throws KeyboardException ARGUMENT (another way), ERR (the key), MAXLEN, UNDECRYPTABLE, MEMORY, RANDOM
   */
  public static Secret decrypt(Way way, Secret key, byte[] text) {
    return opened((space, offset, length) -> Library.CustomKeyboard_decrypt(way.ordinal(), Secret.address(key),
        key.length(), text, text.length, Secret.address(space), space.length(), offset, length), key);
  }

  /**
   * The password of a sealed text. {@link Keyboard#receive} opens it without showing it to Java.
   *
   * @param way one that seals
   * @param key the private key
   * @param context what the text was sealed for
   * @param text the text
   * @return the password
   * @throws KeyboardException ARGUMENT (another way), MAXLEN (the context), ERR (the key), UNDECRYPTABLE, MEMORY,
   *     RANDOM
   */
  public static Secret unseal(Way way, Secret key, byte[] context, byte[] text) {
    return opened((space, offset, length) -> Library.CustomKeyboard_unseal(way.ordinal(), Secret.address(key),
        key.length(), context, context.length, text, text.length, Secret.address(space), space.length(), offset,
        length), key);
  }

  /**
   * Opens many sealed texts under one private key, each as {@link #unseal} would. A bad text has a code of its own.
   *
   * @param way one that seals
   * @param key the private key
   * @param contexts one for each text
   * @param texts as many
   * @return codes and passwords
   * @throws KeyboardException ARGUMENT (another way), ERR (the key), MEMORY: then no text was opened
   * @throws IllegalArgumentException if contexts and texts are not as many
   */
  public static Opened unsealBatch(Way way, Secret key, List<byte[]> contexts, List<byte[]> texts) {
    return Batch.run(Batch.Column.of(contexts.toArray(new byte[0][])), texts.toArray(new byte[0][]),
        (jobs, count) -> Library.CustomKeyboard_unsealBatch(
            way.ordinal(), Secret.address(key), key.length(), jobs, count), key);
  }

  /**
   * The same with one context for all texts.
   *
   * @param way one that seals
   * @param key the private key
   * @param context what all texts were sealed for
   * @param texts any number
   * @return codes and passwords
   * @throws KeyboardException as the other
   */
  public static Opened unsealBatch(Way way, Secret key, byte[] context, List<byte[]> texts) {
    byte[][] each = texts.toArray(new byte[0][]);
    return unsealBatch(way, key, Collections.nCopies(each.length, context), Arrays.asList(each));
  }

  /**
   * Opens many ECB texts, each under its own key and as {@link #decrypt} would. A bad one has a code of its own.
   *
   * @param way DES, TRIPLE_DES or SM4
   * @param keys one for each text
   * @param texts as many
   * @return codes and passwords
   * @throws KeyboardException ARGUMENT (another way), MEMORY: then no text was opened
   * @throws IllegalArgumentException if keys and texts are not as many
   */
  public static Opened decryptBatch(Way way, List<Secret> keys, List<byte[]> texts) {
    Secret[] each = keys.toArray(new Secret[0]);
    int total = 0;
    for (Secret key : each) {
      total = Math.addExact(total, key.length());
    }
    try (Secret joined = new Secret(total)) {
      return decryptBatch(way, Batch.Column.of(each, joined), texts.toArray(new byte[0][]));
    }
  }

  /**
   * The same with all keys in one secret, equally long, one after another.
   *
   * @param way DES, TRIPLE_DES or SM4
   * @param keys of a length that is the number of texts times that of a key
   * @param texts any number
   * @return codes and passwords
   * @throws KeyboardException as the other
   * @throws IllegalArgumentException if the length is another
   */
  public static Opened decryptBatch(Way way, Secret keys, List<byte[]> texts) {
    byte[][] each = texts.toArray(new byte[0][]);
    return decryptBatch(way, Batch.Column.split(keys, each.length), each);
  }

  private static Opened decryptBatch(Way way, Batch.Column keys, byte[][] texts) {
    return Batch.run(
        keys, texts, (jobs, count) -> Library.CustomKeyboard_decryptBatch(way.ordinal(), jobs, count), keys.kept());
  }

  // ---- Keys and signatures -----------------------------------------------------------------------------------------

  /**
   * A new private key and its public key. RSA's are made elsewhere.
   *
   * @param way one that seals
   * @return close it, or its private key
   * @throws KeyboardException ARGUMENT (another way), MEMORY, RANDOM
   */
  public static GeneratedKey generateKey(Way way) {
    return pair((privateKey, privateCapacity, privateLength, publicKey, publicCapacity, publicLength) ->
        Library.CustomKeyboard_generateKey(way.ordinal(), privateKey, privateCapacity, privateLength, publicKey,
            publicCapacity, publicLength));
  }

  /**
   * A public key from a file, of a certificate too, whose signature and dates are not looked at: hexadecimal digits,
   * base64url, PEM, DER, or bytes.
   *
   * @param path the file
   * @param way what the key is for; null if that is not to be looked at
   * @return the key as the other calls take it
   * @throws IOException if it cannot be read, or holds another thing: the message says what it is, and which command
   *     makes a key of it
   */
  public static byte[] readPublicKey(Path path, Way way) throws IOException {
    return KeyFile.readPublic(path, way);
  }

  /**
   * The public key of a private key.
   *
   * @param way X25519, P256, SM2 or XWING
   * @param privateKey of that way
   * @return the public key
   * @throws KeyboardException ARGUMENT (another way), ERR (the key), MEMORY
   */
  public static byte[] publicKey(Way way, Secret privateKey) {
    return Keyboard.fitting((buffer, capacity, length) -> Library.CustomKeyboard_publicKey(
        way.ordinal(), Secret.address(privateKey), privateKey.length(), buffer, capacity, length), privateKey);
  }

  /**
   * A signature of a text in a context.
   *
   * @param way how
   * @param key the private key
   * @param context 0 to 256 bytes
   * @param text of any length
   * @return of P256 and SM2 64 bytes; of RSA as long as the modulus
   * @throws KeyboardException MAXLEN (the context), ERR (the key), MEMORY, RANDOM
   */
  public static byte[] signText(SignWay way, Secret key, byte[] context, byte[] text) {
    return Keyboard.fitting((buffer, capacity, length) -> Library.CustomKeyboard_signText(way.ordinal(),
        Secret.address(key), key.length(), context, context.length, text, text.length, buffer, capacity, length), key);
  }

  /**
   * Whether a signature is right. Take key, way and context from your own record.
   *
   * @param way how
   * @param publicKey the signer's
   * @param context 0 to 256 bytes
   * @param text of any length
   * @param signature of any length
   * @return whether it is
   * @throws KeyboardException MAXLEN (the context), ERR (the key), MEMORY
   */
  public static boolean verifyText(SignWay way, byte[] publicKey, byte[] context, byte[] text, byte[] signature) {
    return !KeyboardException.is(Code.MISMATCH, Library.CustomKeyboard_verifyText(way.ordinal(), publicKey,
        publicKey.length, context, context.length, text, text.length, signature, signature.length));
  }

  /**
   * Whether a pattern for {@link Rule#MATCH} and {@link Rule#NOT_MATCH} is well-formed.
   *
   * @param pattern the pattern
   * @return empty if it is; else the place of its fault, in bytes of UTF-8
   * @throws KeyboardException MAXLEN, MEMORY
   */
  public static OptionalInt checkPattern(String pattern) {
    byte[] utf8 = pattern.getBytes(StandardCharsets.UTF_8);
    long[] position = new long[1];
    int code = Library.CustomKeyboard_checkPattern(utf8, utf8.length, position);
    return KeyboardException.is(Code.ARGUMENT, code) ? OptionalInt.of((int) position[0]) : OptionalInt.empty();
  }

  /**
   * The initial key of a terminal.
   *
   * @param scheme how the terminal gets its keys
   * @param baseKey the base key
   * @param ksn the terminal's key serial number, 10 or 12 bytes
   * @return as long as the base key
   * @throws KeyboardException ERR (a length), MEMORY
   */
  public static Secret dukptInitialKey(Dukpt scheme, Secret baseKey, byte[] ksn) {
    return secret((key, length) -> Library.CustomKeyboard_dukptInitialKey(scheme.ordinal(), Secret.address(baseKey),
        baseKey.length(), ksn, ksn.length, Secret.address(key), Secret.length(key), length), baseKey);
  }

  /**
   * The host's PIN encryption key of one transaction, for {@link Keyboard#receive}.
   *
   * @param scheme how the terminal gets its keys
   * @param baseKey the base key
   * @param ksn the key serial number that came with the PIN block
   * @return the key
   * @throws KeyboardException ERR (a length, or a counter that cannot be), MEMORY
   */
  public static Secret dukptKey(Dukpt scheme, Secret baseKey, byte[] ksn) {
    return secret((key, length) -> Library.CustomKeyboard_dukptKey(scheme.ordinal(), Secret.address(baseKey),
        baseKey.length(), ksn, ksn.length, Secret.address(key), Secret.length(key), length), baseKey);
  }

  private interface Opening {
    int call(Secret space, long[] offset, long[] length);
  }

  /** A password, moved to a secret as long as it. */
  private static Secret opened(Opening function, Object... kept) {
    long[] offset = new long[1];
    long[] length = new long[1];
    try (Secret space = new Secret(MAX_PASSWORD)) {
      KeyboardException.check(Library.call(() -> function.call(space, offset, length), space, kept));
      ByteBuffer password = space.view().slice((int) offset[0], (int) length[0]);
      return new Secret(password);
    }
  }

  interface PairMaking {
    int call(long privateKey, long privateCapacity, long[] privateLength, byte[] publicKey, long publicCapacity,
        long[] publicLength);
  }

  /** What is secret and what is public of it, which a function of C writes after it told both lengths. */
  static GeneratedKey pair(PairMaking function) {
    long[] privateLength = new long[1];
    long[] publicLength = new long[1];
    int code = function.call(0, 0, privateLength, null, 0, publicLength);
    if (code != Code.SPACE.ordinal()) {
      throw KeyboardException.last(code);
    }
    Secret privateKey = new Secret((int) privateLength[0]);
    byte[] publicKey = new byte[(int) publicLength[0]];
    int answer = Library.call(() -> function.call(Secret.address(privateKey), privateKey.length(), privateLength,
        publicKey, publicKey.length, publicLength), privateKey);
    if (answer != 0) {
      privateKey.close();
    }
    KeyboardException.check(answer);
    return new GeneratedKey(privateKey, publicKey);
  }

  interface Making {
    int call(Secret key, long[] length);
  }

  /** A key that a function of C writes after it told the length. */
  static Secret secret(Making function, Object... kept) {
    long[] length = new long[1];
    int code = Library.call(() -> function.call(null, length), kept);
    if (code != Code.SPACE.ordinal()) {
      throw KeyboardException.last(code);
    }
    Secret key = new Secret((int) length[0]);
    try {
      KeyboardException.check(Library.call(() -> function.call(key, length), key, kept));
      return key;
    } catch (Throwable thrown) {
      key.close();
      throw thrown;
    }
  }
}
