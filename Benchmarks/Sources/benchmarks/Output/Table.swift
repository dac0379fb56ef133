// The figures as text for a terminal of 100 columns.
// SPDX-License-Identifier: Apache-2.0

struct Table {
  private let results: Results

  init(_ results: Results) { self.results = results }

  var text: String {
    let sections = [
      heading, matrix(.bulk, unit: "MB/s", value: \.megabytesPerSecond), list(.setup), list(.encrypt), list(.decrypt),
      matrix(.batch, unit: "ns per password", value: \.nanoseconds.median), list(.rows), list(.filling),
      list(.unseal), list(.unsealBatch), list(.seal), list(.sign), list(.passcodes), list(.des), list(.threads),
      list(.library), facts(.library), facts(.memory),
    ]
    return sections.filter { !$0.isEmpty }.map { $0.map(trimmed).joined(separator: "\n") + "\n" }.joined(
      separator: "\n")
  }

  private var heading: [String] {
    let rounds = results.figures.measurements.map(\.rounds).min().map { " of \($0) and more interleaved rounds" } ?? ""
    return [
      "CustomKeyboard and its peers, \(results.date)",
      "\(results.processor), \(results.processors) processors, paths: "
        + results.paths.map(\.name).joined(separator: ", ") + String(format: "; load %.1f", results.load),
      "Medians\(rounds); ± half the interquartile range; ratios within rounds.",
      "",
    ]
      + results.peers.map { "  " + pad($0.name, 16) + pad($0.version, 10) + "constant-time: " + $0.constantTime }
      + ["", "  ◆ constant-time   ◇ not: looks up tables by secrets"]
  }

  // MARK: one row per contender, one column per size

  private func matrix(_ group: Group, unit: String, value: (Measurement) -> Double) -> [String] {
    let items = unique(results.measurements(group).map(\.item))
    guard !items.isEmpty else { return [] }
    let rows = unique(results.measurements(group).map(label)).filter { row in
      shown(group).contains { label($0) == row }
    }
    func line(_ row: String, _ cell: (Measurement) -> String) -> String {
      let measured = results.measurements(group).filter { label($0) == row && isShown($0) }
      return "  " + pad(row, 33)
        + items.map { item in padLeft(measured.first { $0.item == item }.map(cell) ?? "", 13) }.joined()
    }
    let reference = results.measurements(group)[0].reference
    let head = "  " + pad(unit, 33) + items.map { padLeft($0.replacing(" passwords", with: ""), 13) }.joined()
    let times = rows.map { line($0) { short(value($0)) + spread($0) } }
    let ratios = rows.filter { !$0.hasSuffix(reference) }.map { line($0) { short($0.speed) + " ×    " } }
    return [group.title, "", head] + times + ["", "  as fast as \(reference)"] + ratios
  }

  // MARK: one line per contender

  private func list(_ group: Group) -> [String] {
    let measured = shown(group)
    guard let first = measured.first else { return [] }
    let items = unique(measured.map(\.item))
    let hasPeers = measured.contains { $0.contender != $0.reference }
    let hasBytes = first.bytes > 0
    let head =
      "  " + pad("", 54) + padLeft("time     ", 16) + (hasBytes ? padLeft("MB/s", 8) : "")
      + (hasPeers ? padLeft("ratio", 9) + padLeft("speed", 9) : "")
    let lines = measured.map { measurement in
      let name = (items.count > 1 ? pad(measurement.item, 18) : "") + label(measurement)
      let time = padLeft(duration(measurement.nanoseconds.median) + spread(measurement), 16)
      let throughput = hasBytes ? padLeft(short(measurement.megabytesPerSecond), 8) : ""
      let ratio = padLeft(number(measurement.timeRatio.median, 3), 9) + padLeft(short(measurement.speed) + " ×", 9)
      return "  " + pad(name, 54) + time + throughput + (measurement.contender == measurement.reference ? "" : ratio)
    }
    return [group.title, "", head] + lines
  }

  private func facts(_ group: Group) -> [String] {
    let found = results.figures.facts.filter { $0.group == group }.map { "  " + pad($0.name, 43) + $0.text }
    return found.isEmpty || group == .library ? found : [group.title, ""] + found
  }

  // MARK: rows

  /// Peers were measured together with every path; only their figures from the best path's run are shown.
  private func isShown(_ measurement: Measurement) -> Bool {
    measurement.contender.hasPrefix(Library.name) || measurement.path == nil || measurement.path == results.bestPath
  }

  private func shown(_ group: Group) -> [Measurement] { results.measurements(group).filter(isShown) }

  private func label(_ measurement: Measurement) -> String {
    let isOurs = measurement.contender.hasPrefix(Library.name)
    if Group.onTwoPaths.contains(measurement.group) {
      return measurement.contender + (isOurs ? measurement.path.map { ", \($0.argon2Name)" } ?? "" : "")
    }
    let path = isOurs ? measurement.path.map { ", \($0.name)" } ?? "" : ""
    guard Group.onEveryPath.contains(measurement.group) else { return measurement.contender }
    return (Peer.isConstantTime(measurement.contender) ? "◆ " : "◇ ") + measurement.contender + path
  }

  private func spread(_ measurement: Measurement) -> String {
    padLeft("±" + number(measurement.nanoseconds.spread) + "%", 5)
  }
}

/// The values without repetitions, in the order of first appearance.
func unique<Value: Hashable>(_ values: [Value]) -> [Value] {
  var seen = Set<Value>()
  return values.filter { seen.insert($0).inserted }
}
