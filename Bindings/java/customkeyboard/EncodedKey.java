// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import customkeyboard.Der.Place;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * Where a key is in its DER, and what it is.
 *
 * <p>Sources: RFC 5280 §4.1 and RFC 5480 (SubjectPublicKeyInfo), RFC 5958 (PKCS#8), RFC 5915 (SEC 1), RFC 8410
 * (X25519), RFC 8017 (PKCS#1).
 *
 * @param key of a public key of RSA all of it
 * @param publicKey beside a private key: the point, or of RSA RSAPublicKey; null if it is not there
 */
record EncodedKey(Way way, boolean isPublic, Place key, Place publicKey) {
  private static final String CURVE_KEY = "1.2.840.10045.2.1";
  private static final String PSS = "1.2.840.113549.1.1.10";
  private static final Map<String, Way> ALGORITHMS =
      Map.of("1.3.101.110", Way.X25519, "1.2.840.113549.1.1.1", Way.RSA);
  private static final Map<String, Way> CURVES =
      Map.of("1.2.840.10045.3.1.7", Way.P256, "1.2.156.10197.1.301", Way.SM2);
  private static final Map<String, String> OTHERS = Map.of("1.3.101.111", "X448", "1.3.101.112", "Ed25519",
      "1.3.101.113", "Ed448", "1.3.132.0.34", "P-384", "1.3.132.0.35", "P-521", "1.3.132.0.10", "secp256k1",
      "1.2.840.10040.4.1", "DSA");

  /** The key in DER, of a certificate too. */
  static EncodedKey of(ByteBuffer bytes, Place place) throws NoKey {
    try {
      return bare(bytes, place);
    } catch (NoKey fault) {
      if (!fault.isForm()) {
        throw fault;
      }
    }
    Place inCertificate;
    try {
      Der inside = new Der(bytes, place).inside(Der.SEQUENCE).inside(Der.SEQUENCE);
      if (inside.follows(Der.ZEROTH)) {
        inside.take(Der.ZEROTH);
      }
      inside.take(Der.INTEGER);
      for (int i = 0; i < 4; i++) { // the signature's algorithm, the issuer, the dates, the subject
        inside.take(Der.SEQUENCE);
      }
      int start = inside.position();
      inCertificate = new Place(start, inside.take(Der.SEQUENCE).end());
    } catch (NoKey fault) {
      throw new NoKey(name(bytes, place));
    }
    return bare(bytes, inCertificate);
  }

  /** What DER is that holds another thing than a key. */
  private static String name(ByteBuffer bytes, Place place) {
    try {
      Der whole = new Der(bytes, place);
      Der outer = whole.inside(Der.SEQUENCE);
      whole.finish();
      if (outer.follows(Der.OBJECT)) {
        return NoKey.PKCS7;
      }
      if (!outer.follows(Der.INTEGER)) {
        Der contents = outer.inside(Der.SEQUENCE);
        return contents.version() == 0 && contents.follows(Der.SEQUENCE) ? NoKey.REQUEST : NoKey.FORM;
      }
      outer.take(Der.INTEGER);
      if (outer.follows(Der.SEQUENCE)) {
        return NoKey.PKCS12;
      }
      outer.take(Der.INTEGER);
      outer.finish();
      return NoKey.RSA_PUBLIC;
    } catch (NoKey fault) {
      return NoKey.FORM;
    }
  }

  private static EncodedKey bare(ByteBuffer bytes, Place place) throws NoKey {
    Der whole = new Der(bytes, place);
    Der key = whole.inside(Der.SEQUENCE);
    whole.finish();
    EncodedKey found;
    if (key.follows(Der.SEQUENCE)) {
      found = subject(key, bytes, place);
    } else {
      // PKCS#8 has version 0, or 1 if a public key is in it, and then a sequence. SEC 1 has version 1, and then the
      // key. PKCS#1 has version 0, and then numbers.
      int version = key.version();
      if (version > 1) {
        throw NoKey.form();
      }
      found = key.follows(Der.SEQUENCE) ? pkcs8(key, bytes) : version == 0 ? pkcs1(key, place) : sec1(key, null);
    }
    key.finish();
    return found;
  }

  private static EncodedKey subject(Der key, ByteBuffer bytes, Place place) throws NoKey {
    Way way = algorithm(key);
    Place point = key.bits(Der.BITS);
    if (way == Way.RSA) {
      return new EncodedKey(way, true, place, null);
    }
    if (way != Way.X25519 && point.length() == 33) {
      throw new NoKey(NoKey.COMPRESSED);
    }
    if (point.length() != (way == Way.X25519 ? 32 : 65)) {
      throw NoKey.form();
    }
    return new EncodedKey(way, true, point, null);
  }

  private static EncodedKey pkcs8(Der key, ByteBuffer bytes) throws NoKey {
    Way way = algorithm(key);
    Place contents = key.take(Der.OCTETS);
    Der inner = new Der(bytes, contents);
    if (key.follows(Der.ZEROTH)) { // attributes
      key.take(Der.ZEROTH);
    }
    Place beside = key.follows(Der.FIRST_BITS) ? key.bits(Der.FIRST_BITS) : null;
    EncodedKey found;
    if (way == Way.X25519) {
      found = new EncodedKey(way, false, inner.take(Der.OCTETS), null);
      if (found.key.length() != 32) {
        throw NoKey.form();
      }
    } else {
      Der elements = inner.inside(Der.SEQUENCE);
      if (elements.version() != (way == Way.RSA ? 0 : 1)) {
        throw NoKey.form();
      }
      found = way == Way.RSA ? pkcs1(elements, contents) : sec1(elements, way);
      elements.finish();
    }
    inner.finish();
    if (beside != null && found.publicKey != null && !same(bytes, beside, found.publicKey)) {
      throw new NoKey(NoKey.OTHER_PAIR);
    }
    return beside == null ? found : new EncodedKey(way, false, found.key, beside);
  }

  /** What follows the version: eight numbers. */
  private static EncodedKey pkcs1(Der key, Place place) throws NoKey {
    for (int i = 0; i < 8; i++) {
      key.take(Der.INTEGER);
    }
    return new EncodedKey(Way.RSA, false, place, null);
  }

  /** What follows the version; {@code named} is the curve that PKCS#8 names. */
  private static EncodedKey sec1(Der key, Way named) throws NoKey {
    Place scalar = key.take(Der.OCTETS);
    Way way = named;
    if (key.follows(Der.ZEROTH)) {
      Der parameters = key.inside(Der.ZEROTH);
      way = curve(parameters);
      parameters.finish();
      if (named != null && way != named) {
        throw NoKey.form();
      }
    }
    Place beside = null;
    if (key.follows(Der.FIRST)) {
      Der second = key.inside(Der.FIRST);
      beside = second.bits(Der.BITS);
      second.finish();
    }
    if (way == null || scalar.length() != 32) {
      throw NoKey.form();
    }
    return new EncodedKey(way, false, scalar, beside);
  }

  private static Way algorithm(Der key) throws NoKey {
    Der algorithm = key.inside(Der.SEQUENCE);
    String name = algorithm.name();
    Way way = ALGORITHMS.get(name);
    if (way == Way.RSA && algorithm.take(Der.NULL).length() != 0) {
      throw NoKey.form();
    }
    if (way == null) {
      if (!name.equals(CURVE_KEY)) {
        throw fault(name);
      }
      way = curve(algorithm);
    }
    algorithm.finish();
    return way;
  }

  private static Way curve(Der elements) throws NoKey {
    if (elements.follows(Der.SEQUENCE)) {
      throw new NoKey(NoKey.EXPLICIT);
    }
    String name = elements.name();
    Way way = CURVES.get(name);
    if (way == null) {
      throw fault(name);
    }
    return way;
  }

  /** What an algorithm or a curve is that the library does not have. */
  private static NoKey fault(String name) {
    if (name.equals(PSS)) {
      return new NoKey(NoKey.PSS);
    }
    if (name.startsWith("1.2.840.113549.1.5.") || name.startsWith("1.2.840.113549.1.12.1.")) {
      return new NoKey(NoKey.PASSWORD);
    }
    return new NoKey("its key is one of " + OTHERS.getOrDefault(name, name) + ", not of X25519, P-256, SM2 or RSA");
  }

  /** Whether the public key beside this private one is its own, as far as there is one. */
  boolean isPair(ByteBuffer bytes, Secret privateKey) {
    if (publicKey == null) {
      return true;
    }
    if (way == Way.RSA) {
      try {
        Der own = new Der(bytes, key).inside(Der.SEQUENCE);
        Der beside = new Der(bytes, publicKey).inside(Der.SEQUENCE);
        own.version();
        return same(bytes, own.take(Der.INTEGER), beside.take(Der.INTEGER))
            && same(bytes, own.take(Der.INTEGER), beside.take(Der.INTEGER));
      } catch (NoKey fault) {
        return false;
      }
    }
    byte[] own;
    try {
      own = CustomKeyboard.publicKey(way, privateKey);
    } catch (InvalidKeyException invalid) {
      return true; // The call that uses it tells that.
    }
    ByteBuffer written = bytes.duplicate().limit(publicKey.end()).position(publicKey.start());
    if (written.equals(ByteBuffer.wrap(own))) {
      return true;
    }
    // A point may be one coordinate, and the other's sign.
    return publicKey.length() == 33 && written.get(publicKey.start()) == 2 + (own[own.length - 1] & 1)
        && written.position(publicKey.start() + 1).equals(ByteBuffer.wrap(own, 1, 32));
  }

  private static boolean same(ByteBuffer bytes, Place one, Place other) {
    return bytes.duplicate().limit(one.end()).position(one.start())
        .equals(bytes.duplicate().limit(other.end()).position(other.start()));
  }
}
