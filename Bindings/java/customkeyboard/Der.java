// SPDX-License-Identifier: Apache-2.0
package customkeyboard;

import java.nio.ByteBuffer;
import java.util.StringJoiner;

/**
 * Elements of the distinguished encoding rules of ASN.1 (ITU-T X.690), one after another, where the bytes are. Lengths
 * that are longer than needed, or past the end, are faults.
 */
final class Der {
  static final int INTEGER = 0x02;
  static final int BITS = 0x03;
  static final int OCTETS = 0x04;
  static final int NULL = 0x05;
  static final int OBJECT = 0x06;
  static final int SEQUENCE = 0x30;
  static final int ZEROTH = 0xa0; // [0], with elements in it
  static final int FIRST = 0xa1; // [1], the same
  static final int FIRST_BITS = 0x81; // [1], with the bytes of a bit string in it

  /** A part of the buffer. */
  record Place(int start, int end) {
    int length() {
      return end - start;
    }
  }

  private final ByteBuffer bytes;
  private final int end;
  private int at;

  Der(ByteBuffer bytes, Place place) {
    this.bytes = bytes;
    at = place.start;
    end = place.end;
  }

  int position() {
    return at;
  }

  boolean follows(int tag) {
    return at < end && octet(at) == tag;
  }

  /** The contents of the next element. */
  Place take(int tag) throws NoKey {
    if (!follows(tag) || at + 2 > end) {
      throw NoKey.form();
    }
    int length = octet(at + 1);
    int start = at + 2;
    if (length >= 0x80) {
      int count = length - 0x80;
      if (count < 1 || count > 2 || start + count > end) {
        throw NoKey.form();
      }
      length = count == 1 ? octet(start) : octet(start) << 8 | octet(start + 1);
      start += count;
      if (length < (count == 1 ? 0x80 : 0x100)) {
        throw NoKey.form();
      }
    }
    if (start + length > end) {
      throw NoKey.form();
    }
    at = start + length;
    return new Place(start, at);
  }

  Der inside(int tag) throws NoKey {
    return new Der(bytes, take(tag));
  }

  int version() throws NoKey {
    Place number = take(INTEGER);
    if (number.length() != 1) {
      throw NoKey.form();
    }
    return octet(number.start);
  }

  /** The bytes of a bit string that has whole bytes. */
  Place bits(int tag) throws NoKey {
    Place place = take(tag);
    if (place.length() == 0 || octet(place.start) != 0) {
      throw NoKey.form();
    }
    return new Place(place.start + 1, place.end);
  }

  /** An object identifier, as people write it. */
  String name() throws NoKey {
    StringJoiner numbers = new StringJoiner(".");
    Place place = take(OBJECT);
    long value = 0;
    for (int i = place.start; i < place.end; i++) {
      value = value << 7 | octet(i) & 0x7f;
      if (octet(i) < 0x80) {
        if (numbers.length() == 0) {
          long first = Math.min(value / 40, 2);
          numbers.add(Long.toString(first));
          value -= 40 * first;
        }
        numbers.add(Long.toString(value));
        value = 0;
      }
    }
    return numbers.toString();
  }

  void finish() throws NoKey {
    if (at != end) {
      throw NoKey.form();
    }
  }

  private int octet(int place) {
    return bytes.get(place) & 0xff;
  }
}
