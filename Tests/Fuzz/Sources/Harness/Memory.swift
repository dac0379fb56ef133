// What is given to the library: pieces of the heap of exactly the size that is said, so that the address sanitizer sees
// the byte before and the byte after; and lies about sizes, where the library must not look.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// Bytes and what the library is told of them.
public struct Piece {
  public let start: UnsafeMutablePointer<UInt8>?
  /// As there are.
  public let count: Int
  /// As the library is told: a `size_t`, so that negative numbers are very large ones.
  public var claimed: Int

  init(start: UnsafeMutablePointer<UInt8>?, count: Int, claimed: Int) {
    (self.start, self.count, self.claimed) = (start, count, claimed)
  }

  /// No bytes, whatever is claimed.
  public init(start: UnsafeMutablePointer<UInt8>?, claimed: Int) { self.init(start: start, count: 0, claimed: claimed) }

  public static var none: Piece { Piece(start: nil, claimed: 0) }

  public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Whether C allows it: NULL is for no bytes only.
  var isPointer: Bool { start != nil || claimed == 0 }

  /// Whether memory goes on for as long as is claimed.
  var isInMemory: Bool {
    claimed >= 0 && !UInt(bitPattern: start).addingReportingOverflow(UInt(bitPattern: claimed)).overflow
  }

  /// Whether a byte of the first `limit` is in `other` too.
  func overlaps(_ other: Piece, limit: UInt) -> Bool {
    let count = min(UInt(bitPattern: claimed), limit)
    let otherCount = UInt(bitPattern: other.claimed)
    guard let start, let otherStart = other.start, count > 0, otherCount > 0 else { return false }
    let (low, high) = (UInt(bitPattern: start), UInt(bitPattern: otherStart))
    return low <= high ? high - low < count : low - high < otherCount
  }
}

/// Where a run's pieces come from; all end with it.
public final class Memory {
  private var pieces: [UnsafeMutablePointer<UInt8>] = []

  public init() {}

  /// What stands in a space that nobody has filled.
  public static var untouched: UInt8 { 0xa5 }

  public func copy(_ bytes: [UInt8]) -> Piece {
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    start.initialize(from: bytes, count: bytes.count)
    pieces.append(start)
    return Piece(start: start, count: bytes.count, claimed: bytes.count)
  }

  public func space(_ count: Int) -> Piece { copy([UInt8](repeating: Self.untouched, count: count)) }

  /// A copy that is told of as one byte longer than it is, if that fault is planted; else as it is. Never of DES's and
  /// 3DES's texts: mbedTLS, which reads them, is not compiled with the address sanitizer.
  func copyThatMayBeOverrun(_ bytes: [UInt8], _ way: CUSTOM_ENCWAY = CUSTOM_ENCWAY_SM4) -> Piece {
    guard Plant.overrun, bytes.count > 1, way == CUSTOM_ENCWAY_SM4 else { return copy(bytes) }
    var piece = copy(Array(bytes.dropLast()))
    piece.claimed = bytes.count
    return piece
  }

  func end() {
    for piece in pieces { piece.deallocate() }
    pieces = []
  }
}

/// Sizes that no memory has.
public let impossibleSizes = [Int.min, -1, -8, -16, -24, Int.max, Int.max - 7, 1 << 40, 1 << 62, -128, 1 << 32 + 16]
