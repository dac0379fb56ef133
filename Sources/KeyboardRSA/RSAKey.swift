// Keys of RSA as X.509 and PKCS#8 or PKCS#1 write them: a strict reader of just these three forms of DER.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes

/// A key of RSA whose form was checked: a view of its DER, which must not change meanwhile.
///
/// The modulus is odd and has 2048 to 4096 bits; the exponent is odd, and 3 to 2⁶⁴ − 1. Every length and number is
/// written in its shortest form, and no bytes follow. Nothing is computed, so nothing that an attacker chooses takes
/// long. `RSAKey+Check.swift` tells whether a private key's numbers belong together.
///
/// - Throws: `.key(.value)`, for every fault.
/// - Timing: for a private key, depends on the lengths of its numbers, and on whether their first bits are zero.
/// - Source: RFC 8017 A.1; RFC 5280 §4.1, RFC 3279 §2.3.1 (SubjectPublicKeyInfo); RFC 5208 §5 (PKCS#8).
struct RSAKey {
  private(set) var modulus: DERNumber
  /// Public.
  private(set) var exponent: UInt64
  /// The rest of a private key, in PKCS#1's order. In a public key it is empty.
  private(set) var privateExponent: DERNumber
  private(set) var p, q, exponentP, exponentQ, coefficient: DERNumber

  /// Bytes in the modulus, and so in a text and in a signature.
  var length: Int { modulus.count }

  /// Bits in the modulus.
  var bits: Int { 8 &* length &- modulus.start[0].leadingZeroBitCount }

  /// Bits that a prime has at most.
  var primeBits: Int { (bits &+ 1) &>> 1 }

  /// - Parameter subjectPublicKeyInfo: DER.
  init(subjectPublicKeyInfo: UnsafeRawBufferPointer) throws(KeyboardError) {
    var reader = DERReader(subjectPublicKeyInfo)
    self.init(nothingIn: reader)
    reader.enter(.sequence)
    reader.skipAlgorithm()
    reader.enter(.bitString)
    reader.skip(0)  // no bits are missing from the last byte
    reader.enter(.sequence)
    try readPublicPart(&reader)
    guard reader.isAtEnd else { throw .key(.value) }
  }

  /// - Parameter privateKey: PKCS#8 without attributes, or PKCS#1, in DER; of two primes.
  init(privateKey: UnsafeRawBufferPointer) throws(KeyboardError) {
    var reader = DERReader(privateKey)
    self.init(nothingIn: reader)
    reader.enter(.sequence)
    reader.skipVersion()
    if reader.next(is: .sequence) {
      reader.skipAlgorithm()
      reader.enter(.octetString)
      reader.enter(.sequence)
      reader.skipVersion()
    }
    try readPublicPart(&reader)
    privateExponent = reader.number()
    p = reader.number()
    q = reader.number()
    exponentP = reader.number()
    exponentQ = reader.number()
    coefficient = reader.number()
    guard reader.isAtEnd else { throw .key(.value) }
  }

  private init(nothingIn reader: DERReader) {
    let none = reader.nothing
    (modulus, exponent, privateExponent) = (none, 0, none)
    (p, q, exponentP, exponentQ, coefficient) = (none, none, none, none, none)
  }

  /// What both keys begin with: the modulus and the exponent.
  private mutating func readPublicPart(_ reader: inout DERReader) throws(KeyboardError) {
    modulus = reader.number()
    let number = reader.number()
    guard RSA.lengths.contains(length), length > RSA.lengths.lowerBound || modulus.start[0] >= 0x80, modulus.isOdd,
      number.isOdd, number.count <= 8, number.count > 1 || number.start[0] >= 3
    else { throw .key(.value) }
    for i in 0..<number.count { exponent = exponent &<< 8 | UInt64(number.start[i]) }
  }
}

/// A positive number where a key's DER has it: big-endian, without leading zeros.
struct DERNumber {
  let start: UnsafePointer<UInt8>
  let count: Int

  fileprivate var isOdd: Bool { count > 0 && start[count - 1] & 1 == 1 }
}

/// Reads the distinguished encoding rules of ASN.1, as far as keys of RSA need them, where the bytes are. In these keys
/// every element that has elements is the last of the one around it, but for the algorithm, which is always the same:
/// so there is one place to read at, and one end.
///
/// After a fault the reader is at no end any more, and all that it reads is empty.
///
/// - Source: ITU-T X.690 §8, §10.
private struct DERReader {
  private var next: UnsafePointer<UInt8>
  private var left: Int
  private var isRight = true

  struct Tag {
    let byte: UInt8

    static var integer: Tag { Tag(byte: 0x02) }
    static var bitString: Tag { Tag(byte: 0x03) }
    static var octetString: Tag { Tag(byte: 0x04) }
    static var sequence: Tag { Tag(byte: 0x30) }
  }

  init(_ bytes: UnsafeRawBufferPointer) {
    next = bytes.baseAddress!.assumingMemoryBound(to: UInt8.self)
    left = bytes.count
  }

  var isAtEnd: Bool { isRight && left == 0 }

  var nothing: DERNumber { DERNumber(start: next, count: 0) }

  func next(is tag: Tag) -> Bool { left > 0 && next[0] == tag.byte }

  /// Goes into an element that reaches to the end.
  @inline(never)
  mutating func enter(_ tag: Tag) {
    if readHeader(tag) != left { fail() }
  }

  mutating func skip(_ byte: UInt8) {
    if readByte() != byte { fail() }
  }

  /// 0, in both forms of a private key.
  @inline(never)
  mutating func skipVersion() {
    if readHeader(.integer) != 1 { fail() }
    skip(0)
  }

  /// A sequence of rsaEncryption, 1.2.840.113549.1.1.1, and NULL: 15 bytes, compared as two words that overlap.
  @inline(never)
  mutating func skipAlgorithm() {
    let (size, bytes) = (15, UnsafeRawPointer(next))
    guard left >= size,
      UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) == 0x300d_0609_2a86_4886,
      UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 7, as: UInt64.self)) == 0x86f7_0d01_0101_0500
    else { return fail() }
    advance(size)
  }

  /// A positive number, without the zero byte that DER puts before a first bit of 1.
  @inline(never)
  mutating func number() -> DERNumber {
    var count = readHeader(.integer)
    if count > 0 && next[0] == 0 {
      skip(0)
      count -= 1
      if count == 0 || next[0] < 0x80 { fail() }  // 0, or a byte too many
    } else if count == 0 || next[0] >= 0x80 {  // no number, or a negative one
      fail()
    }
    guard isRight else { return nothing }
    defer { advance(count) }
    return DERNumber(start: next, count: count)
  }

  // MARK: Steps

  /// - Returns: how many bytes of contents follow, all of them before the end.
  @inline(never)
  private mutating func readHeader(_ tag: Tag) -> Int {
    skip(tag.byte)
    var count = Int(readByte())
    // One byte below 128; else how many bytes follow that have the length. No key has 65,536 bytes.
    switch count {
    case ..<0x80: break
    case 0x81:
      count = Int(readByte())
      if count < 0x80 { fail() }
    case 0x82:
      count = Int(readByte()) << 8
      count |= Int(readByte())
      if count < 0x100 { fail() }
    default: fail()
    }
    if count > left { fail() }
    return isRight ? count : 0
  }

  private mutating func readByte() -> UInt8 {
    guard left > 0 else {
      fail()
      return 0
    }
    defer { advance(1) }
    return next[0]
  }

  private mutating func advance(_ count: Int) {
    next += count
    left -= count
  }

  private mutating func fail() {
    isRight = false
    left = 0
  }
}
