// What a verifier string says, and whether it is one.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardHashes
import KeyboardSHA2
import KeyboardStretching
import KeyboardText

/// The forms of verifiers.
///
///     $argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>     the PHC form; what the library makes. Others write m, p, t
///     $sha256d$<64 digits>                             SHA-256 of the 32 bytes of SHA-256; for import only
///     $sha256x2$<64 digits>                            SHA-256 of the 64 lower-case digits of SHA-256; for import only
///
/// A server's database may be hostile, so the costs have bounds. Every text is accepted in one way of writing, except
/// that m, t and p come in any order, and that the digits of the import forms may be in either case.
///
/// - Source: RFC 9106; github.com/P-H-C/phc-string-format.
enum VerifierForm: Equatable {
  case argon2id(Argon2id, saltCount: Int, hashCount: Int)
  case sha256Twice
  case sha256OfDigits

  static var saltCounts: ClosedRange<Int> { 8...64 }
  static var hashCounts: ClosedRange<Int> { 16...64 }

  /// Reads a whole text.
  ///
  /// - Parameters:
  ///   - salt, hash: get up to 64 bytes each; they mean nothing if this throws.
  /// - Throws: `.argument`, which says what is not accepted.
  /// - Timing: depends on the text, but not on the bytes of its salt and hash.
  @inline(never)
  init(
    _ text: UnsafeRawBufferPointer, salt: UnsafeMutableRawPointer, hash: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    var reader = VerifierReader(text)
    if reader.skip("$argon2id$") {
      let costs = try reader.costs()
      guard let saltCount = reader.base64(into: salt, byteCounts: Self.saltCounts), reader.skip("$"),
        let hashCount = reader.base64(into: hash, byteCounts: Self.hashCounts), reader.isAtEnd
      else { throw .argument(.verifierLengths) }
      self = .argon2id(costs, saltCount: saltCount, hashCount: hashCount)
    } else {
      guard let form = reader.importForm() else { throw .argument(reader.otherForm()) }
      guard reader.digits(into: hash), reader.isAtEnd else { throw .argument(.verifierDigits) }
      self = form
    }
  }
}

extension VerifierForm {
  /// - Throws: `.argument` for a pepper with a form for import.
  func check(_ pepper: UnsafeRawBufferPointer) throws(KeyboardError) {
    if case .argon2id = self { return }
    guard pepper.isEmpty else { throw .argument(.verifierPepper) }
  }
}

/// The rest of a text.
private struct VerifierReader {
  private var place: UnsafeRawPointer?
  private var left: Int

  init(_ text: UnsafeRawBufferPointer) {
    place = text.baseAddress
    left = text.count
  }

  var isAtEnd: Bool { left == 0 }

  /// The character `offset` further on, or 0 behind the end.
  private func character(_ offset: Int = 0) -> UInt8 {
    guard let place, offset < left else { return 0 }
    return place.load(fromByteOffset: offset, as: UInt8.self)
  }

  private mutating func advance(_ count: Int) {
    place = place.map { $0 + count }
    left -= count
  }

  @inline(never)
  mutating func skip(_ literal: StaticString) -> Bool {
    let count = literal.utf8CodeUnitCount
    guard count <= left else { return false }
    for i in 0..<count where character(i) != literal.utf8Start[i] { return false }
    advance(count)
    return true
  }

  mutating func importForm() -> VerifierForm? {
    if skip("$sha256d$") { return .sha256Twice }
    if skip("$sha256x2$") { return .sha256OfDigits }
    return nil
  }

  /// What a text is that has another form.
  mutating func otherForm() -> KeyboardError.ArgumentCause {
    if skip("$2") { return .bcrypt }
    if skip("$argon2i$") || skip("$argon2d$") { return .argon2Variant }
    return character() == UInt8(ascii: "$") && left > 1 ? .otherVerifier : .verifier
  }

  /// The version and the three costs, each once and in any order, up to the salt.
  ///
  /// - Throws: `.argument` also for the parameters `keyid` and `data`.
  /// - Source: github.com/P-H-C/phc-string-format, argon2-spec.md; a text of version 16 has no version in it.
  mutating func costs() throws(KeyboardError) -> Argon2id {
    guard skip("v=19$") else {
      throw .argument(skip("v=") || skip("m=") || skip("t=") || skip("p=") ? .argon2Version : .verifier)
    }
    var (memorySize, passCount, laneCount) = (0, 0, 0)  // 0: not read yet
    repeat {
      var number: Int?
      if memorySize == 0, skip("m=") {
        number = self.number(in: 8...Argon2id.mostMemory)
        memorySize = number ?? 0
      } else if passCount == 0, skip("t=") {
        number = self.number(in: 1...Argon2id.mostWork)
        passCount = number ?? 0
      } else if laneCount == 0, skip("p=") {
        number = self.number(in: 1...Argon2id.mostLanes)
        laneCount = number ?? 0
      } else if skip("keyid=") {
        throw .argument(.verifierKeyID)
      } else if skip("data=") {
        throw .argument(.verifierData)
      }
      guard number != nil else { throw .argument(.verifierCosts) }
    } while skip(",")
    guard skip("$"), laneCount > 0, passCount > 0, memorySize >= 8 * laneCount,
      memorySize * passCount <= Argon2id.mostWork
    else { throw .argument(.verifierCosts) }
    return Argon2id(memorySize: memorySize, passCount: passCount, laneCount: laneCount)
  }

  /// A decimal number without a sign or leading zeros.
  @inline(never)
  mutating func number(in range: ClosedRange<Int>) -> Int? {
    guard character() != UInt8(ascii: "0") else { return nil }
    var number = 0
    while character() >= UInt8(ascii: "0"), character() <= UInt8(ascii: "9") {
      number = 10 * number + Int(character() - UInt8(ascii: "0"))
      guard number <= range.upperBound else { return nil }
      advance(1)
    }
    return number >= range.lowerBound ? number : nil
  }

  /// Base64 up to the next `$` or the end.
  ///
  /// - Returns: how many bytes it has.
  @inline(never)
  mutating func base64(into bytes: UnsafeMutableRawPointer, byteCounts: ClosedRange<Int>) -> Int? {
    var length = 0
    while length < left, character(length) != UInt8(ascii: "$") { length += 1 }
    let memory = UnsafeMutableRawBufferPointer(start: bytes, count: byteCounts.upperBound)
    guard let count = Base64.standard.decode(next(length), into: memory), count >= byteCounts.lowerBound else {
      return nil
    }
    advance(length)
    return count
  }

  /// 64 hexadecimal digits.
  @inline(never)
  mutating func digits(into bytes: UnsafeMutableRawPointer) -> Bool {
    let length = 2 * SHA256.digestSize
    guard left >= length, Hexadecimal.decode(next(length), into: bytes) else { return false }
    advance(length)
    return true
  }

  private func next(_ count: Int) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: place, count: count) }
}
