// Argon2id in memory of its own, and what it may cost: for verifiers, keys and OPAQUE alike.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardHashes
import KeyboardMemory

extension Argon2id {
  /// What a new verifier costs.
  ///
  /// - Source: OWASP, "Password Storage Cheat Sheet".
  package static var standard: Argon2id { Argon2id(memorySize: 19_456, passCount: 2, laneCount: 1) }

  package static var mostLanes: Int { 16 }
  /// In KiB: 1 GiB.
  package static var mostMemory: Int { 1 << 20 }
  /// m · t: three seconds with 1 GiB, whose pages take most of that time, and less with smaller memory.
  package static var mostWork: Int { 2 << 20 }

  /// Costs from outside.
  ///
  /// - Parameters:
  ///   - memorySize: in KiB.
  ///   - passCount, laneCount: with a memory of 0 also 0: the costs of a new verifier.
  /// - Throws: `.argument` for costs that no verifier may have.
  @inline(never) @export(interface)
  package init(memorySize: UInt32, passCount: UInt32, laneCount: UInt32) throws(KeyboardError) {
    guard memorySize != 0 || passCount != 0 || laneCount != 0 else {
      self = .standard
      return
    }
    let work = UInt64(memorySize) * UInt64(passCount)
    guard laneCount >= 1, laneCount <= Self.mostLanes, memorySize >= 8 * laneCount,
      memorySize <= Self.mostMemory, passCount >= 1, work <= Self.mostWork
    else { throw .argument(.costs) }
    self.init(memorySize: Int(memorySize), passCount: Int(passCount), laneCount: Int(laneCount))
  }

  /// The steps that follow `take`. The two short ones run on a stack of their own. The one between them takes too long
  /// to hold signals back; it works on Argon2id's memory, which a fork empties. The thread cannot be cancelled already.
  ///
  /// - Returns: false if a fork emptied Argon2id's memory.
  /// - Throws: `.memory`.
  @inline(never) @export(interface)
  package func run(
    scratch: UnsafeMutableRawPointer, into tag: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    // 256 MiB take a tenth of a second and more, locked and zeroed; the password is gone by now.
    let large = try LargeWorkspace(byteCount: byteCount)
    let memory = large.memory
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in begin(memory: memory, scratch: scratch) }
    try Residue.wiped(.deep) { () throws(KeyboardError) in fill(memory: memory, scratch: scratch) }
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in finish(into: tag, memory: memory, scratch: scratch) }
    return !large.wasEmptied
  }
}
