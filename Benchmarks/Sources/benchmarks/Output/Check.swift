// The design's performance goals, line by line: the limit that must be reached, and the ideal.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One goal, with the measured value.
struct Check: Codable {
  enum Verdict: String, Codable {
    case pass = "PASS"
    case fallsShort = "FALLS SHORT"
    case notMeasured = "not measured"
  }

  let line: String
  let found: Double?
  let atLeast: Double
  /// nil if the design has no ideal for this line.
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
    bulk(results) + onePassword(results) + batch(results) + sealedTexts(results) + rsa(results) + passcodes(results)
      + others(results)
  }

  /// The lower result of two sizes: one fits into the cache, the other does not.
  private static func bulk(_ results: Results) -> [Check] {
    let limits: [(SM4Path, Double, Double)] = [
      (.gfni512, 35, 50), (.gfni256, 16, 20), (.aesni, 8.5, 12), (.portable, 3.8, 6),
    ]
    return limits.map { path, atLeast, dream in
      let speeds = [16_384, 1_048_576].compactMap {
        results.measurement(.bulk, Bulk.label($0), Library.name, path: path)?.speed
      }
      return times("SM4 in bulk / OpenSSL, \(path.name)", speeds.min(), atLeast, dream: dream)
    }
  }

  private static func onePassword(_ results: Results) -> [Check] {
    func ratio(_ group: Group) -> Double? {
      results.measurement(group, OnePassword.item, Library.name, path: results.bestPath)?.timeRatio.median
    }
    return [
      atMost("time of getText, one password / OpenSSL", ratio(.encrypt), 0.5, dream: 0.3),
      atMost("time of decrypt, one password / OpenSSL", ratio(.decrypt), 0.5, dream: 0.3),
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

  private static func sealedTexts(_ results: Results) -> [Check] {
    func ratio(_ group: Group, _ way: SealedWay) -> Double? {
      results.measurement(group, way.name, Library.name)?.timeRatio.median
    }
    // With IFMA, one text's two ladders are side by side.
    let isIFMA = isIFMA(results)
    return [
      atMost(
        "time of unseal, X25519 / OpenSSL", ratio(.unseal, .x25519), isIFMA ? 0.9 : 1.2, dream: isIFMA ? 0.7 : 0.9),
      atMost("time of unseal, P256 / OpenSSL", ratio(.unseal, .p256), 0.75, dream: 0.5),
      atMost("time of unseal, SM2 / OpenSSL", ratio(.unseal, .sm2), 0.2, dream: 0.14),
      atMost("unsealBatch of 64, each, X25519 / OpenSSL", ratio(.unsealBatch, .x25519), 0.25, dream: 0.18),
      atMost("unsealBatch of 64, each, P256 / OpenSSL", ratio(.unsealBatch, .p256), 0.17, dream: 0.12),
      atMost("unsealBatch of 64, each, SM2 / OpenSSL", ratio(.unsealBatch, .sm2), 0.045, dream: 0.03),
      atMost(
        "time of sealing, X25519 / OpenSSL", ratio(.seal, .x25519), isIFMA ? 0.5 : 0.65, dream: isIFMA ? 0.4 : 0.5),
      atMost("time of sealing, P256 / OpenSSL", ratio(.seal, .p256), 0.5, dream: 0.35),
      atMost("time of sealing, SM2 / OpenSSL", ratio(.seal, .sm2), 0.09, dream: 0.07),
      atMost("time of unseal, SM4_GCM / libgcrypt", ratio(.unseal, .sm4GCM), 0.6, dream: 0.3),
      atMost("time of sealing, SM4_GCM / libgcrypt", ratio(.seal, .sm4GCM), 0.6, dream: 0.3),
    ]
  }

  /// Whether the processor multiplies 52 bits in vectors. It follows from its path of SM4.
  private static func isIFMA(_ results: Results) -> Bool { results.bestPath == .gfni512 }

  /// With IFMA, OpenSSL computes on vectors.
  private static func rsa(_ results: Results) -> [Check] {
    func ratio(_ group: Group, _ label: String) -> Double? {
      results.measurement(group, label, Library.name)?.timeRatio.median
    }
    let isIFMA = isIFMA(results)
    let power = isIFMA ? 2.5 : 1.5
    let powers = RSA.sizes.flatMap { bits in
      [
        atMost("time of unseal, \(RSA.label(bits)) / OpenSSL", ratio(.unseal, RSA.label(bits)), power, dream: 1),
        atMost("time of signText, \(RSA.label(bits)) / OpenSSL", ratio(.sign, RSA.signed(bits)), power, dream: 1),
      ]
    }
    let label = RSA.label(2048)
    return powers + [
      atMost("time of sealing, \(label) / OpenSSL", ratio(.seal, label), 2, dream: 0.9),
      atMost("time of verifyText, \(label) / OpenSSL", ratio(.sign, RSA.verified(2048)), 2, dream: 0.9),
      atMost(
        "unsealBatch of 64, each, \(label) / OpenSSL", ratio(.unsealBatch, label), isIFMA ? 0.45 : 1.5,
        dream: isIFMA ? 0.22 : 1),
    ]
  }

  /// The slower result of two passcodes.
  private static func passcodes(_ results: Results) -> [Check] {
    let verifier = results.measurement(.passcodes, Passcodes.checkedVerifier, Library.name, path: results.bestPath)
    let checks = [Passcodes.checkedPIN, Passcodes.checkedPassword].compactMap {
      results.measurement(.passcodes, $0, Library.name)?.nanoseconds.median
    }
    return [
      atMost("time of checkVerifier / libargon2", verifier?.timeRatio.median, 0.6, dream: 0.45),
      atMost("check with twelve rules", checks.max().map { $0 / 1000 }, 20, dream: nil, unit: "µs"),
    ]
  }

  private static func others(_ results: Results) -> [Check] {
    let filling = results.measurement(.filling, Filling.item, Library.name)
    let size = results.fact(Footprint.sizeName)
    let start = results.measurement(.library, "start-up", Footprint.libraryProgram)
    let memory = results.fact(Footprint.memoryName)
    return [
      atMost("time of getText, 1024 bytes / getrandom", filling?.timeRatio.median, 0.3, dream: 0.2),
      atMost("size of the stripped .so", size.map { $0.value / 1024 }, 400, dream: 250, unit: "KB"),
      atMost("start-up / that of an empty C program", start?.timeRatio.median, 1.35, dream: 1.2),
      atMost("memory of an open keyboard", memory.map { $0.value / 1024 }, 2.6, dream: 1, unit: "KB"),
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
    if results.load > 0.5 {
      lines += ["", "  Other programs were running: the limits are for an idle machine and core."]
    }
    if results.isQuick { lines += ["", "  A quick run: these figures mean little."] }
    return lines.map(trimmed).joined(separator: "\n")
  }

  private func figure(found: Double) -> String {
    let isCount = found >= 1000 || unit.isEmpty
    return withUnit(number(found, isCount ? 0 : found < 2 ? 3 : found < 100 ? 1 : 0))
  }

  /// A figure as the design writes it.
  private func figure(aim: Double) -> String {
    let digits = [0, 1, 2].first { (aim * pow(10, Double($0))).truncatingRemainder(dividingBy: 1) == 0 }
    return withUnit(number(aim, digits ?? 2))
  }

  private func withUnit(_ figure: String) -> String { unit.isEmpty ? figure : figure + " " + unit }
}
