// Unicode scalars in memory that the caller gives, decoded from UTF-8 without a String: a String is not wiped.
// SPDX-License-Identifier: Apache-2.0

/// The scalars of a passcode: a view of `byteCount` bytes.
struct Scalars {
  /// A passcode has at most 128 bytes, and so at most as many scalars.
  static var capacity: Int { 128 }
  static var byteCount: Int { 4 * capacity }

  private let memory: UnsafeMutablePointer<UInt32>
  let count: Int

  /// Decodes `text`, which is UTF-8 of at most 128 bytes; what follows a fault is left out.
  init(_ text: UnsafeRawBufferPointer, at memory: UnsafeMutableRawPointer) {
    precondition(text.count <= Self.capacity)
    self.memory = memory.assumingMemoryBound(to: UInt32.self)
    var (count, offset) = (0, 0)
    while let (scalar, length) = decodeScalar(text, at: offset) {
      self.memory[count] = scalar
      count += 1
      offset += length
    }
    self.count = count
  }

  subscript(index: Int) -> UInt32 { memory[index] }
}

/// The scalar at `offset` and its length in bytes, or nil at the end and where the text is not UTF-8.
///
/// - Source: The Unicode Standard, table 3-7: overlong forms, surrogates and numbers over 10FFFF are not UTF-8.
func decodeScalar(_ text: UnsafeRawBufferPointer, at offset: Int) -> (scalar: UInt32, length: Int)? {
  guard offset < text.count else { return nil }
  let first = UInt32(text[offset])
  if first < 0x80 { return (first, 1) }
  let length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  guard first >= 0xc2, first < 0xf5, text.count - offset >= length else { return nil }
  var scalar = first & (0xff >> UInt32(length + 1))
  for index in 1..<length {
    let next = UInt32(text[offset + index])
    guard next & 0xc0 == 0x80 else { return nil }
    scalar = scalar << 6 | next & 0x3f
  }
  switch length {
  case 3 where scalar < 0x800 || scalar & 0xf800 == 0xd800: return nil
  case 4 where scalar < 0x1_0000 || scalar > 0x10_ffff: return nil
  default: return (scalar, length)
  }
}

/// Whether the whole text is UTF-8.
func isUTF8(_ text: UnsafeRawBufferPointer) -> Bool {
  var offset = 0
  while let (_, length) = decodeScalar(text, at: offset) { offset += length }
  return offset == text.count
}

// MARK: - ASCII

func isDigit(_ scalar: UInt32) -> Bool { scalar &- 0x30 < 10 }

/// ASCII's capitals and small letters.
func isLetter(_ scalar: UInt32) -> Bool { scalar | 0x20 &- 0x61 < 26 }

/// ASCII's capitals as small letters, all else as it is.
func lowercased(_ scalar: UInt32) -> UInt32 { scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
