// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardECB
@testable import KeyboardSealing

@Test(arguments: [8, 16])
func paddingIsRemovedAsItWasAdded(blockSize: Int) throws {
  for count in 0...128 {
    let length = PKCS7.paddedLength(count, blockSize: blockSize)
    try #require(length % blockSize == 0 && length > count && length <= count + blockSize)
    var bytes = [UInt8](repeating: 0x41, count: length)
    let padded = bytes.withUnsafeMutableBytes { PKCS7.pad($0.baseAddress!, byteCount: count, blockSize: blockSize) }
    #expect(padded == length)
    let isKept = bytes[..<count].allSatisfy { $0 == 0x41 }
    try #require(isKept)
    let isPadding = bytes[count...].allSatisfy { $0 == UInt8(length - count) }
    try #require(isPadding)
    try #require(bytes.withUnsafeBytes { unpadded($0, blockSize: blockSize) } == count)
  }
}

@Test(arguments: [8, 16])
func everyOtherPaddingByteIsRefused(blockSize: Int) throws {
  for byte in UInt8.min...UInt8.max where !(1...blockSize).contains(Int(byte)) {
    let block = [UInt8](repeating: byte, count: blockSize)
    try #require(block.withUnsafeBytes { unpadded($0, blockSize: blockSize) } == nil, "\(byte)")
  }
}

@Test(arguments: [8, 16])
func oneWrongByteInAnyPlaceIsRefused(blockSize: Int) throws {
  for padding in 1...blockSize {
    let good =
      [UInt8](repeating: 0x41, count: 2 * blockSize - padding) + [UInt8](repeating: UInt8(padding), count: padding)
    for place in (2 * blockSize - padding)..<2 * blockSize - 1 {
      for change in UInt8(1)...255 {
        var bad = good
        bad[place] ^= change
        try #require(
          bad.withUnsafeBytes { unpadded($0, blockSize: blockSize) } == nil,
          "padding \(padding), place \(place), change \(change)")
      }
    }
    // The bytes before the padding do not matter, even if they look like more padding.
    var extra = good
    extra[2 * blockSize - padding - 1] = UInt8(padding)
    try #require(extra.withUnsafeBytes { unpadded($0, blockSize: blockSize) } == 2 * blockSize - padding)
  }
}

// A sealed text's block: every padding, and every wrong bit in every place.
@Test func longBlockLosesOnlyWholePadding() throws {
  let size = SealedText.blockSize
  func unpadded(_ block: [UInt8]) -> Int? {
    block.withUnsafeBytes { SealedBlock.unpaddedLength($0.baseAddress!, blockSize: size) }
  }
  for padding in 1...size {
    var block = [UInt8](repeating: 0x41, count: size - padding) + [UInt8](repeating: UInt8(padding), count: padding)
    try #require(unpadded(block) == size - padding, "padding \(padding)")
    for place in size - padding..<size - 1 {
      let isRefused = (0..<8).allSatisfy { bit in
        block[place] ^= 1 << bit
        defer { block[place] ^= 1 << bit }
        return unpadded(block) == nil
      }
      if !isRefused { try #require(isRefused, "padding \(padding), place \(place)") }
    }
    if padding < size { block[size - padding - 1] = UInt8(padding) }
    try #require(unpadded(block) == size - padding, "padding \(padding), and one byte more")
  }
  for last in [0] + (UInt8(size) + 1...255) {
    try #require(unpadded([UInt8](repeating: last, count: size)) == nil, "last byte \(last)")
  }
}

private func unpadded(_ bytes: UnsafeRawBufferPointer, blockSize: Int) -> Int? {
  PKCS7.unpaddedLength(bytes.baseAddress!, byteCount: bytes.count, blockSize: blockSize)
}
