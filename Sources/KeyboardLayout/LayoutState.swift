// A keyboard's layout, as far as it changes: what stands where, which page is up, how large it is drawn. It knows no
// password. But who knows the order of the keys and has seen the fingers knows it too: the order stands in the keyboard's
// locked slot, and only while it is up.

public import KeyboardCodes
public import KeyboardMemory

/// The layout of one keyboard: a view on memory that is somebody else's, who wipes it.
///
/// Memory that is all zero is a layout as it is at first: letters, shuffled at each opening, no maximum, of standard size,
/// nothing shown yet. Nothing here allocates.
///
///     0      32                            38                  106
///     ├─ size ┼─ kinds, page, shift, max… ─┼─ order (68 bytes) ┤
///
/// What follows `close` is the source's order: of the one that was shown, only its parity stays (see `KeyOrder`).
public struct LayoutState {
  private let memory: UnsafeMutableRawPointer

  /// Sizes start at a multiple of 8.
  struct Fields: BitwiseCopyable {
    /// Of width 0 while it is the standard one.
    var size: ViewSize
    var kindCode: UInt8
    /// The shuffle's code XOR the default's, so that zero is the default.
    var shuffleDifference: UInt8
    var pageCode: UInt8
    var shiftCode: UInt8
    /// 0 for none.
    var maximumCount: UInt8
    /// What was shown last: two bits for each pool of characters.
    var shown: UInt8
  }

  /// How much of the memory is used. It starts at a multiple of 8.
  public static var byteCount: Int { MemoryLayout<Fields>.size + KeyOrder.byteCount }

  public init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  var fields: UnsafeMutablePointer<Fields> { memory.assumingMemoryBound(to: Fields.self) }
  var order: KeyOrder { KeyOrder(at: memory + MemoryLayout<Fields>.size) }

  // MARK: What it is

  public var kind: LayoutKind { LayoutKind(rawValue: fields.pointee.kindCode) ?? .letters }

  public var shuffle: ShuffleKind {
    ShuffleKind(rawValue: fields.pointee.shuffleDifference ^ ShuffleKind.eachOpening.rawValue) ?? .eachOpening
  }

  /// After how many characters the input is complete; 0 for no limit but the password's own.
  public var maximumCount: Int { Int(fields.pointee.maximumCount) }

  /// Chooses the keys. For a keyboard that is not up: its first page is then the one to come.
  ///
  /// - Parameter maximumCount: 0 for none; more than a password can have, 128, is none either.
  /// - Throws: `.argument` for a negative maximum, or if the view is too small for these keys.
  public func setLayout(_ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int) throws(KeyboardError) {
    guard maximumCount >= 0 else { throw .argument(.maximumCount) }
    guard accepts(kind, maximumCount: maximumCount) else { throw .argument(.viewSize) }
    fields.pointee.kindCode = kind.rawValue
    fields.pointee.shuffleDifference = shuffle.rawValue ^ ShuffleKind.eachOpening.rawValue
    fields.pointee.maximumCount = maximumCount <= 128 ? UInt8(maximumCount) : 0
    close()
  }

  /// Whether `setLayout` takes these.
  public func accepts(_ kind: LayoutKind, maximumCount: Int) -> Bool { maximumCount >= 0 && size.holdsKeys(of: kind) }

  public var size: ViewSize {
    let size = fields.pointee.size
    return size.width == 0 ? .standard : size
  }

  /// Chooses the size of the view; at any time. Gaps that leave no point for a key shrink until they do.
  ///
  /// - Throws: `.argument` for what is no size (NaN, negative, beyond `ViewSize.limit`), or too small to give each key of
  ///   the layout's pages one point in both directions.
  public func setSize(_ size: ViewSize) throws(KeyboardError) {
    guard size.holdsKeys(of: kind) else { throw .argument(.viewSize) }
    fields.pointee.size = size
  }

  // MARK: What is up

  var page: Page {
    get { Page(rawValue: fields.pointee.pageCode) ?? .letters }
    nonmutating set { fields.pointee.pageCode = newValue.rawValue }
  }

  /// The case that letters are shown and typed in. It stays from page to page.
  public internal(set) var shift: ShiftState {
    get { ShiftState(rawValue: fields.pointee.shiftCode) ?? .off }
    nonmutating set { fields.pointee.shiftCode = newValue.rawValue }
  }

  /// Brings up the first page, in small letters and in an order that is not the last opening's.
  ///
  /// - Parameter source: is drawn from unless nothing is to be shuffled.
  /// - Throws: what the source throws; the layout is then as it was.
  /// - Timing: depends on the layout, and on how often a draw is rejected.
  @inline(never)
  public func open<Source: RandomSource & ~Copyable>(using source: inout Source) throws(Source.Failure) {
    try arrange(using: &source)
    page = kind.firstPage
    shift = .off
  }

  /// Forgets where the keys stood; of the order only its parity is kept, which the next opening's must not have.
  public func close() {
    order.reset()
    page = kind.firstPage
    shift = .off
  }
}

/// Whether letters are capital.
public enum ShiftState: UInt8, Sendable {
  case off = 0
  /// The next letter is.
  case oneLetter = 1
  /// All are, until shift is pressed again.
  case capsLock = 2

  var next: ShiftState {
    switch self {
    case .off: .oneLetter
    case .oneLetter: .capsLock
    case .capsLock: .off
    }
  }
}
