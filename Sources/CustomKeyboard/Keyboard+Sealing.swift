// Sealed texts of a keyboard, for Swift.
// SPDX-License-Identifier: Apache-2.0

public import KeyboardCodes

/// The recipient of a sealed text: a public key that was checked, with the way it is for.
///
///     let bank = try Recipient.x25519(publicKey.span)
///     let text = try keyboard.seal(for: bank, context: challenge.span)
public struct Recipient: Sendable {
  let way: SealingWay
  let key: [UInt8]

  /// A key for X25519.
  ///
  /// - Parameter publicKey: 32 bytes, the u-coordinate of RFC 7748.
  /// - Throws: `.key` for another length, a number of 2²⁵⁵ − 19 or more, or a point of low order.
  public static func x25519(_ publicKey: Span<UInt8>) throws(KeyboardError) -> Recipient {
    try Recipient(publicKey, .x25519)
  }

  /// A key for P-256.
  ///
  /// - Parameter publicKey: 65 bytes, 04 ‖ x ‖ y.
  /// - Throws: `.key` for another length, or if the bytes are not a point of the curve.
  public static func p256(_ publicKey: Span<UInt8>) throws(KeyboardError) -> Recipient {
    try Recipient(publicKey, .p256)
  }

  /// A key for SM2.
  ///
  /// - Parameter publicKey: 65 bytes, 04 ‖ x ‖ y.
  /// - Throws: `.key` for another length, or if the bytes are not a point of the curve.
  public static func sm2(_ publicKey: Span<UInt8>) throws(KeyboardError) -> Recipient {
    try Recipient(publicKey, .sm2)
  }

  /// A key for RSA.
  ///
  /// - Parameter subjectPublicKeyInfo: DER, as `openssl pkey -pubout -outform DER` writes it; 2048 to 4096 bits.
  /// - Throws: `.key` for another length or form, an even modulus, or an exponent that is even, 1, or 2⁶⁴ or more.
  public static func rsa(_ subjectPublicKeyInfo: Span<UInt8>) throws(KeyboardError) -> Recipient {
    try Recipient(subjectPublicKeyInfo, .rsa)
  }

  /// A key for X-Wing, for texts that quantum computers cannot open either.
  ///
  /// - Parameter publicKey: 1216 bytes: the encapsulation key of ML-KEM-768, then the u-coordinate of X25519.
  /// - Throws: `.key` for another length, a coefficient of 3329 or more, or a key that `x25519` refuses.
  public static func xwing(_ publicKey: Span<UInt8>) throws(KeyboardError) -> Recipient {
    try Recipient(publicKey, .xwing)
  }

  private init(_ publicKey: Span<UInt8>, _ way: SealingWay) throws(KeyboardError) {
    try self.init(publicKey.withUnsafeBytes { [UInt8]($0) }, way)
  }

  init(_ key: [UInt8], _ way: SealingWay) throws(KeyboardError) {
    (self.way, self.key) = (way, key)
    try key.lend { key throws(KeyboardError) in try KeyboardHandle.checkPublicKey(key, of: way) }
  }
}

extension Keyboard {
  /// Seals what was typed, so that only the recipient can open it, only unaltered, and only in this context. The key
  /// and the context that were set do not matter. May be called again: no two texts are alike.
  ///
  /// - Parameters:
  ///   - recipient: the server's public key.
  ///   - context: the server's challenge and the purpose, 0 … 256 bytes. The server must know it and use it once.
  /// - Returns: the sealed text at a uniformly random offset in 2048 random bytes; send `bytes`. It has the same length
  ///   for every password.
  /// - Throws: `.operationDisabled` while the keyboard is not open; `.tooLong` for the context; `.memory`, `.random`.
  /// - Timing: constant; AES-GCM (P-256, X-Wing) looks up tables if the processor has no AES instructions.
  /// - Source: RFC 9180; FIPS 203, draft-connolly-cfrg-xwing-kem; GB/T 32918.4-2016, RFC 8998; RFC 8017.
  /// - C: `CustomKeyboard_sealTyped`, with a space of `CUSTOM_KEYBOARD_ENCDATASPACESIZE` bytes.
  public func seal(for recipient: Recipient, context: Span<UInt8>) throws(KeyboardError) -> EncryptedText {
    var space = [UInt8](repeating: 0, count: suggestedSpaceSize)
    let range = try space.lendMutable { space throws(KeyboardError) in
      try context.withUnsafeBytes { context throws(KeyboardError) in
        try recipient.key.lend { key throws(KeyboardError) in
          try keyboardHandle.seal(recipient.way, forChecked: key, context: context, into: space)
        }
      }
    }
    return EncryptedText(space: space, range: range)
  }

  /// Sets the key that passwords are sealed with by `getText`. It is kept when the keyboard is closed, until another
  /// key is set.
  ///
  /// - Parameters:
  ///   - key: the recipient's public key, whose length is one of `way.publicKeyLengths`; for `sm4GCM` the secret key.
  ///   - way: how to seal.
  /// - Throws: `.operationDisabled` while the keyboard is open; `.key` for a wrong length, no point of the curve, or
  ///   or bytes that are not a key of RSA;
  ///   `.memory`, `.random`. The old key then stays.
  /// - Timing: depends on whether it is a key; nothing depends on a secret key.
  /// - C: `CustomKeyboard_setEncKey`.
  public func setEncKey(_ key: Span<UInt8>, sealing way: SealingWay) throws(KeyboardError) {
    try key.withUnsafeBytes { key throws(KeyboardError) in try keyboardHandle.setEncKey(key, way: .sealed(way)) }
  }

  /// Sets what the next texts are sealed for, in every state. Only `close` forgets it: a challenge is for one use.
  /// Without this call `getText` makes no sealed text. ECB ways, and PIN blocks of format 1, take an empty context for
  /// none.
  ///
  /// - Parameter context: 0 … 256 bytes. No bytes are the empty context, which a server must not expect.
  /// - Throws: `.tooLong`; the old context then stays.
  /// - Timing: depends on `context.count` only.
  /// - C: `CustomKeyboard_setContext`.
  public func setContext(_ context: Span<UInt8>) throws(KeyboardError) {
    try context.withUnsafeBytes { context throws(KeyboardError) in try keyboardHandle.setContext(context) }
  }

  /// Opens an idle keyboard with the password of a sealed text, as if it had been typed there. A server then never
  /// holds a password in memory of its own.
  ///
  /// - Parameters:
  ///   - text: a sealed text.
  ///   - way: how it was sealed. Take it from your own record, never from the message.
  ///   - key: the secret key, whose length is one of `way.secretKeyLengths`.
  ///   - context: what it was sealed for, from your own record.
  /// - Throws: `.operationDisabled` while the keyboard is open; `.tooLong` for the context; `.key` for a wrong length
  ///   or value; `.undecryptable` for every fault of the text, and for a password that is not UTF-8; `.memory`,
  ///   `.random`. The keyboard is then idle.
  /// - Timing: as `unseal`; then it depends on the password's characters.
  /// - C: `CustomKeyboard_receive`.
  public func receive(
    _ text: Span<UInt8>, way: SealingWay, key: Span<UInt8>, context: Span<UInt8>
  ) throws(KeyboardError) {
    try text.withUnsafeBytes { text throws(KeyboardError) in
      try key.withUnsafeBytes { key throws(KeyboardError) in
        try context.withUnsafeBytes { context throws(KeyboardError) in
          try keyboardHandle.receive(text, way: .sealed(way), key: key, context: context)
        }
      }
    }
  }

  /// The same with an ECB text, which has no context.
  ///
  /// - Parameters:
  ///   - text: n · block size bytes, n ≥ 1; at most 144.
  ///   - way: the algorithm.
  ///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes.
  /// - Throws: `.operationDisabled` while the keyboard is open; `.tooLong` for a text over 144 bytes or a password over
  ///   128; `.key` for a wrong length; `.undecryptable`; `.memory`, `.random`. The keyboard is then idle.
  /// - Timing: as `decrypt`; then it depends on the password's characters.
  /// - C: `CustomKeyboard_receive`.
  public func receive(_ text: Span<UInt8>, way: EncryptionWay, key: Span<UInt8>) throws(KeyboardError) {
    try text.withUnsafeBytes { text throws(KeyboardError) in
      try key.withUnsafeBytes { key throws(KeyboardError) in
        try keyboardHandle.receive(
          text, way: .ecb(way), key: key, context: UnsafeRawBufferPointer(start: nil, count: 0))
      }
    }
  }
}
