// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardMemory

private let slots = SecureSlots(byteCount: 2112)
private let smallSlots = SecureSlots(byteCount: 100)
private let byteCount = slots.byteCount, smallByteCount = smallSlots.byteCount

// The macros of tests take no value that cannot be copied.
private func allocate() throws -> SecureSlot { try slots.allocate() }
private func pin(_ slot: SecureSlot) -> UnsafeMutableRawPointer? { slots.pin(slot) }
private func unpin(_ slot: SecureSlot) { slots.unpin(slot) }
@discardableResult private func release(_ slot: SecureSlot) -> Bool { slots.release(slot) }
private func allocateSmall() throws -> SecureSlot { try smallSlots.allocate() }
private func pinSmall(_ slot: SecureSlot) -> UnsafeMutableRawPointer? { smallSlots.pin(slot) }
private func unpinSmall(_ slot: SecureSlot) { smallSlots.unpin(slot) }
private func setSmall(_ index: UInt32, _ state: SlotState) {
  smallSlots.find(index)!.control.pointee.state.store(state.word, ordering: .relaxed)
}
@discardableResult private func releaseSmall(_ slot: SecureSlot) -> Bool { smallSlots.release(slot) }

/// Two users have slots of their own sizes, which are taken, released and wiped apart.
@Test func usersHaveSlotsOfTheirOwn() throws {
  #expect(smallByteCount == 128 && byteCount == 2112)
  let small = try (0..<300).map { _ in try allocateSmall() }
  let large = try (0..<300).map { _ in try allocate() }
  defer {
    for slot in small { releaseSmall(slot) }
    for slot in large { release(slot) }
  }
  for (slot, number) in zip(small, 0...) { try #require(pinSmall(slot)).storeBytes(of: number, as: Int.self) }
  for slot in large {
    let memory = UnsafeMutableRawBufferPointer(start: try #require(pin(slot)), count: byteCount)
    _ = memory.initializeMemory(as: UInt8.self, repeating: 0xff)
    unpin(slot)
  }
  for (slot, number) in zip(small, 0...) {
    try #require(pinSmall(slot)?.load(as: Int.self) == number)
    unpinSmall(slot)
    unpinSmall(slot)
  }
  // The last region of the small ones has fewer slots than there are of the large ones' numbers.
  #expect(releaseSmall(small[7]) && pinSmall(small[7]) == nil && pin(large[7]) != nil)
  unpin(large[7])
}

@Test func aNewSlotIsZeroAndAligned() throws {
  let slot = try allocate()
  let memory = try #require(pin(slot))
  #expect(UInt(bitPattern: memory) % 64 == 0)
  #expect(UnsafeRawBufferPointer(start: memory, count: byteCount).allSatisfy { $0 == 0 })
  unpin(slot)
  release(slot)
}

@Test func aReleasedSlotsNumberNamesNothing() throws {
  let slot = try allocate()
  #expect(release(slot))
  #expect(!release(slot))
  #expect(pin(slot) == nil)
}

@Test func inventedNumbersNameNothing() throws {
  for number in [0, 1, UInt64(1) << 32, 0xffff_ffff, .max, 0x1_0000_0000 | 0x00ff_ffff] as [UInt64] {
    try #require(pin(SecureSlot(rawValue: number)) == nil, "\(number)")
    try #require(!release(SecureSlot(rawValue: number)), "\(number)")
  }
}

@Test func aPinnedSlotIsWipedWithItsLastPin() throws {
  let slot = try allocate()
  let memory = try #require(pin(slot))
  memory.storeBytes(of: 0xab, as: UInt8.self)
  #expect(release(slot))
  #expect(pin(slot) == nil, "the number is invalid at once")
  #expect(memory.load(as: UInt8.self) == 0xab, "but a caller that has pinned the slot may finish")
  unpin(slot)
  #expect(memory.load(as: UInt8.self) == 0)
}

@Test func theStateWordSaysWhatItShould() {
  let fresh = SlotState(generation: Generation(rawValue: 1))
  #expect(fresh.generation.rawValue == 1 && !fresh.isAlive && fresh.isAbandoned)
  #expect(fresh.revived.isAlive && !fresh.revived.isAbandoned)
  #expect(SlotState(fresh.revived.word + 1).dead.isAbandoned == false, "pinned")
}

/// Generations begin anywhere and count round, but never come back to where they began.
@Test func generationsEndBeforeTheyBeginAgain() {
  let last = Generation(rawValue: Generation.first.rawValue &- 1)
  #expect(last.next == nil)
  #expect(Generation(rawValue: .max).next.map { $0.rawValue == 0 } ?? (last.rawValue == .max))
}

@Test func aSlotWhoseGenerationsAreUsedUpIsNotUsedAgain() throws {
  let slot = try allocateSmall()
  let (index, last) = (try #require(slot.index), Generation(rawValue: Generation.first.rawValue &- 1))
  setSmall(index, SlotState(generation: last).revived)
  #expect(releaseSmall(SecureSlot(index: index, generation: last)))
  let others = try (0..<300).map { _ in try allocateSmall() }
  #expect(!others.contains { $0.index == index })
  #expect(pinSmall(SecureSlot(index: index, generation: .first)) == nil)
  for other in others { releaseSmall(other) }
}

private let table = HandleTable(capacity: 2)
private func open(_ memory: UnsafeMutableRawPointer, last: Generation? = nil) throws -> UInt64 {
  let entry = try table.reserve()
  if let last { entry.pointee.generation = last }
  return table.publish(entry, memory)
}
private func close(_ handle: UInt64) throws { try table.using(handle) { entry, _ in table.close(entry) } }

@Test func anEntryWhoseGenerationsAreUsedUpIsNotUsedAgain() throws {
  let (memory, last) = (UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1), Generation.first.rawValue &- 1)
  defer { memory.deallocate() }
  let first = try open(memory)
  try close(first)
  let second = try open(memory, last: Generation(rawValue: last))
  #expect(second == UInt64(last) << 32 | 1 && first == UInt64(last &+ 1) << 32 | 1)
  try close(second)
  for _ in 0..<9 {
    let handle = try open(memory)
    #expect(throws: KeyboardError.memory) { try open(memory) }
    #expect(UInt32(truncatingIfNeeded: handle) == 2)
    #expect(throws: KeyboardError.argument(.noHandle)) { try close(first) }
    try close(handle)
  }
}

@Test func workspacesAreApart() throws {
  let first = try Workspace()
  let second = try Workspace()
  #expect(abs(first.memory - second.memory) >= Workspace.Size.password.byteCount)
  _ = consume first
  _ = consume second
}

/// Workspaces are zero, whatever was left in earlier ones. (Other tests take workspaces at the same time, so the memory
/// of a released one must not be read.)
@Test func workspacesAreZero() throws {
  for round in 0..<200 {
    let workspace = try Workspace()
    let bytes = UnsafeMutableRawBufferPointer(start: workspace.memory, count: Workspace.Size.password.byteCount)
    let isZero = bytes.allSatisfy { $0 == 0 }
    try #require(isZero, "round \(round)")
    _ = bytes.initializeMemory(as: UInt8.self, repeating: 0xab)
  }
}

/// More workspaces than the shared region has: the others get their own memory, and no thread waits.
@Test func workspacesDoNotRunOut() throws {
  func nest(_ depth: Int) throws -> Int {
    guard depth > 0 else { return 0 }
    let workspace = try Workspace()
    workspace.memory.storeBytes(of: UInt64(depth), as: UInt64.self)
    let inner = try nest(depth - 1)
    #expect(workspace.memory.load(as: UInt64.self) == UInt64(depth))
    return inner + 1
  }
  #expect(try nest(100) == 100)
}
