// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import customkeyboard.Der.Place;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Files of keys, in the forms that people have: hexadecimal digits, base64url, PEM (RFC 7468), DER, bytes. All is
 * decoded where it is, in a secret's memory.
 */
final class KeyFile {
  private static final int[] ONE = {16};
  private static final int[] CURVE = {32};
  private static final int[] DES = {16, 24};
  private static final int[] DER_ONLY = {};
  private static final Map<Way, int[]> SECRET_LENGTHS = Map.ofEntries(
      Map.entry(Way.DES, new int[] {8}), Map.entry(Way.TRIPLE_DES, DES), Map.entry(Way.SM4, ONE),
      Map.entry(Way.SM4_GCM, ONE), Map.entry(Way.X25519, CURVE), Map.entry(Way.P256, CURVE), Map.entry(Way.SM2, CURVE),
      Map.entry(Way.XWING, CURVE), Map.entry(Way.RSA, DER_ONLY), Map.entry(Way.PIN0, DES), Map.entry(Way.PIN1, DES),
      Map.entry(Way.PIN3, DES), Map.entry(Way.PIN4, new int[] {16, 24, 32}));
  private static final Map<Way, int[]> PUBLIC_LENGTHS = Map.of(Way.X25519, CURVE, Way.P256, new int[] {65},
      Way.SM2, new int[] {65}, Way.XWING, new int[] {1216}, Way.RSA, DER_ONLY);
  private static final int[] KEYS = {16, 24, 32, 65, 1216}; // where the way is not told
  private static final String LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

  private final ByteBuffer bytes;
  private final Way way;
  private final boolean isPublic;
  private final int[] lengths; // null: any

  private KeyFile(ByteBuffer bytes, Way way, boolean isPublic) throws NoKey {
    this.bytes = bytes;
    this.way = way;
    this.isPublic = isPublic;
    lengths = way == null ? null : (isPublic ? PUBLIC_LENGTHS : SECRET_LENGTHS).get(way);
    if (way != null && lengths == null) {
      throw new NoKey("there is no public key of " + way);
    }
  }

  static Secret readSecret(Path path, Way way, Readers readers) throws IOException {
    try (Secret whole = Secret.read(path, readers)) {
      ByteBuffer memory = whole.memory().limit(whole.length());
      Found found = new KeyFile(memory, way, false).find(new Place(0, whole.length()));
      Secret key = new Secret(memory.slice(found.place.start(), found.place.length()));
      if (found.encoded != null && !found.encoded.isPair(memory, key)) {
        key.close();
        throw new NoKey(NoKey.OTHER_PAIR);
      }
      return key;
    } catch (NoKey fault) {
      throw failure(path, fault);
    }
  }

  static byte[] readPublic(Path path, Way way) throws IOException {
    try (Descriptor file = new Descriptor(path); Secret whole = Secret.read(file, path)) {
      ByteBuffer memory = whole.memory().limit(whole.length());
      Place place = new KeyFile(memory, way, true).find(new Place(0, whole.length())).place;
      byte[] key = new byte[place.length()];
      memory.get(place.start(), key);
      return key;
    } catch (NoKey fault) {
      throw failure(path, fault);
    }
  }

  private static IOException failure(Path path, NoKey fault) {
    String word = "'" + path.toString().replace("'", "'\\''") + "'";
    return new IOException(path + ": " + fault.getMessage().replace("{file}", word));
  }

  private record Found(Place place, EncodedKey encoded) {}

  private Found find(Place whole) throws NoKey {
    EncodedKey encoded;
    if (find("-----BEGIN ", 0, whole.end()) >= 0) {
      encoded = findInPem(whole.end());
    } else {
      Place text = decodeText(whole);
      Place place = text == null ? whole : text;
      try {
        encoded = EncodedKey.of(bytes, place);
      } catch (NoKey fault) {
        return bare(place, text != null, fault);
      }
    }
    if (way != null && encoded.way() != way) {
      throw new NoKey("its key is one of " + encoded.way() + ", not of " + way);
    }
    if (encoded.isPublic() != isPublic) {
      throw new NoKey(isPublic ? NoKey.PRIVATE : NoKey.PUBLIC);
    }
    return new Found(encoded.key(), encoded);
  }

  /** A key that is neither PEM nor DER, by its length. */
  private Found bare(Place place, boolean isText, NoKey fault) throws NoKey {
    if (isBeginningOfDer(place)) {
      throw isText ? NoKey.form() : fault;
    }
    if (lengths != null && has(lengths, place.length())) {
      return new Found(place, null);
    }
    String name = isText || fault.isForm() ? name(place) : fault.getMessage();
    if (place.length() == 0 || !name.equals(NoKey.FORM)) {
      throw new NoKey(name);
    }
    if (lengths != null) {
      String wanted = lengths.length == 0 ? "PEM or DER" : String.join(" or ",
          IntStream.of(lengths).mapToObj(Integer::toString).toList()) + " bytes";
      throw new NoKey("it has " + place.length() + " bytes: a key of " + way + " has " + wanted);
    }
    return new Found(place, null);
  }

  /** Whether bytes begin as the DER of a key does, which is cut then: no part of it is a key. */
  private boolean isBeginningOfDer(Place place) {
    // Identifiers of algorithms; SEC 1; PKCS#1.
    List<String> begins = List.of("\6\3\53\145", "\6\7\52\206", "\6\11\52\206", "\2\1\1\4\40", "\2\1\0\2\202");
    int end = Math.min(place.end(), place.start() + 24);
    return place.length() > 0 && octet(place.start()) == Der.SEQUENCE
        && begins.stream().anyMatch(begin -> find(begin, place.start(), end) > 0);
  }

  // ---- Text --------------------------------------------------------------------------------------------------------

  /** Decodes hexadecimal digits and base64url. Returns where the bytes are; null of what is neither. */
  private Place decodeText(Place place) throws NoKey {
    if (all(place, octet -> isSpace(octet) || Character.digit(octet, 16) >= 0)) {
      return decode(place, 4, "");
    }
    if (!all(place, octet -> isSpace(octet) || octet == '=' || value(octet, "-_") >= 0)) {
      return null;
    }
    String name = name(place);
    if (!name.equals(NoKey.FORM)) {
      throw new NoKey(name);
    }
    int count = (int) IntStream.range(place.start(), place.end()).filter(i -> value(octet(i), "-_") >= 0).count();
    // Bare bytes may all be characters of base64url. Where no way is told, it has the length of a key.
    boolean isKey = lengths == null ? !has(KEYS, place.length()) && has(KEYS, count * 3 / 4)
        : !has(lengths, place.length());
    return isKey ? decode(place, 6, "-_") : null;
  }

  /** Decodes digits of some bits in place. Space between them is skipped, and so is the padding of base64. */
  private Place decode(Place place, int size, String last) throws NoKey {
    int written = place.start();
    int value = 0;
    int bits = 0;
    int padding = 0;
    for (int i = place.start(); i < place.end(); i++) {
      int octet = octet(i);
      if (isSpace(octet)) {
        continue;
      }
      if (octet == '=' && size == 6) {
        padding++;
        continue;
      }
      int digit = size == 4 ? Character.digit(octet, 16) : value(octet, last);
      if (digit < 0 || padding > 0) {
        throw NoKey.form();
      }
      value = value << size | digit;
      bits += size;
      if (bits >= 8) {
        bits -= 8;
        bytes.put(written++, (byte) (value >> bits));
        value &= (1 << bits) - 1;
      }
    }
    if (size == 4 && bits != 0) {
      throw new NoKey(NoKey.ODD);
    }
    // What is left of the last digit is zero, and a group of base64 is filled up; base64url's need not be.
    boolean isFilled = padding == (bits == 0 ? 0 : bits == 2 ? 1 : 2);
    if (value != 0 || bits == 6 || !(isFilled || last.equals("-_") && padding == 0)) {
      throw NoKey.form();
    }
    return new Place(place.start(), written);
  }

  /** What a text is that holds another thing than a key. */
  private String name(Place place) {
    int start = place.start();
    while (start < place.end() && isSpace(octet(start))) {
      start++;
    }
    byte[] first = new byte[Math.min(11, place.end() - start)];
    bytes.get(start, first);
    String begin = new String(first, StandardCharsets.ISO_8859_1);
    // Bare bytes are hardly ever such a text.
    if (begin.matches("(?s)\u00ff\u00fe.\0.\0.*")) {
      return NoKey.UTF16;
    }
    if (begin.matches("(?s)\\{[\" \n].*") && "}\n".indexOf(octet(place.end() - 1)) >= 0) {
      return NoKey.JSON;
    }
    if (begin.startsWith("ssh-") || begin.startsWith("ecdsa-sha2-")) {
      return NoKey.OPENSSH_PUBLIC;
    }
    boolean isDecorated = place.length() > 1
        && all(place, octet -> isSpace(octet) || Character.digit(octet, 16) >= 0 || "xX:,-".indexOf(octet) >= 0);
    return isDecorated ? NoKey.DECORATED : NoKey.FORM;
  }

  /** The key that serves, of several; if none does, the first one. There may be text around the blocks. */
  private EncodedKey findInPem(int end) throws NoKey {
    EncodedKey first = null;
    NoKey fault = null;
    int at = 0;
    for (int begin; (begin = find("-----BEGIN ", at, end)) >= 0; ) {
      int labelEnd = find("-----", begin + 11, Math.min(begin + 80, end));
      byte[] label = new byte[Math.max(labelEnd - begin - 11, 0)];
      bytes.get(begin + 11, label);
      String name = new String(label, StandardCharsets.ISO_8859_1);
      int close = name.isEmpty() ? -1 : find("-----END " + name + "-----", begin, end);
      if (close < 0) {
        throw NoKey.form();
      }
      at = close + label.length + 14;
      if (name.endsWith("PARAMETERS")) {
        continue;
      }
      try {
        EncodedKey found = findInBlock(name, new Place(labelEnd + 5, close));
        if (found.isPublic() == isPublic && (way == null || way == found.way())) {
          return found;
        }
        first = first == null ? found : first;
      } catch (NoKey error) {
        fault = fault == null ? error : fault;
      }
    }
    // A key under a password says more than the certificate before it.
    if (fault != null || first == null) {
      throw fault != null ? fault : NoKey.form();
    }
    return first;
  }

  private EncodedKey findInBlock(String label, Place digits) throws NoKey {
    switch (label) {
      case "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST":
        throw new NoKey(NoKey.REQUEST);
      case "ENCRYPTED PRIVATE KEY":
        throw new NoKey(NoKey.PASSWORD);
      case "RSA PUBLIC KEY":
        throw new NoKey(NoKey.RSA_PUBLIC);
      case "OPENSSH PRIVATE KEY":
        throw new NoKey(NoKey.OPENSSH);
      case "PKCS7", "CMS":
        throw new NoKey(NoKey.PKCS7);
      default:
    }
    // The older way to encrypt a key has lines in front of the digits.
    if (find("Proc-Type:", digits.start(), digits.end()) >= 0) {
      throw new NoKey(NoKey.PASSWORD);
    }
    return EncodedKey.of(bytes, decode(digits, 6, "+/"));
  }

  private int find(String text, int start, int end) {
    for (int i = start; i <= end - text.length(); i++) {
      int at = i;
      if (IntStream.range(0, text.length()).allMatch(place -> octet(at + place) == text.charAt(place))) {
        return i;
      }
    }
    return -1;
  }

  private interface Kind {
    boolean has(int octet);
  }

  private boolean all(Place place, Kind kind) {
    return IntStream.range(place.start(), place.end()).allMatch(i -> kind.has(octet(i)));
  }

  private int octet(int place) {
    return bytes.get(place) & 0xff;
  }

  private static int value(int octet, String last) {
    int place = LETTERS.indexOf(octet);
    return place >= 0 ? place : last.indexOf(octet) < 0 ? -1 : 62 + last.indexOf(octet);
  }

  private static boolean isSpace(int octet) {
    return octet == ' ' || octet >= '\t' && octet <= '\r';
  }

  private static boolean has(int[] values, int wanted) {
    return IntStream.of(values).anyMatch(each -> each == wanted);
  }
}
