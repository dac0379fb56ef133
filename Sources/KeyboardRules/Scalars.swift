// Unicode scalars in memory that the caller gives, decoded from UTF-8 without a String: a String is not wiped.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText

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
    while let (scalar, length) = UTF8Text.scalar(in: text, at: offset) {
      self.memory[count] = scalar
      count += 1
      offset += length
    }
    self.count = count
  }

  subscript(index: Int) -> UInt32 { memory[index] }
}

// MARK: - ASCII

func isDigit(_ scalar: UInt32) -> Bool { scalar &- 0x30 < 10 }

/// ASCII's capitals and small letters.
func isLetter(_ scalar: UInt32) -> Bool { scalar | 0x20 &- 0x61 < 26 }

/// ASCII's capitals as small letters, all else as it is.
func lowercased(_ scalar: UInt32) -> UInt32 { scalar &- 0x41 < 26 ? scalar | 0x20 : scalar }
