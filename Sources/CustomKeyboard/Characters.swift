// Counts what a person sees as characters, in UTF-8 that never becomes a String: a String is not wiped.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardText

/// The characters in a run of UTF-8 bytes.
struct Characters: Equatable {
  /// How many there are, as people count them: extended grapheme clusters (UAX #29).
  var count: Int
  /// Where the last one begins, in bytes.
  var lastOffset: Int

  /// Reads the bytes one after another.
  ///
  /// - Returns: nil if they are not whole, valid UTF-8. Overlong forms and surrogates are not valid.
  /// - Timing: depends on the characters. They are typed one by one, and the times between them tell more than this.
  init?(_ bytes: UnsafeRawBufferPointer, byteCount: Int) { self.init(.plain(bytes), byteCount: byteCount) }

  init?(_ bytes: MaskedBytes, byteCount: Int) { self.init(.masked(bytes), byteCount: byteCount) }

  private enum Bytes {
    case plain(UnsafeRawBufferPointer)
    case masked(MaskedBytes)

    subscript(index: Int) -> UInt8 {
      switch self {
      case .plain(let bytes): bytes[index]
      case .masked(let bytes): bytes[index]
      }
    }
  }

  // Compiled once for both.
  @inline(never)
  private init?(_ bytes: Bytes, byteCount: Int) {
    (count, lastOffset) = (0, 0)
    var (decoder, start) = (UTF8Decoder(), 0)
    var recognizer = Unicode._CharacterRecognizer()
    for index in 0..<byteCount {
      switch decoder.take(bytes[index]) {
      case .more: continue
      case .fault: return nil
      case .scalar(let scalar):
        // Always valid: the decoder gives nothing else.
        if recognizer.hasBreak(before: Unicode.Scalar(scalar)!) || start == 0 {
          count += 1
          lastOffset = start
        }
        start = index + 1
      }
    }
    guard decoder.isWhole else { return nil }
  }
}
