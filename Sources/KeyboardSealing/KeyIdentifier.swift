// A short name for a public key.
// SPDX-License-Identifier: Apache-2.0

import KeyboardSHA2

/// The name of a public key that travels beside a sealed text, so that a server need not try its keys one after
/// another: the first 8 bytes of the SHA-256 of the key.
///
/// - Parameter publicKey: as a keyboard takes it. It is not looked at.
/// - Returns: 8 bytes. They tell keys apart, and prove nothing: compare them with the record's.
/// - Timing: depends on `publicKey.count` only.
/// - Source: FIPS 180-4; Docs/SealedTexts.md, "What a server must do".
public func keyIdentifier(of publicKey: Span<UInt8>) -> [UInt8] {
  withUnsafeTemporaryAllocation(byteCount: SHA256.byteCount + SHA256.digestSize, alignment: 8) { memory in
    let digest = memory.baseAddress! + SHA256.byteCount
    let sha256 = SHA256(at: memory.baseAddress!)
    publicKey.withUnsafeBytes { key in
      if let start = key.baseAddress { sha256.absorb(start, count: key.count) }
    }
    sha256.finish(into: digest)
    return [UInt8](UnsafeRawBufferPointer(start: digest, count: 8))
  }
}
