// The memory that the library receives: heap blocks of exactly the stated size, so that the address sanitizer sees an
// access to the byte before or after; and wrong sizes, in cases where the library must not access the memory.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// Bytes, and what the library is told about them.
public struct Piece {
  public let start: UnsafeMutablePointer<UInt8>?
  /// The real size.
  public let count: Int
  /// The size that the library is told. It is a `size_t`, so negative numbers are very large ones.
  public var claimed: Int

  init(start: UnsafeMutablePointer<UInt8>?, count: Int, claimed: Int) {
    (self.start, self.count, self.claimed) = (start, count, claimed)
  }

  /// No bytes, whatever size is claimed.
  public init(start: UnsafeMutablePointer<UInt8>?, claimed: Int) { self.init(start: start, count: 0, claimed: claimed) }

  public static var none: Piece { Piece(start: nil, claimed: 0) }

  /// A place for an answer.
  init(answer: UnsafeMutablePointer<Int>) {
    let size = MemoryLayout<Int>.size
    self.init(
      start: UnsafeMutableRawPointer(answer).assumingMemoryBound(to: UInt8.self), count: size, claimed: size)
  }

  public var bytes: [UInt8] { Array(UnsafeBufferPointer(start: start, count: count)) }

  /// Whether C allows this pointer: NULL is allowed only for no bytes.
  var isPointer: Bool { start != nil || claimed == 0 }

  /// Whether the claimed bytes end within the address space.
  var isInMemory: Bool {
    claimed >= 0 && !UInt(bitPattern: start).addingReportingOverflow(UInt(bitPattern: claimed)).overflow
  }

  /// The same for what is only read. A size of more than half the address space counts as half of it, which is too long
  /// for every function.
  var isInMemoryToRead: Bool {
    let size = min(UInt(bitPattern: claimed), UInt(Int.max))
    return !UInt(bitPattern: start).addingReportingOverflow(size).overflow
  }

  /// Complains unless the space has been filled, with the password where the call says.
  func expectFilled(at offset: Int, _ length: Int, with password: [UInt8], before: [UInt8]) {
    expect(length == password.count, "the password has \(password.count) bytes, and the call says \(length)")
    expect(offset >= 0 && offset <= count - length, "\(length) bytes at \(offset) of \(count)")
    let (filled, end) = (bytes, offset + length)
    expect(Array(filled[offset..<end]) == password, "the call gives another password")
    // Random bytes may equal the old ones by chance, but hardly ever if there are sixteen or more.
    let around = filled[..<offset] + filled[end...]
    expect(around.count < 16 || around != before[..<offset] + before[end...], "the space has not been filled")
  }

  /// Whether one of the first `limit` bytes is also in `other`.
  func overlaps(_ other: Piece, limit: UInt) -> Bool {
    let count = min(UInt(bitPattern: claimed), limit)
    let otherCount = UInt(bitPattern: other.claimed)
    guard let start, let otherStart = other.start, count > 0, otherCount > 0 else { return false }
    let (low, high) = (UInt(bitPattern: start), UInt(bitPattern: otherStart))
    return low <= high ? high - low < count : low - high < otherCount
  }
}

/// Allocates the pieces of a run; all are freed when it ends.
public final class Memory {
  private var pieces: [UnsafeMutablePointer<UInt8>] = []

  public init() {}

  /// The value of every byte in a space that nothing has filled.
  public static var untouched: UInt8 { 0xa5 }

  public func copy(_ bytes: [UInt8]) -> Piece {
    let start = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count)
    start.initialize(from: bytes, count: bytes.count)
    pieces.append(start)
    return Piece(start: start, count: bytes.count, claimed: bytes.count)
  }

  /// A place for an answer, with a number that is not an answer.
  func answer() -> UnsafeMutablePointer<Int> {
    let piece = copy(withUnsafeBytes(of: 0x1e9674) { [UInt8]($0) })
    return UnsafeMutableRawPointer(piece.start!).assumingMemoryBound(to: Int.self)
  }

  public func space(_ count: Int) -> Piece { copy([UInt8](repeating: Self.untouched, count: count)) }

  /// A copy that claims one byte more than it has, if that fault is planted; otherwise an ordinary copy. Never used for
  /// the texts of DES and 3DES: mbedTLS reads them, and it is not compiled with the address sanitizer.
  public func copyThatMayBeOverrun(_ bytes: [UInt8], _ way: CUSTOM_ENCWAY = CUSTOM_ENCWAY_SM4) -> Piece {
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

/// Impossible sizes.
public let impossibleSizes = [Int.min, -1, -8, -16, -24, Int.max, Int.max - 7, 1 << 40, 1 << 62, -128, 1 << 32 + 16]
