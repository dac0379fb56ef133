// What Argon2id may cost: for verifiers, keys and OPAQUE alike.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardHashes

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
}
