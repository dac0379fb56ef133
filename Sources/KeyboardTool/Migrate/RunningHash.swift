// The SHA-256 of what is written to a file in parts, which can be read after each part.
// SPDX-License-Identifier: Apache-2.0

import KeyboardSHA2
import KeyboardText

/// For files without secrets: its memory is not wiped.
final class RunningHash {
  /// The computation, a copy of it that is ended, and a digest.
  private let memory = UnsafeMutableRawPointer.allocate(
    byteCount: 2 * SHA256.byteCount + SHA256.digestSize, alignment: 8)
  private let sha256: SHA256

  init() { sha256 = SHA256(at: memory) }

  deinit { memory.deallocate() }

  func absorb(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { sha256.absorb(start, count: bytes.count) }
    }
  }

  /// The hash of what was absorbed so far, in hexadecimal digits.
  var digest: String {
    let copy = SHA256(at: memory + SHA256.byteCount)
    (memory + SHA256.byteCount).copyMemory(from: memory, byteCount: SHA256.byteCount)
    let place = memory + 2 * SHA256.byteCount
    copy.finish(into: place)
    return Hexadecimal.string(of: Array(UnsafeRawBufferPointer(start: place, count: SHA256.digestSize))[...])
  }

  static func digest(of text: String) -> String {
    let hash = RunningHash()
    hash.absorb(Array(text.utf8)[...])
    return hash.digest
  }
}
