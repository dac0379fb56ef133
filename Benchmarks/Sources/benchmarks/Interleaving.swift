// All contenders run in every round, and each round begins with another one. If the machine slows down for a while, it
// slows all of them. Ratios are computed within a round, before the median. Each contender is compared with the first.
// SPDX-License-Identifier: Apache-2.0

/// A call that is measured by repeating it.
struct Contender {
  let name: String
  /// The number of operations in one call, if it is a batch.
  let operations: Int
  let run: (_ repeats: Int) -> Void

  init(_ name: String, operations: Int = 1, run: @escaping (_ repeats: Int) -> Void) {
    self.name = name
    self.operations = operations
    self.run = run
  }
}

/// One figure of the result. Times are per operation; `timeRatio` is this time divided by the reference's.
struct Measurement: Codable {
  let group: Group
  /// What was done: "16 KiB", "256 passwords".
  let item: String
  let contender: String
  /// The path that the library was told to use; none if the processor's best was used.
  let path: SM4Path?
  let nanoseconds: Summary
  /// The bytes that one operation processes, if throughput is of interest.
  let bytes: Int
  let reference: String
  let timeRatio: Summary
  let rounds: Int

  var megabytesPerSecond: Double { Double(bytes) * 1000 / nanoseconds.median }

  /// How many times as fast as the reference.
  var speed: Double { 1 / timeRatio.median }
}

/// The settings for a group of measurements: how long, and on which path.
struct Run {
  let effort: Effort
  let path: SM4Path?

  /// Measures the contenders in interleaved rounds; the others are compared with the first.
  func measure(_ group: Group, _ item: String, bytes: Int = 0, _ contenders: [Contender]) -> [Measurement] {
    let counts = contenders.map { repeats(for: effort, $0.run) }
    var times = [[Double]](repeating: [], count: contenders.count)
    for round in 0..<effort.rounds {
      for turn in contenders.indices {
        let i = (turn + round) % contenders.count
        let time = undisturbed { contenders[i].run(counts[i]) }
        times[i].append(Double(time) / Double(counts[i] * contenders[i].operations))
      }
    }
    return contenders.indices.map { i in
      Measurement(
        group: group, item: item, contender: contenders[i].name, path: path, nanoseconds: Summary(times[i]),
        bytes: bytes, reference: contenders[0].name, timeRatio: Summary(zip(times[i], times[0]).map { $0 / $1 }),
        rounds: effort.rounds)
    }
  }
}
