// Counts what a person sees as characters, in UTF-8 that never becomes a String: a String is not wiped.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory

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
  init?(_ bytes: UnsafeRawBufferPointer, byteCount: Int) {
    self.init(Bytes(source: .plain(bytes), index: 0, end: byteCount))
  }

  init?(_ bytes: MaskedBytes, byteCount: Int) {
    self.init(Bytes(source: .masked(bytes), index: 0, end: byteCount))
  }

  // Compiled once for both.
  @inline(never)
  private init?(_ source: Bytes) {
    count = 0
    lastOffset = 0
    var bytes = source
    var parser = Unicode.UTF8.ForwardParser()
    var recognizer = Unicode._CharacterRecognizer()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &bytes) {
      case .valid(let encoded):
        let breaks = recognizer.hasBreak(before: Unicode.UTF8.decode(encoded))
        if breaks || offset == 0 {
          count += 1
          lastOffset = offset
        }
        offset += encoded.count
      case .emptyInput: return
      case .error: return nil
      }
    }
  }

  private struct Bytes: IteratorProtocol {
    enum Source {
      case plain(UnsafeRawBufferPointer)
      case masked(MaskedBytes)
    }

    let source: Source
    var index: Int
    let end: Int

    mutating func next() -> UInt8? {
      guard index < end else { return nil }
      defer { index += 1 }
      switch source {
      case .plain(let bytes): return bytes[index]
      case .masked(let bytes): return bytes[index]
      }
    }
  }
}
