// UTF-8 byte by byte and as a whole, compared with Swift's library.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText
import Testing

private func scalars(_ bytes: [UInt8]) -> [UInt32]? {
  bytes.withUnsafeBytes { text in
    var (place, scalars): (Int, [UInt32]) = (0, [])
    while let (scalar, length) = UTF8Text.scalar(in: text, at: place) {
      scalars.append(scalar)
      place += length
    }
    return place == text.count ? scalars : nil
  }
}

private func decoded(_ bytes: [UInt8]) -> [UInt32]? {
  var (decoder, scalars): (UTF8Decoder, [UInt32]) = (UTF8Decoder(), [])
  for byte in bytes {
    switch decoder.take(byte) {
    case .scalar(let scalar): scalars.append(scalar)
    case .more: continue
    case .fault: return nil
    }
  }
  return decoder.isWhole ? scalars : nil
}

private func theirs(_ bytes: [UInt8]) -> [UInt32]? {
  String(validating: bytes, as: UTF8.self)?.unicodeScalars.map(\.value)
}

@Suite struct UTF8Tests {
  @Test func everyCharacterIsRead() throws {
    for scalar in (0...0x10ffff as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
      let bytes = Array(UTF8.encode(scalar)!)
      guard decoded(bytes) == [scalar.value], scalars(bytes) == [scalar.value] else {
        Issue.record("U+\(String(scalar.value, radix: 16))")
        return
      }
    }
  }

  /// All of one and two bytes; of three and four those in which each byte is at a bound of what may come there.
  @Test func agreesWithSwiftOnEveryBound() throws {
    let bounds: [UInt8] = [
      0, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef,
      0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
    ]
    let pairs = (0...0xffff).map { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
    let threes = bounds.flatMap { a in bounds.flatMap { b in bounds.map { [a, b, $0] } } }
    let fours = threes.flatMap { three in bounds.map { three + [$0] } }
    for bytes in (0...0xff).map({ [UInt8($0)] }) + pairs + threes + fours {
      let wanted = theirs(bytes)
      guard decoded(bytes) == wanted, scalars(bytes) == wanted,
        bytes.withUnsafeBytes({ UTF8Text.scalarCount($0) }) == wanted?.count
      else {
        Issue.record("\(bytes)")
        return
      }
    }
  }

  @Test func countsInUTF16() {
    for text in ["", "a", "é", "漢", "😀", "a😀é"] {
      #expect(Array(text.utf8).withUnsafeBytes { UTF8Text.utf16Count($0) } == text.utf16.count)
    }
  }
}
