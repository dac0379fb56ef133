// A decrypted password for Swift, in memory that is wiped: an Array or a String is not.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes
@_exported public import KeyboardECB
@_exported public import KeyboardMemory
@_exported public import KeyboardOPAQUE
@_exported public import KeyboardSealing
@_exported public import KeyboardSigning
@_exported public import KeyboardVerifiers

/// A decrypted password: 0 … 143 bytes at a random offset in locked memory, which is wiped when this value ends.
///
/// `decrypt(_:way:key:)` makes it. The C interface has no such type: a C program brings its own space.
public struct Password: ~Copyable, Sendable {
  /// So large that a password may be at many places in it.
  private static let slots = SecureSlots(byteCount: 2048)
  private let slot: SecureSlot
  private let range: Range<Int>

  /// The password's length in bytes.
  public var byteCount: Int { range.count }

  /// Lends the bytes, which are UTF-8 if a keyboard encrypted them. Do not copy them to memory that is not wiped.
  ///
  /// - Parameter body: gets the password's `byteCount` bytes, which exist until it returns.
  /// - Returns: what `body` returns.
  /// - Throws: what `body` throws.
  /// - Timing: nothing here depends on the bytes.
  public func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let memory = Self.slots.pin(slot)!  // This is the only owner: the slot lives as long as it does.
    defer { Self.slots.unpin(slot) }
    let bytes = UnsafeRawBufferPointer(start: memory + range.lowerBound, count: range.count)
    return try body(bytes.bindMemory(to: UInt8.self).span)
  }

  deinit { Self.slots.release(slot) }

  /// - Parameter fill: puts the password into the space, and says where it is.
  fileprivate init(
    _ fill: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int>
  ) throws(KeyboardError) {
    let slot = try Self.slots.allocate()
    do throws(KeyboardError) {
      let memory = Self.slots.pin(slot)!
      defer { Self.slots.unpin(slot) }
      let space = UnsafeMutableRawBufferPointer(start: memory, count: Self.slots.byteCount)
      range = try fill(space)
    } catch {
      Self.slots.release(slot)
      throw error
    }
    self.slot = slot
  }
}

/// Decrypts an ECB ciphertext to locked memory, and removes its PKCS#7 padding.
///
/// - Parameters:
///   - text: n · block size bytes, n ≥ 1; at most 144.
///   - way: the algorithm.
///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes.
/// - Returns: the password, 0 … n · block size − 1 bytes.
/// - Throws: `.key` and `.tooLong` for wrong lengths, before any secret is touched; `.undecryptable` for every fault of
///   the text's length or padding, one error on purpose; `.memory`, `.random`.
/// - Timing: depends on `text.count`, the password's length and the outcome (SM4); DES and 3DES look up tables.
/// - Source: GB/T 32907-2016 §7, FIPS 46-3; RFC 5652 §6.3.
/// - C: `CustomKeyboard_decrypt`.
public func decrypt(
  _ text: Span<UInt8>, way: EncryptionWay, key: Span<UInt8>
) throws(KeyboardError) -> Password {
  try text.withUnsafeBytes { text throws(KeyboardError) in
    try key.withUnsafeBytes { key throws(KeyboardError) in
      try Password { space throws(KeyboardError) in try decrypt(text, way: way, key: key, into: space) }
    }
  }
}

/// Opens a sealed text to locked memory.
///
/// - Parameters:
///   - text: a sealed text, whose length is one of `way.textLengths`.
///   - way: how it was sealed.
///   - key: the secret key, whose length is one of `way.secretKeyLengths`.
///   - context: what it was sealed for, 0 … 256 bytes. Take it from your own record, never from the message.
/// - Returns: the password, 0 … 128 bytes.
/// - Throws: `.tooLong` for the context, `.key` for a wrong length or value; `.undecryptable` for every fault of the
///   text, one error on purpose; `.memory`, `.random`.
/// - Timing: nothing depends on the key or on what it gives, up to the verdict; then on the password's length. As
///   the other `unseal` for AES-GCM and `rsa`.
/// - Source: RFC 9180, RFC 8998, GB/T 32918.4-2016, RFC 8017.
/// - C: `CustomKeyboard_unseal`.
public func unseal(
  _ text: Span<UInt8>, way: SealingWay, key: Span<UInt8>, context: Span<UInt8>
) throws(KeyboardError) -> Password {
  try text.withUnsafeBytes { text throws(KeyboardError) in
    try key.withUnsafeBytes { key throws(KeyboardError) in
      try context.withUnsafeBytes { context throws(KeyboardError) in
        try Password { space throws(KeyboardError) in
          try unseal(text, way: way, key: key, context: context, into: space)
        }
      }
    }
  }
}
