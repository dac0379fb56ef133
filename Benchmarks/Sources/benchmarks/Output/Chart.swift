// One picture: the speed of SM4 on every path and of the peers, the time for a password in a batch, and that for a
// sealed text. Everything that colour shows is also shown by lightness, and every mark has its figure.
// SPDX-License-Identifier: Apache-2.0

import Foundation

struct Chart {
  static let width = 1000.0
  static let left = 290.0
  static let margin = 40.0

  var svg: SVG
  private let title: String

  /// nil if the figures for it were not measured.
  init?(_ results: Results) {
    let bars = Chart.bars(results)
    let batches = Chart.batches(results)
    let sealed = Chart.sealedTexts(results)
    guard let best = bars.first(where: { $0.label.hasPrefix(Library.name) }), !batches.isEmpty, !sealed.isEmpty else {
      return nil
    }
    let top = 168.0
    let second = top + 36 * Double(bars.count) + 84
    let third = second + 52 * Double(batches.count) + 98
    svg = SVG(width: Chart.width, height: third + 52 * Double(sealed.count) + 98)
    title = "SM4 in constant time, \(number(best.speed, best.speed < 10 ? 1 : 0)) × as fast as OpenSSL"

    svg.rectangle(0, 0, svg.width, svg.height, fill: SVG.Palette.paper)
    svg.text(Chart.margin, 54, title, .init(size: 27, weight: 700))
    svg.text(Chart.margin, 82, Chart.setting(results), .init(size: 13.5, colour: SVG.Palette.quiet))
    drawBars(bars, top: top)
    heading("decryptBatch, each password under its own key", "nanoseconds per password, logarithmic", y: second - 40)
    drawPairs(batches, unit: "ns", top: second)
    heading("Sealed texts, one password", "microseconds, logarithmic", y: third - 40)
    drawPairs(sealed, unit: "µs", top: third)
    drawLegend(y: svg.height - 26)
  }

  /// Writes the SVG, and also a PNG if rsvg-convert is installed.
  func write(to file: URL) throws {
    try Data(svg.file(title: title).utf8).write(to: file)
    progress("Chart: \(file.relativePath)")
    let png = file.deletingPathExtension().appendingPathExtension("png")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["rsvg-convert", "--zoom=2", "--output", png.path, file.path]
    try process.run()
    process.waitUntilExit()
    progress(
      process.terminationStatus == 0 ? "Chart: \(png.relativePath)" : "No PNG: rsvg-convert failed (librsvg2-bin).")
  }

  private static func setting(_ results: Results) -> String {
    let notDrawn = ["mbedTLS", "libargon2"]
    let versions = results.peers.filter { !notDrawn.contains($0.name) }.map { "\($0.name) \($0.version)" }
    return versions.joined(separator: ", ") + " · \(results.processor), one core · \(results.date.prefix(10))"
  }

  // MARK: throughput

  private struct Bar {
    let label: String
    let value: Double
    let speed: Double
    let fill: String
  }

  private static func bars(_ results: Results) -> [Bar] {
    let item = Bulk.label(16_384)
    let ours = results.paths.compactMap { path in
      results.measurement(.bulk, item, Library.name, path: path).map { measurement in
        let shade = SM4Path.allCases.firstIndex(of: path)!
        return Bar(
          label: "\(Library.name), \(path.name)", value: measurement.megabytesPerSecond, speed: measurement.speed,
          fill: SVG.Palette.paths[shade])
      }
    }
    let peers = results.measurements(.bulk, item: item, path: results.bestPath)
      .filter { $0.contender != Library.name }
      .map { measurement in
        Bar(
          label: String(measurement.contender.prefix { $0 != "," }), value: measurement.megabytesPerSecond,
          speed: measurement.speed,
          fill: Peer.isConstantTime(measurement.contender) ? SVG.Palette.peerDark : "url(#hatch)")
      }
    return (ours + peers).sorted { $0.value > $1.value }
  }

  private mutating func drawBars(_ bars: [Bar], top: Double) {
    heading("SM4-ECB, 16 KiB a call", "MB/s, and times OpenSSL", y: top - 34)
    let room = Chart.width - Chart.left - 210
    let scale = room / (bars.map(\.value).max() ?? 1)
    for (i, bar) in bars.enumerated() {
      let y = top + 36 * Double(i) - 10
      let length = max(bar.value * scale, 2)
      svg.text(Chart.left - 14, y + 18, bar.label, .init(anchor: .end))
      svg.rectangle(Chart.left, y, length, 26, fill: bar.fill, radius: 2)
      let figure = number(bar.value)
      svg.text(Chart.left + length + 10, y + 18, figure, .init(size: 15, weight: 700))
      let after = Chart.left + length + 20 + 9 * Double(figure.count)
      if !bar.label.hasPrefix("OpenSSL") {
        svg.text(after, y + 18, "\(short(bar.speed)) ×", .init(colour: SVG.Palette.quiet))
      }
    }
    svg.line(Chart.left, top - 16, Chart.left, top + 36 * Double(bars.count) - 14, colour: SVG.Palette.peerDark)
  }

  // MARK: words

  mutating func heading(_ text: String, _ unit: String, y: Double) {
    svg.text(Chart.margin, y, text, .init(size: 17, weight: 700))
    svg.text(Chart.width - Chart.margin, y, unit, .init(size: 13.5, colour: SVG.Palette.quiet, anchor: .end))
    svg.line(Chart.margin, y + 9, Chart.width - Chart.margin, y + 9, colour: SVG.Palette.grid)
  }

  private mutating func drawLegend(y: Double) {
    var x = Chart.margin
    let face = SVG.Face(size: 12.5, colour: SVG.Palette.quiet)
    func swatch(_ fill: String, _ text: String, _ svg: inout SVG) {
      svg.rectangle(x, y - 11, 14, 14, fill: fill, radius: 2)
      svg.text(x + 20, y, text, face)
      x += 44 + 6.9 * Double(text.count)
    }
    swatch(SVG.Palette.paths[3], "CustomKeyboard (constant-time)", &svg)
    swatch(SVG.Palette.peerDark, "peer, constant-time", &svg)
    swatch("url(#hatch)", "peer, table look-ups", &svg)
    svg.dot(x + 7, y - 4, radius: 6, fill: SVG.Palette.paper, stroke: SVG.Palette.peerDark)
    svg.text(x + 20, y, "OpenSSL EVP; for SM4_GCM libgcrypt", face)
  }
}
