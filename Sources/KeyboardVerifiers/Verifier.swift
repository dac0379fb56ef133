// Verifiers: what a server stores in place of a password, to check it later.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardHashes
import KeyboardMemory
import KeyboardSHA2
import KeyboardStretching
import KeyboardText

/// Lends a password to `read`, once and for a moment: the lender has a copy in the clear only while `read` runs. A
/// verifier asks for all that it needs for `read` before, and for Argon2id's memory, which takes long, after it.
package typealias PasswordLender = (_ read: (UnsafeRawBufferPointer) -> Void) throws(KeyboardError) -> Void

/// The computation of a verifier, in a workspace. Argon2id's own memory is elsewhere, while it computes.
///
/// The pepper is an input of Argon2id (its secret), so that every library with RFC 9106's secret can check a verifier
/// that was made here.
package struct Verifier: ~Copyable {
  let workspace: Workspace
  private let scratch: UnsafeMutableRawPointer
  /// The string that is made or checked.
  private let text: UnsafeMutableRawPointer
  let salt: UnsafeMutableRawPointer
  private let pepper: UnsafeMutableRawPointer
  /// The hash in the string.
  private let expected: UnsafeMutableRawPointer
  /// The hash of the password.
  let hash: UnsafeMutableRawPointer
  /// A digest of SHA-256 in digits.
  private let digits: UnsafeMutableRawPointer

  /// - Throws: `.memory`.
  @inline(never)
  init() throws(KeyboardError) {
    workspace = try Workspace(.sealedText)
    var pieces = Pieces(workspace.memory, byteCount: Workspace.Size.sealedText.byteCount)
    scratch = pieces.take(max(Argon2id.scratchSize, SHA256.byteCount))
    text = pieces.take(Self.longestLength)
    salt = pieces.take(VerifierForm.saltCounts.upperBound)
    pepper = pieces.take(maximumPepperLength)
    expected = pieces.take(VerifierForm.hashCounts.upperBound)
    hash = pieces.take(VerifierForm.hashCounts.upperBound)
    digits = pieces.take(2 * SHA256.digestSize)
  }
}

// MARK: - Making

extension Verifier {
  private static var prefix: StaticString { "$argon2id$v=19$m=19456,t=2,p=1$" }

  /// What the prefix says.
  static var costs: Argon2id { .standard }
  static var saltSize: Int { 16 }
  static var hashSize: Int { 32 }

  /// The length of every string that `make` writes: 97.
  package static var length: Int {
    prefix.utf8CodeUnitCount + Base64.characterCount(byteCount: saltSize) + 1
      + Base64.characterCount(byteCount: hashSize)
  }

  /// Makes a verifier, with a salt of its own. Runs inside `Residue.whole`, and wipes the stack and the registers.
  ///
  /// - Parameters:
  ///   - password: lends any number of bytes.
  ///   - pepper: 0 … 64 bytes.
  ///   - output: gets `length` bytes, without a NUL.
  /// - Returns: false if a fork emptied the workspace in the middle. The child, which this is, must start again.
  /// - Throws: `.tooLong`, `.memory`, `.random`, what the lender throws; nothing is then written.
  /// - Timing: as Argon2id's.
  /// - Source: RFC 9106; github.com/P-H-C/phc-string-format.
  @inline(never)
  package static func make(
    of password: PasswordLender, pepper: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer
  ) throws(KeyboardError) -> Bool {
    guard pepper.count <= maximumPepperLength else { throw .tooLong(.pepper) }
    let verifier = try Verifier()
    try Residue.wiped { () throws(KeyboardError) in
      var stream = try verifier.workspace.randomStream(byteCount: saltSize)
      stream.fill(UnsafeMutableRawBufferPointer(start: verifier.salt, count: saltSize))
    }
    let hash = Hash(costs: costs, saltCount: saltSize, hashCount: hashSize)
    guard try verifier.make(hash, of: password, pepper: pepper) else { return false }
    try Residue.wiped { () throws(KeyboardError) in verifier.write() }
    guard !verifier.workspace.wasEmptied else { return false }
    output.copyMemory(from: verifier.text, byteCount: length)
    return !verifier.workspace.wasEmptied
  }

  struct Hash {
    let costs: Argon2id
    let saltCount, hashCount: Int
    /// RFC 9106's X; a verifier has none.
    var associatedData: StaticString = ""
  }

  /// Leaves the hash of a password in `hash`. The step that holds the password runs on a stack of its own.
  ///
  /// - Returns: false if a fork emptied Argon2id's memory.
  func make(
    _ form: Hash, of password: PasswordLender, pepper given: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    if let start = given.baseAddress { pepper.copyMemory(from: start, byteCount: given.count) }
    let salt = UnsafeRawBufferPointer(start: salt, count: form.saltCount)
    let secret = UnsafeRawBufferPointer(start: pepper, count: given.count)
    let data = UnsafeRawBufferPointer(
      start: form.associatedData.utf8Start, count: form.associatedData.utf8CodeUnitCount)
    try Residue.keepingStack { stack throws(KeyboardError) in
      try password { password in
        let input = Argon2id.Input(password: password, salt: salt, secret: secret, associatedData: data)
        stack.run { form.costs.take(input, tagSize: form.hashCount, scratch: scratch) }
      }
    }
    let output = UnsafeMutableRawBufferPointer(start: hash, count: form.hashCount)
    return try form.costs.run(scratch: scratch, into: output)
  }

  private func write() {
    var place = text
    let prefix = Self.prefix
    place.copyMemory(from: prefix.utf8Start, byteCount: prefix.utf8CodeUnitCount)
    place += prefix.utf8CodeUnitCount
    Base64.standard.encode(UnsafeRawBufferPointer(start: salt, count: Self.saltSize), into: place)
    place += Base64.characterCount(byteCount: Self.saltSize)
    place.storeBytes(of: UInt8(ascii: "$"), as: UInt8.self)
    Base64.standard.encode(UnsafeRawBufferPointer(start: hash, count: Self.hashSize), into: place + 1)
  }
}

// MARK: - Checking

extension Verifier {
  /// The longest string that `check` accepts: 207.
  package static var longestLength: Int {
    let punctuation: StaticString = "$argon2id$v=19$m=,t=,p=$$"
    let digits = 8 + 2  // of m and t together, whose product has a bound, and of p
    return punctuation.utf8CodeUnitCount + digits
      + Base64.characterCount(byteCount: VerifierForm.saltCounts.upperBound)
      + Base64.characterCount(byteCount: VerifierForm.hashCounts.upperBound)
  }

  /// Checks a password. Runs inside `Residue.whole`, and wipes the stack and the registers.
  ///
  /// - Parameters:
  ///   - string: any bytes, copied before they are looked at; without a NUL.
  ///   - password: lends any number of bytes.
  ///   - pepper: 0 … 64 bytes. The two forms for import take none: with one of them, an attacker who can write the
  ///     database could avoid the pepper.
  /// - Returns: whether it is the verifier's password; nil if a fork emptied the workspace in the middle. The child,
  ///   which this is, must start again.
  /// - Throws: `.argument` if the text is not a verifier, `.tooLong` for the pepper, in this order; `.memory`;
  ///   what the lender throws.
  /// - Timing: depends on the form, its costs and the lengths, and as Argon2id's on the password; not on the hash, up
  ///   to the verdict.
  /// - Source: RFC 9106; github.com/P-H-C/phc-string-format.
  @inline(never)
  package static func check(
    _ string: UnsafeRawBufferPointer, password: PasswordLender, pepper: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool? {
    let verifier = try Verifier()
    guard let form = try verifier.read(string, pepper: pepper) else { return nil }
    let isRight: Bool
    switch form {
    case .argon2id(let costs, let saltCount, let hashCount):
      guard pepper.count <= maximumPepperLength else { throw .tooLong(.pepper) }
      let hash = Hash(costs: costs, saltCount: saltCount, hashCount: hashCount)
      guard try verifier.make(hash, of: password, pepper: pepper) else { return nil }
      isRight = try Residue.wiped { () throws(KeyboardError) in verifier.isExpected(hashCount) }
    case .sha256Twice, .sha256OfDigits:
      try Residue.keepingStack { stack throws(KeyboardError) in
        try password { bytes in stack.run { verifier.digestTwice(bytes, inDigits: form == .sha256OfDigits) } }
      }
      isRight = try Residue.wiped { () throws(KeyboardError) in verifier.isExpected(SHA256.digestSize) }
    }
    return verifier.workspace.wasEmptied ? nil : isRight
  }

  /// Checks the string, and whether a pepper may go with it; computes nothing.
  ///
  /// - Throws: `.argument` as `check`; `.memory`.
  package static func checkForm(
    _ string: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    let length = min(string.count, longestLength)
    let (saltCount, hashCount) = (VerifierForm.saltCounts.upperBound, VerifierForm.hashCounts.upperBound)
    // On the stack, so that a malformed verifier is told even if there is no other memory.
    try Residue.contained { () throws(KeyboardError) in
      try withUnsafeTemporaryAllocation(
        byteCount: longestLength + saltCount + hashCount, alignment: 8
      ) { memory throws(KeyboardError) in
        let (salt, text) = (memory.baseAddress!, memory.baseAddress! + saltCount + hashCount)
        if let start = string.baseAddress { text.copyMemory(from: start, byteCount: length) }
        let form = try VerifierForm(
          UnsafeRawBufferPointer(start: text, count: length), salt: salt, hash: salt + saltCount)
        guard length == string.count else { throw .argument(.verifierLengths) }
        try form.check(pepper)
      }
    }
  }

  /// Takes the string, and checks whether the pepper may go with it.
  ///
  /// - Returns: nil if a fork emptied the workspace.
  @inline(never)
  private func read(
    _ string: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> VerifierForm? {
    guard string.count <= Self.longestLength else { throw .argument(.verifierLengths) }
    if let start = string.baseAddress { text.copyMemory(from: start, byteCount: string.count) }
    do throws(KeyboardError) {
      let form = try VerifierForm(UnsafeRawBufferPointer(start: text, count: string.count), salt: salt, hash: expected)
      guard !workspace.wasEmptied else { return nil }
      try form.check(pepper)
      return form
    } catch {
      if workspace.wasEmptied { return nil }
      throw error
    }
  }

  /// SHA-256 of SHA-256, or of its 64 lower-case digits.
  private func digestTwice(_ password: UnsafeRawBufferPointer, inDigits: Bool) {
    digest(password)
    if inDigits {
      Hexadecimal.encode(UnsafeRawBufferPointer(start: hash, count: SHA256.digestSize), into: digits)
      digest(UnsafeRawBufferPointer(start: digits, count: 2 * SHA256.digestSize))
    } else {
      digest(UnsafeRawBufferPointer(start: hash, count: SHA256.digestSize))
    }
  }

  private func digest(_ message: UnsafeRawBufferPointer) {
    let sha256 = SHA256(at: scratch)
    if let start = message.baseAddress { sha256.absorb(start, count: message.count) }
    sha256.finish(into: hash)
  }

  /// Compares whole hashes, whatever is in them.
  private func isExpected(_ byteCount: Int) -> Bool {
    ConstantTime.isEqual(hash, expected, count: byteCount)
  }
}
