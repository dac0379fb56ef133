// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardMemory

@Test func aNewSlotIsZeroAndAligned() throws {
  let slot = try SecureSlot.allocate()
  let memory = try #require(slot.pin())
  #expect(UInt(bitPattern: memory) % 64 == 0)
  #expect(UnsafeRawBufferPointer(start: memory, count: SecureSlot.byteCount).allSatisfy { $0 == 0 })
  slot.unpin()
  slot.release()
}

@Test func aReleasedSlotsNumberNamesNothing() throws {
  let slot = try SecureSlot.allocate()
  #expect(slot.release())
  #expect(!slot.release())
  #expect(slot.pin() == nil)
}

@Test func inventedNumbersNameNothing() throws {
  for number in [0, 1, UInt64(1) << 32, 0xffff_ffff, .max, 0x1_0000_0000 | 0x00ff_ffff] as [UInt64] {
    try #require(SecureSlot(rawValue: number).pin() == nil, "\(number)")
    try #require(!SecureSlot(rawValue: number).release(), "\(number)")
  }
}

@Test func aPinnedSlotIsWipedWithItsLastPin() throws {
  let slot = try SecureSlot.allocate()
  let memory = try #require(slot.pin())
  memory.storeBytes(of: 0xab, as: UInt8.self)
  #expect(slot.release())
  #expect(slot.pin() == nil, "the number is invalid at once")
  #expect(memory.load(as: UInt8.self) == 0xab, "but a caller that has pinned the slot may finish")
  slot.unpin()
  #expect(memory.load(as: UInt8.self) == 0)
}

@Test func numbersAreNeverUsedTwice() throws {
  var seen = Set<UInt64>()
  for _ in 0..<20_000 {
    let slot = try SecureSlot.allocate()
    try #require(seen.insert(slot.rawValue).inserted)
    slot.release()
  }
}

@Test func liveSlotsDoNotOverlap() throws {
  let slots = try (0..<1000).map { _ in try SecureSlot.allocate() }
  let addresses = slots.map { UInt(bitPattern: $0.pin()) }.sorted()
  #expect(addresses.allSatisfy { $0 != 0 })
  for (low, high) in zip(addresses, addresses.dropFirst()) { try #require(high - low >= UInt(SecureSlot.byteCount)) }
  for slot in slots {
    slot.unpin()
    slot.release()
  }
}

@Test func theStateWordSaysWhatItShould() {
  let fresh = SlotState(generation: 1)
  #expect(fresh.generation == 1 && !fresh.isAlive && fresh.isAbandoned)
  #expect(fresh.revived.isAlive && !fresh.revived.isAbandoned)
  #expect(SlotState(fresh.revived.word + 1).dead.isAbandoned == false, "pinned")
  #expect(fresh.next.generation == 2)
  #expect(SlotState(generation: .max).next.generation == 0, "generations begin anywhere and wrap around")
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
