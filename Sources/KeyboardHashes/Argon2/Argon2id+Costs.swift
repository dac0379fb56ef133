// What Argon2id (RFC 9106) costs: a value that phones have, too, where the hash itself is below the C header.
// SPDX-License-Identifier: Apache-2.0

/// What one hash costs.
///
/// The first half of the first pass takes its blocks in an order that depends on nothing secret; the rest takes them in
/// an order that depends on the password, as RFC 9106 has it. Nothing else depends on a secret.
package struct Argon2id: Equatable, Sendable {
  /// m: memory in KiB, at least 8 for each lane.
  package let memorySize: Int
  /// t: how often the memory is filled, at least once.
  package let passCount: Int
  /// p: the lanes that the memory is divided into, at least one.
  package let laneCount: Int

  package init(memorySize: Int, passCount: Int, laneCount: Int) {
    (self.memorySize, self.passCount, self.laneCount) = (memorySize, passCount, laneCount)
  }
}
