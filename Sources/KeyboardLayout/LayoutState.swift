// The state of a keyboard's layout: the order of its characters, the page on the screen, the size of the view.
// SPDX-License-Identifier: Apache-2.0
//
// No password is in it. But the order and the places that were touched give the password away, so the order is kept in
// the keyboard's locked slot, and only while the keyboard is open.

package import KeyboardCodes
package import KeyboardMemory

/// The layout of one keyboard: a view of memory that the caller owns and wipes.
///
/// Memory of zeros is the default layout: letters, shuffled at each opening, no maximum, the standard size, nothing
/// shown yet. Nothing here allocates.
///
///     0      32                            38                  106
///     ├─ size ┼─ kinds, page, shift, max… ─┼─ order (68 bytes) ┤
///
/// `close` puts the source's order back. Only the parity of the order that was shown is kept (see `KeyOrder`).
package struct LayoutState {
  private let memory: UnsafeMutableRawPointer

  /// The memory before the order, aligned to 8.
  struct Fields: BitwiseCopyable {
    /// Its width is 0 for the standard size.
    var size: ViewSize
    var kindCode: UInt8
    /// The shuffle's code XOR the default's, so that zero is the default.
    var shuffleDifference: UInt8
    var pageCode: UInt8
    var shiftCode: UInt8
    /// 0 for no maximum.
    var maximumCount: UInt8
    /// The parity of the order that was shown last: two bits for each pool of characters.
    var shown: UInt8
  }

  /// Bytes of memory that a layout takes.
  package static var byteCount: Int { MemoryLayout<Fields>.size + KeyOrder.byteCount }

  /// - Parameter memory: `byteCount` bytes aligned to 8: zeros, or a layout.
  package init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  var fields: UnsafeMutablePointer<Fields> { memory.assumingMemoryBound(to: Fields.self) }
  var order: KeyOrder { KeyOrder(at: memory + MemoryLayout<Fields>.size) }

  // MARK: Choices

  package var kind: LayoutKind { LayoutKind(rawValue: fields.pointee.kindCode) ?? .letters }

  package var shuffle: ShuffleKind {
    ShuffleKind(rawValue: fields.pointee.shuffleDifference ^ ShuffleKind.eachOpening.rawValue) ?? .eachOpening
  }

  /// How many characters complete the input; 0 for no maximum but the password's 128 bytes.
  package var maximumCount: Int { Int(fields.pointee.maximumCount) }

  /// Checks a choice of keys before it is made.
  ///
  /// - Throws: `.argument` for a negative maximum, a view with fewer points than these keys, or a pattern that is
  ///   shuffled or has a maximum over 9.
  package func check(_ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int) throws(KeyboardError) {
    guard maximumCount >= 0 else { throw .argument(.maximumCount) }
    guard kind != .pattern || shuffle == .none && maximumCount <= PatternPath.nodeCount
    else { throw .argument(.patternLayout) }
    guard size.holdsKeys(of: kind) else { throw .argument(.viewSize) }
  }

  /// Chooses the keys of a keyboard that is not open.
  ///
  /// - Parameter maximumCount: 0 for no maximum; more than 128 means the same, because no password is as long.
  /// - Throws: what `check` throws; nothing is then changed.
  package func setLayout(_ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int) throws(KeyboardError) {
    try check(kind, shuffle: shuffle, maximumCount: maximumCount)
    fields.pointee.kindCode = kind.rawValue
    fields.pointee.shuffleDifference = shuffle.rawValue ^ ShuffleKind.eachOpening.rawValue
    fields.pointee.maximumCount = maximumCount <= maximumPasswordLength ? UInt8(maximumCount) : 0
    close()
  }

  package var size: ViewSize {
    let size = fields.pointee.size
    return size.width == 0 ? .standard : size
  }

  /// Chooses the size of the view, at any time. Gaps shrink if keys would have less than a point.
  ///
  /// - Throws: `.argument` for NaN, a negative number, more than `ViewSize.limit`, or fewer points than keys; the old
  ///   size then stays.
  package func setSize(_ size: ViewSize) throws(KeyboardError) {
    guard size.holdsKeys(of: kind) else { throw .argument(.viewSize) }
    fields.pointee.size = size
  }

  // MARK: What the screen shows

  var page: Page {
    get { Page(rawValue: fields.pointee.pageCode) ?? .letters }
    nonmutating set { fields.pointee.pageCode = newValue.rawValue }
  }

  /// The case in which letters are shown and typed, the same on all pages.
  package internal(set) var shift: ShiftState {
    get { ShiftState(rawValue: fields.pointee.shiftCode) ?? .off }
    nonmutating set { fields.pointee.shiftCode = newValue.rawValue }
  }

  /// Shows the first page, in small letters and in another order than the last one.
  ///
  /// - Parameter source: not used if nothing is shuffled.
  /// - Throws: what the source throws; the layout is then unchanged.
  /// - Timing: depends on the layout, and on how often a random number is rejected.
  @inline(never)
  package func open<Source: RandomSource & ~Copyable>(using source: inout Source) throws(Source.Failure) {
    try arrange(using: &source)
    page = kind.firstPage
    shift = .off
  }

  /// Forgets the order. Its parity is kept, because the next opening's order must have the other one.
  package func close() {
    order.reset()
    page = kind.firstPage
    shift = .off
  }
}
