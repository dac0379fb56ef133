// The results of a run as one value: a child passes it to its parent, build/bench.json contains it, and the table, the
// checks and the chart are made from it.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A figure that is not a time.
struct Fact: Codable {
  let group: Group
  let name: String
  let value: Double
  let text: String
}

struct Figures: Codable {
  var measurements: [Measurement] = []
  var facts: [Fact] = []

  mutating func add(_ other: Figures) {
    measurements += other.measurements
    facts += other.facts
  }
}

struct Results: Codable {
  let date: String
  let processor: String
  let processors: Int
  let load: Double
  let isQuick: Bool
  let paths: [SM4Path]
  let peers: [Peer]
  var figures = Figures()
  /// Empty unless the run checks the design's limits.
  var checks: [Check] = []

  static func describingThisMachine(isQuick: Bool) -> Results {
    var load = 0.0
    _ = getloadavg(&load, 1)
    return Results(
      date: Date().formatted(.iso8601), processor: Processor.name, processors: benchmarks.processors.count, load: load,
      isQuick: isQuick, paths: SM4Path.available, peers: Peer.all)
  }

  // MARK: looking things up

  func measurements(_ group: Group, item: String? = nil, path: SM4Path? = nil) -> [Measurement] {
    figures.measurements.filter {
      $0.group == group && (item == nil || $0.item == item) && (path == nil || $0.path == path)
    }
  }

  func measurement(_ group: Group, _ item: String, _ contender: String, path: SM4Path? = nil) -> Measurement? {
    measurements(group, item: item, path: path).first { $0.contender == contender }
  }

  func fact(_ name: String) -> Fact? { figures.facts.first { $0.name == name } }

  /// The best path that a group was measured on.
  var bestPath: SM4Path? { paths.max() }

  // MARK: files

  func write(to file: URL) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    try (encoder.encode(self) + Data("\n".utf8)).write(to: file)
  }

  static func read(from file: URL) throws -> Results {
    try JSONDecoder().decode(Results.self, from: Data(contentsOf: file))
  }
}
