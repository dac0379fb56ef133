// Medians and quartiles, because a shared machine's disturbances are all on one side.
// SPDX-License-Identifier: Apache-2.0

/// The middle of many samples, and how far they spread.
struct Summary: Codable {
  let median: Double
  /// Half the interquartile range in percent of the median: the middle half of the samples lies within ± this.
  let spread: Double

  init(_ samples: [Double]) {
    let sorted = samples.sorted()
    median = Summary.quantile(0.5, of: sorted)
    let range = Summary.quantile(0.75, of: sorted) - Summary.quantile(0.25, of: sorted)
    spread = median > 0 ? 50 * range / median : 0
  }

  /// Interpolates linearly between neighbours.
  static func quantile(_ share: Double, of sorted: [Double]) -> Double {
    guard let last = sorted.indices.last else { return 0 }
    let place = share * Double(last)
    let below = Int(place)
    let above = min(below + 1, last)
    return sorted[below] + (place - Double(below)) * (sorted[above] - sorted[below])
  }
}

/// Numbers that are the same in every run, so that a surprising result can be looked at again (SplitMix64).
struct RepeatableNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8(truncatingIfNeeded: next()) }
  }

  static func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    var numbers = RepeatableNumbers(seed: seed)
    return numbers.bytes(count)
  }
}
