// What a person sees as one character, in UTF-8 that is never turned into a String.

import KeyboardMemory

/// Bytes that are read one at a time, wherever and however they stand.
protocol ByteSequence {
  subscript(index: Int) -> UInt8 { get }
}

extension UnsafeRawBufferPointer: ByteSequence {}
extension MaskedBytes: ByteSequence {}

/// What a run of UTF-8 bytes consists of.
struct Characters: Equatable {
  /// Characters as people count them: extended grapheme clusters (UAX #29).
  var count: Int
  /// Where the last one begins, in bytes.
  var lastOffset: Int

  /// Reads the bytes one after another; nil if they are not whole, valid UTF-8 (overlong forms and surrogates are not).
  ///
  /// - Timing: depends on the characters. They are being typed one by one; their times tell more than this.
  init?(_ bytes: some ByteSequence, byteCount: Int) {
    count = 0
    lastOffset = 0
    var iterator = Iterator(bytes: bytes, index: 0, end: byteCount)
    var parser = Unicode.UTF8.ForwardParser()
    var recognizer = Unicode._CharacterRecognizer()
    var offset = 0
    while true {
      switch parser.parseScalar(from: &iterator) {
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

  private struct Iterator<Bytes: ByteSequence>: IteratorProtocol {
    let bytes: Bytes
    var index: Int
    let end: Int

    mutating func next() -> UInt8? {
      guard index < end else { return nil }
      defer { index += 1 }
      return bytes[index]
    }
  }
}
