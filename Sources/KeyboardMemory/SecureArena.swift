// Where slots come from. The kernel allows a process some 65,000 mappings and, by default, 8 MB of locked memory, so
// 100,000 keyboards cannot have guard pages each: 128 slots share one region and its guards.
// SPDX-License-Identifier: Apache-2.0
//
//     directory ──► region 0: controls (no secrets) + 128 slots between guard pages
//                   region 1: …                            mapped when its first slot is taken, and kept
//
// The book-keeping (who uses a slot, how often, which slots are free) is not secret and lies outside the region.

internal import CKeyboardPlatform
internal import KeyboardCodes
internal import Synchronization

/// A slot's book-keeping.
struct SlotControl: ~Copyable {
  let state: Atomic<UInt64>
  let nextFree = Atomic<UInt32>(0)

  init(_ state: SlotState) { self.state = Atomic(state.word) }
}

/// Where the slots of one user are, and which are free. All zero while there is none.
struct SecureArena: ~Copyable, Sendable {
  /// Region i's controls, and behind them the address of its memory; 0 while there is none.
  let directory = Atomic<UInt>(0)
  /// Indices below this were handed out at least once.
  let fresh = Atomic<UInt32>(0)
  /// The free list's head: `tag << 24 | index + 1`. The tag grows with every change, so that a head that was taken and
  /// put back in the meantime is not taken for the same (the ABA problem). Of 2⁴⁰ changes, the last would be.
  let freeHead = Atomic<UInt64>(0)
}

/// By index. Lock-free throughout.
extension SecureSlots {
  private static var slotsPerRegion: Int { Int(KEYBOARD_SLOTS_IN_REGION) }
  private static var regionLimit: Int { Int(KEYBOARD_REGIONS) }

  // MARK: Indices

  /// A free index.
  ///
  /// - Throws: `.memory`.
  borrowing func takeIndex() throws(KeyboardError) -> UInt32 {
    var head = arena.freeHead.load(ordering: .acquiring)
    while let index = Self.low(of: head).predecessor {
      guard let control = find(index)?.control else { throw .memory }
      let next = control.pointee.nextFree.load(ordering: .relaxed)
      let (exchanged, original) = arena.freeHead.weakCompareExchange(
        expected: head, desired: Self.tagged(after: head, next), successOrdering: .acquiring,
        failureOrdering: .acquiring)
      if exchanged { return index }
      head = original
    }
    return try takeFreshIndex()
  }

  borrowing func giveIndex(_ index: UInt32) {
    guard let control = find(index)?.control else { return }
    var head = arena.freeHead.load(ordering: .relaxed)
    while true {
      control.pointee.nextFree.store(Self.low(of: head), ordering: .relaxed)
      let (exchanged, original) = arena.freeHead.weakCompareExchange(
        expected: head, desired: Self.tagged(after: head, index + 1), successOrdering: .releasing,
        failureOrdering: .relaxed)
      if exchanged { return }
      head = original
    }
  }

  private borrowing func takeFreshIndex() throws(KeyboardError) -> UInt32 {
    var index = arena.fresh.load(ordering: .relaxed)
    while true {
      guard ensureRegion(Self.regionNumber(index)) else { throw .memory }
      let (exchanged, original) = arena.fresh.weakCompareExchange(
        expected: index, desired: index + 1, successOrdering: .relaxed, failureOrdering: .relaxed)
      if exchanged { return index }
      index = original
    }
  }

  private static func tagged(after head: UInt64, _ low: UInt32) -> UInt64 {
    (head >> 24 &+ 1) << 24 | UInt64(low)
  }

  /// The index in a free list's head and one, or 0 for an empty list: fewer than 2²⁴, because there are 2²³ slots.
  private static func low(of head: UInt64) -> UInt32 { UInt32(head & 0xff_ffff) }

  // MARK: Regions

  // Any number may come as an index, and not every one fits into an Int of 32 bits.
  private static func regionNumber(_ index: UInt32) -> Int { Int(index / UInt32(slotsPerRegion)) }

  /// Where a slot is, if its region is there.
  borrowing func find(_ index: UInt32) -> SlotPlace? {
    guard let region = region(Self.regionNumber(index)) else { return nil }
    return SlotPlace(region: region, number: Int(index % UInt32(Self.slotsPerRegion)))
  }

  struct SlotPlace {
    let region: Region
    /// In the region.
    let number: Int

    var control: UnsafeMutablePointer<SlotControl> { region.controls + number }
  }

  borrowing func memory(_ place: SlotPlace) -> UnsafeMutableRawPointer {
    place.region.memory + place.number * byteCount
  }

  struct Region {
    /// `slotsPerRegion` controls, then the address of the slots.
    fileprivate let base: UnsafeMutableRawPointer

    private static var addressOffset: Int { slotsPerRegion * MemoryLayout<SlotControl>.stride }
    private static var byteCount: Int { addressOffset + MemoryLayout<UnsafeMutableRawPointer>.stride }

    var controls: UnsafeMutablePointer<SlotControl> { base.assumingMemoryBound(to: SlotControl.self) }
    var memory: UnsafeMutableRawPointer {
      base.load(fromByteOffset: Self.addressOffset, as: UnsafeMutableRawPointer.self)
    }

    /// - Parameter slotByteCount: of one of them.
    fileprivate static func make(slotByteCount: Int) -> Region? {
      // Not from the heap: leak checkers do not follow the directory, and would report a leak.
      guard let base = keyboard_map(byteCount) else { return nil }
      guard let slots = SecureRegion.map(byteCount: slotsPerRegion * slotByteCount) else {
        keyboard_unmap(base, byteCount)
        return nil
      }
      let first = SlotState(generation: .first)
      for i in 0..<slotsPerRegion {
        (base + i * MemoryLayout<SlotControl>.stride).bindMemory(to: SlotControl.self, capacity: 1)
          .initialize(to: SlotControl(first))
      }
      base.storeBytes(of: slots, toByteOffset: addressOffset, as: UnsafeMutableRawPointer.self)
      return Region(base: base)
    }

    /// For a region that another thread made first.
    fileprivate func discard(slotByteCount: Int) {
      SecureRegion.unmap(memory, byteCount: slotsPerRegion * slotByteCount)
      keyboard_unmap(base, Self.byteCount)
    }
  }

  private borrowing func entry(_ number: Int) -> UnsafeMutablePointer<Atomic<UInt>>? {
    guard number < Self.regionLimit else { return nil }
    let base = UnsafeMutablePointer<Atomic<UInt>>(bitPattern: arena.directory.load(ordering: .acquiring))
    return base.map { $0 + number }
  }

  private borrowing func region(_ number: Int) -> Region? {
    guard let entry = entry(number) else { return nil }
    return UnsafeMutableRawPointer(bitPattern: entry.pointee.load(ordering: .acquiring)).map(Region.init)
  }

  private borrowing func ensureRegion(_ number: Int) -> Bool {
    guard number < Self.regionLimit, ensureDirectory(), let entry = entry(number) else { return false }
    if entry.pointee.load(ordering: .acquiring) != 0 { return true }
    guard let made = Region.make(slotByteCount: byteCount) else { return false }
    let (exchanged, _) = entry.pointee.compareExchange(
      expected: 0, desired: UInt(bitPattern: made.base), ordering: .acquiringAndReleasing)
    if !exchanged { made.discard(slotByteCount: byteCount) }
    return true
  }

  /// Half a megabyte of addresses. Only the first page or two are ever touched.
  private borrowing func ensureDirectory() -> Bool {
    if arena.directory.load(ordering: .acquiring) != 0 { return true }
    let byteCount = Self.regionLimit * MemoryLayout<Atomic<UInt>>.stride
    guard let made = keyboard_map(byteCount) else { return false }
    let (exchanged, _) = arena.directory.compareExchange(
      expected: 0, desired: UInt(bitPattern: made), ordering: .acquiringAndReleasing)
    if !exchanged { keyboard_unmap(made, byteCount) }
    return true
  }
}

extension UInt32 {
  /// One less, or nil for 0: how "index + 1, or 0 for none" is read.
  fileprivate var predecessor: UInt32? { self == 0 ? nil : self - 1 }
}
