// What is sealed about all rows together: a generation, and a sum that notices a row which was removed, swapped or put
// back.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory

/// The state of a vault, in locked memory while a transaction runs.
///
///     0            8         16      24     56
///     ├ generation ┼ writes ─┼ rows ─┼ sum ─┤
///
/// The sum is that of all rows' terms, as little-endian numbers modulo 2²⁵⁶.
struct VaultSum {
  let memory: UnsafeMutableRawPointer

  static var byteCount: Int { 56 }

  /// How many transactions have changed the vault; the version of the rows that the last one wrote.
  var generation: Int64 {
    get { Int64(littleEndian: memory.load(as: Int64.self)) }
    nonmutating set { memory.storeBytes(of: newValue.littleEndian, as: Int64.self) }
  }

  /// How many texts were sealed under this root.
  var writes: Int64 {
    get { Int64(littleEndian: memory.load(fromByteOffset: 8, as: Int64.self)) }
    nonmutating set { memory.storeBytes(of: newValue.littleEndian, toByteOffset: 8, as: Int64.self) }
  }

  var rows: Int64 {
    get { Int64(littleEndian: memory.load(fromByteOffset: 16, as: Int64.self)) }
    nonmutating set { memory.storeBytes(of: newValue.littleEndian, toByteOffset: 16, as: Int64.self) }
  }

  private var sum: UnsafeMutableRawPointer { memory + 24 }

  func clear() { memory.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount) }

  func add(_ term: UnsafeRawPointer) {
    var carry: UInt64 = 0
    for i in stride(from: 0, to: 32, by: 8) {
      let word = UInt64(littleEndian: term.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      let own = UInt64(littleEndian: sum.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      let (partial, first) = own.addingReportingOverflow(word)
      let (total, second) = partial.addingReportingOverflow(carry)
      carry = first || second ? 1 : 0
      sum.storeBytes(of: total.littleEndian, toByteOffset: i, as: UInt64.self)
    }
    rows += 1
  }

  func subtract(_ term: UnsafeRawPointer) {
    var borrow: UInt64 = 0
    for i in stride(from: 0, to: 32, by: 8) {
      let word = UInt64(littleEndian: term.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      let own = UInt64(littleEndian: sum.loadUnaligned(fromByteOffset: i, as: UInt64.self))
      let (partial, first) = own.subtractingReportingOverflow(word)
      let (total, second) = partial.subtractingReportingOverflow(borrow)
      borrow = first || second ? 1 : 0
      sum.storeBytes(of: total.littleEndian, toByteOffset: i, as: UInt64.self)
    }
    rows -= 1
  }

  /// Whether rows and sum are those of another state.
  func agrees(with other: VaultSum) -> Bool {
    ConstantTime.isEqual(memory + 16, other.memory + 16, count: Self.byteCount - 16)
  }
}

/// A state that this handle has seen, in memory: generation and seal name it. If the file has an older one, somebody
/// has put that back.
///
///     0            8      36
///     ├ generation ┼ seal ┤
struct SeenState {
  let memory: UnsafeMutableRawPointer

  static var byteCount: Int { 8 + VaultKeys.sealSize }

  private var generation: Int64 { Int64(littleEndian: memory.load(as: Int64.self)) }

  /// Every state is a later one.
  func clear() { memory.storeBytes(of: -1, as: Int64.self) }

  func isBefore(_ other: Int64) -> Bool { generation < other }

  func isSame(_ other: Int64, seal: UnsafeRawPointer) -> Bool {
    generation == other && ConstantTime.isEqual(memory + 8, seal, count: VaultKeys.sealSize)
  }

  func take(_ generation: Int64, seal: UnsafeRawPointer) {
    memory.storeBytes(of: generation.littleEndian, as: Int64.self)
    (memory + 8).copyMemory(from: seal, byteCount: VaultKeys.sealSize)
  }
}
