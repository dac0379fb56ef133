// What a refused row that has no id is known by in a later run.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSHA2

/// The first half of HMAC-SHA-256 of a row's bytes. Its key is derived with Argon2id from the key of the texts and the
/// pepper. Without those, nobody can check a guessed row with a fingerprint of the journal.
final class RowFingerprint {
  static let byteCount = 16

  private let key: SecretBytes
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: HMAC.byteCount + SHA256.digestSize, alignment: 8)
  private var hmac: HMAC

  init(key: consuming SecretBytes) {
    self.key = key
    hmac = HMAC(key: self.key.bytes, at: memory)
  }

  deinit {
    memory.initializeMemory(as: UInt8.self, repeating: 0, count: HMAC.byteCount + SHA256.digestSize)
    memory.deallocate()
  }

  func begin() { hmac = HMAC(key: key.bytes, at: memory) }

  /// A part of a row.
  func absorb(_ part: UnsafeRawBufferPointer) { hmac.absorb(part) }

  func finish() -> [UInt8] {
    hmac.finish(into: memory + HMAC.byteCount)
    return Array(UnsafeRawBufferPointer(start: memory + HMAC.byteCount, count: Self.byteCount))
  }

  func make(of row: [UInt8]) -> [UInt8] {
    begin()
    row.withUnsafeBytes { absorb($0) }
    return finish()
  }

  /// Lends what is used as the id of a row that has none: a zero byte, which no id has, and the row's fingerprint.
  static func withID<Result>(
    of fingerprint: ArraySlice<UInt8>, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    ([0] + fingerprint).withUnsafeBytes(body)
  }
}
