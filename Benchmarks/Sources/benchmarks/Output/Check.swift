// The design's table of what performance means, line by line: what is at least to be reached, and what would be a dream.

import Foundation

/// One line of it, with what was found.
struct Check: Codable {
  enum Verdict: String, Codable {
    case pass = "PASS"
    case fallsShort = "FALLS SHORT"
    case notMeasured = "not measured"
  }

  let line: String
  let found: Double?
  let atLeast: Double
  /// None where the design dreams of nothing more.
  let dream: Double?
  let isUpperBound: Bool
  let unit: String
  let verdict: Verdict
  let reachesDream: Bool

  private init(
    _ line: String, _ found: Double?, _ atLeast: Double, _ dream: Double?, _ isUpperBound: Bool, _ unit: String
  ) {
    func reaches(_ aim: Double?) -> Bool {
      guard let found, let aim else { return false }
      return isUpperBound ? found <= aim : found >= aim
    }
    self.line = line
    self.found = found
    self.atLeast = atLeast
    self.dream = dream
    self.isUpperBound = isUpperBound
    self.unit = unit
    verdict = found == nil ? .notMeasured : reaches(atLeast) ? .pass : .fallsShort
    reachesDream = reaches(dream)
  }

  private static func times(_ line: String, _ found: Double?, _ atLeast: Double, dream: Double?, unit: String = "×")
    -> Check
  {
    Check(line, found, atLeast, dream, false, unit)
  }

  private static func atMost(_ line: String, _ found: Double?, _ most: Double, dream: Double?, unit: String = "×")
    -> Check
  {
    Check(line, found, most, dream, true, unit)
  }

  // MARK: the table

  static func all(_ results: Results) -> [Check] {
    bulk(results) + oneByOne(results) + batch(results) + others(results) + footprint(results)
  }

  /// The lower of two sizes, so that neither the cache nor the memory flatters.
  private static func bulk(_ results: Results) -> [Check] {
    let aims: [(SM4Path, Double, Double)] = [
      (.gfni512, 35, 45), (.gfni256, 17, 20), (.aesni, 8.5, 12), (.portable, 4.5, 6),
    ]
    return aims.map { path, atLeast, dream in
      let speeds = [16_384, 1_048_576].compactMap {
        results.measurement(.bulk, Bulk.label($0), Library.name, path: path)?.speed
      }
      return times("SM4 in bulk / OpenSSL, \(path.name)", speeds.min(), atLeast, dream: dream)
    }
  }

  private static func oneByOne(_ results: Results) -> [Check] {
    let best = results.bestPath
    let setup = results.measurement(.setup, KeySetup.item, Library.name, path: best)
    let decrypt = results.measurement(.decrypt, OnePassword.item, Library.name, path: best)
    return [
      atMost("time of key setup + 1 block / OpenSSL", setup?.timeRatio.median, 0.35, dream: 0.2),
      atMost("time of decrypt, one password / OpenSSL", decrypt?.timeRatio.median, 0.5, dream: 0.25),
    ]
  }

  private static func batch(_ results: Results) -> [Check] {
    func speed(_ label: String) -> Double? {
      results.measurement(.batch, label, Library.name, path: results.bestPath)?.speed
    }
    let large = [Batch.label(256), Batch.label(4096)].compactMap(speed)
    return [
      times("decryptBatch of 256 and more / OpenSSL", large.min(), 35, dream: 60),
      times("decryptBatch of 16 / OpenSSL", speed(Batch.label(16)), 18, dream: 25),
    ]
  }

  private static func others(_ results: Results) -> [Check] {
    let filling = results.measurement(.filling, Filling.item, Library.name)
    let tripleDES = results.measurement(.des, DES.items[1], Library.name)
    let threads = results.measurements(.threads).filter { $0.contender == Threads.two }.map(\.speed)
    return [
      atMost("time of getText, 1024 bytes / getrandom", filling?.timeRatio.median, 0.7, dream: 0.3),
      atMost("time of 3DES, 1 KiB / mbedTLS", tripleDES?.timeRatio.median, 1.02, dream: 1),
      times("two threads / one, the least of four", threads.min(), 1.9, dream: 2),
    ]
  }

  private static func footprint(_ results: Results) -> [Check] {
    let start = results.measurement(.library, "start-up", Footprint.libraryProgram)
    let size = results.fact(Footprint.sizeName)
    let needed = results.fact(Footprint.neededName)?.text.split(separator: ",").filter { name in
      !["libmbedcrypto.so", "libc.so"].contains { name.drop { $0 == " " }.hasPrefix($0) }
    }
    let memory = results.fact(Footprint.memoryName)
    return [
      atMost("size of the stripped .so", size.map { $0.value / 1024 }, 150, dream: 100, unit: "KB"),
      atMost("libraries needed beside mbedcrypto, libc", needed.map { Double($0.count) }, 0, dream: nil, unit: ""),
      atMost("start-up / that of an empty C program", start?.timeRatio.median, 1.35, dream: nil),
      atMost("memory of an open keyboard", memory.map { $0.value / 1024 }, 16, dream: 1, unit: "KB"),
      times("keyboards open at once", results.fact(Footprint.openName)?.value, 100_000, dream: nil, unit: ""),
    ]
  }

  // MARK: in words

  static func report(_ results: Results) -> String {
    var lines = ["What performance means here: the design's table", ""]
    lines.append("  " + pad("", 54) + padLeft("found", 11) + padLeft("wanted", 12) + padLeft("dream", 11))
    for check in results.checks {
      let aim = (check.isUpperBound ? "≤ " : "≥ ") + check.figure(aim: check.atLeast)
      let dream = padLeft(check.dream.map(check.figure(aim:)) ?? "", 11) + (check.reachesDream ? " reached" : "")
      lines.append(
        "  " + pad(check.verdict.rawValue, 13) + pad(check.line, 41)
          + padLeft(check.found.map(check.figure(found:)) ?? "–", 11) + padLeft(aim, 12) + dream)
    }
    if let best = results.bestPath, best < .gfni512 {
      lines += [
        "", "  The lines that name no path mean \(SM4Path.gfni512.name). This processor's best is \(best.name).",
      ]
    }
    if results.isQuick { lines += ["", "  A quick run: these figures mean little."] }
    return lines.map(trimmed).joined(separator: "\n")
  }

  private func figure(found: Double) -> String {
    let isCount = found >= 1000 || unit.isEmpty
    return withUnit(number(found, isCount ? 0 : found < 2 ? 3 : found < 100 ? 1 : 0))
  }

  /// As the design writes it.
  private func figure(aim: Double) -> String {
    let digits = [0, 1, 2].first { (aim * pow(10, Double($0))).truncatingRemainder(dividingBy: 1) == 0 }
    return withUnit(number(aim, digits ?? 2))
  }

  private func withUnit(_ figure: String) -> String { unit.isEmpty ? figure : figure + " " + unit }
}
