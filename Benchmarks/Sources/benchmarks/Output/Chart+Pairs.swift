// The chart's pairs of dots: a time of ours and a time of a peer.
// SPDX-License-Identifier: Apache-2.0

import Foundation

extension Chart {
  struct Pair {
    let label: String
    let ours: Double
    let theirs: Double
    let speed: Double
  }

  static func batches(_ results: Results) -> [Pair] {
    unique(results.measurements(.batch).map(\.item)).compactMap { item in
      guard let ours = results.measurement(.batch, item, Library.name, path: results.bestPath),
        let theirs = results.measurement(.batch, item, OpenSSL.newContext, path: results.bestPath)
      else { return nil }
      return Pair(
        label: item.replacing("×2 blocks", with: " passwords of 2 blocks"), ours: ours.nanoseconds.median,
        theirs: theirs.nanoseconds.median, speed: ours.speed)
    }
  }

  /// In microseconds. OpenSSL's part of SM2 is without SM4-GCM.
  static func sealedTexts(_ results: Results) -> [Pair] {
    [(Group.unseal, "opened"), (.seal, "sealed")].flatMap { group, done in
      Sealing.ways.compactMap { way -> Pair? in
        let measured = results.measurements(group, item: way.name)
        guard let theirs = measured.first, let ours = measured.first(where: { $0.contender == Library.name }) else {
          return nil
        }
        return Pair(
          label: "\(way.name), \(done)", ours: ours.nanoseconds.median / 1000,
          theirs: theirs.nanoseconds.median / 1000, speed: ours.speed)
      }
    }
  }

  /// Two dots on a logarithmic axis, because a bar would need a zero to begin at.
  mutating func drawPairs(_ pairs: [Pair], unit: String, top: Double) {
    let values = pairs.flatMap { [$0.ours, $0.theirs] }
    let low = log10(values.min()!) - 0.18
    let high = log10(values.max()!) + 0.18
    let room = Chart.width - Chart.left - Chart.margin - 10
    func place(_ value: Double) -> Double { Chart.left + room * (log10(value) - low) / (high - low) }

    let bottom = top + 52 * Double(pairs.count) - 16
    for decade in Int(low.rounded(.up))...max(Int(low.rounded(.up)), Int(high)) {
      for step in [1.0, 2, 5] {
        let value = step * pow(10, Double(decade))
        guard log10(value) < high else { continue }
        svg.line(place(value), top - 20, place(value), bottom, colour: SVG.Palette.grid)
        svg.text(
          place(value), bottom + 18, number(value, value < 1 ? 1 : 0) + (step == 1 ? " \(unit)" : ""),
          .init(size: 12.5, colour: SVG.Palette.quiet, anchor: .middle))
      }
    }
    for (i, pair) in pairs.enumerated() {
      let y = top + 52 * Double(i) + 8
      let (ours, theirs) = (place(pair.ours), place(pair.theirs))
      svg.text(Chart.left - 14, y + 5, pair.label, .init(anchor: .end))
      svg.line(ours, y, theirs, y, colour: SVG.Palette.peer, width: 3)
      svg.dot(theirs, y, radius: 7, fill: SVG.Palette.paper, stroke: SVG.Palette.peerDark)
      svg.dot(ours, y, radius: 7, fill: SVG.Palette.paths[3], stroke: SVG.Palette.paths[3])
      // If two dots touch, their figures go to the left and to the right of both.
      let nudge = abs(theirs - ours) > 40 ? 0 : theirs < ours ? -24.0 : 24.0
      svg.text(ours - nudge, y - 14, short(pair.ours), .init(size: 13.5, weight: 700, anchor: .middle, hasHalo: true))
      svg.text(
        theirs + nudge, y - 14, short(pair.theirs),
        .init(size: 13.5, colour: SVG.Palette.quiet, anchor: .middle, hasHalo: true))
      let label = "\(short(pair.speed)) ×"
      let middle = (ours + theirs) / 2
      guard abs(theirs - ours) > 110 else { continue }
      svg.rectangle(middle - 5 * Double(label.count), y - 10, 10 * Double(label.count), 20, fill: SVG.Palette.paper)
      svg.text(middle, y + 5, label, .init(weight: 700, anchor: .middle))
    }
  }
}
