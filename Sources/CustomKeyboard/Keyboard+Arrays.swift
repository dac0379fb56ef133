// The functions that take spans of what is not secret, for arrays: `Array.span` needs iOS 26. Secrets have no such
// functions: a `SecretBytes` lends its span everywhere, and an array is not wiped.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardCodes
  public import KeyboardMemory
  public import KeyboardOPAQUE

  extension Recipient {
    /// As `x25519` of a span.
    public static func x25519(_ publicKey: [UInt8]) throws(KeyboardError) -> Recipient {
      try Recipient(publicKey, .x25519)
    }

    /// As `p256` of a span.
    public static func p256(_ publicKey: [UInt8]) throws(KeyboardError) -> Recipient {
      try Recipient(publicKey, .p256)
    }

    /// As `sm2` of a span.
    public static func sm2(_ publicKey: [UInt8]) throws(KeyboardError) -> Recipient {
      try Recipient(publicKey, .sm2)
    }

    /// As `rsa` of a span.
    public static func rsa(_ subjectPublicKeyInfo: [UInt8]) throws(KeyboardError) -> Recipient {
      try Recipient(subjectPublicKeyInfo, .rsa)
    }

    /// As `xwing` of a span.
    public static func xwing(_ publicKey: [UInt8]) throws(KeyboardError) -> Recipient {
      try Recipient(publicKey, .xwing)
    }
  }

  extension Keyboard {
    /// As `seal(for:context:)` with a span.
    ///
    /// - Timing: as there.
    public func seal(for recipient: Recipient, context: [UInt8]) throws(KeyboardError) -> EncryptedText {
      let context = ContiguousArray(context)
      return try seal(for: recipient, context: context.span)
    }

    /// As `setContext` with a span.
    ///
    /// - Timing: as there.
    public func setContext(_ context: [UInt8]) throws(KeyboardError) {
      try context.lend { context throws(KeyboardError) in try keyboardHandle.setContext(context) }
    }

    /// As `setEncKey(_:sealing:)` with a span, for a public key.
    ///
    /// - Throws: `.key(.value)` for `sm4GCM`, whose key is a secret; otherwise as there.
    /// - Timing: as there.
    public func setEncKey(_ publicKey: [UInt8], sealing way: SealingWay) throws(KeyboardError) {
      guard way != .sm4GCM else { throw .key(.value) }
      try publicKey.lend { key throws(KeyboardError) in try keyboardHandle.setEncKey(key, way: .sealed(way)) }
    }

    /// As `deriveKey` with a span of the salt.
    ///
    /// - Timing: as there.
    public func deriveKey(
      salt: [UInt8], pepper: Span<UInt8>, memoryKiB: UInt32 = 0, passes: UInt32 = 0, byteCount: Int = 32
    ) throws(KeyboardError) -> SecretBytes {
      let salt = ContiguousArray(salt)
      return try deriveKey(
        salt: salt.span, pepper: pepper, memoryKiB: memoryKiB, passes: passes, byteCount: byteCount)
    }
  }

  extension OPAQUE.Registration {
    /// As `finish` with a span.
    ///
    /// - Timing: as there.
    public consuming func finish(
      with response: [UInt8], terms: OPAQUE.Terms = OPAQUE.Terms()
    ) throws(KeyboardError) -> OPAQUE.NewRecord {
      let response = ContiguousArray(response)
      return try finish(with: response.span, terms: terms)
    }

    /// As the other `finish`, without holding up the caller's executor.
    @concurrent public consuming func finish(
      with response: [UInt8], terms: OPAQUE.Terms = OPAQUE.Terms()
    ) async throws(KeyboardError) -> OPAQUE.NewRecord {
      let response = ContiguousArray(response)
      return try await finish(with: response.span, terms: terms)
    }
  }

  extension OPAQUE.Login {
    /// As `finish` with a span.
    ///
    /// - Timing: as there.
    public consuming func finish(
      with ke2: [UInt8], terms: OPAQUE.Terms = OPAQUE.Terms()
    ) throws(KeyboardError) -> OPAQUE.ClientSession {
      let ke2 = ContiguousArray(ke2)
      return try finish(with: ke2.span, terms: terms)
    }

    /// As the other `finish`, without holding up the caller's executor.
    @concurrent public consuming func finish(
      with ke2: [UInt8], terms: OPAQUE.Terms = OPAQUE.Terms()
    ) async throws(KeyboardError) -> OPAQUE.ClientSession {
      let ke2 = ContiguousArray(ke2)
      return try await finish(with: ke2.span, terms: terms)
    }
  }
#endif
