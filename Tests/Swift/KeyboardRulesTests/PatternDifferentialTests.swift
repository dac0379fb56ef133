// Generated patterns and texts, compared with what Python's `re` says. Tests/Rules/patterns.py makes them.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KeyboardRules

/// The bytes that a field of the script's has in hexadecimal, with a dot at its end.
private func bytes(_ field: Substring) -> [UInt8] {
  var digits = field.utf8.dropLast().map { $0 < 0x3a ? $0 - 0x30 : $0 - 0x57 }[...]
  var bytes: [UInt8] = []
  while let high = digits.popFirst(), let low = digits.popFirst() { bytes.append(high << 4 | low) }
  return bytes
}

@Suite struct PatternDifferentialTests {
  /// `PATTERN_PAIRS` and `PATTERN_SEED` in the environment ask for more, or others.
  @Test func agreesWithPython() throws {
    let environment = ProcessInfo.processInfo.environment
    let count = Int(environment["PATTERN_PAIRS"] ?? "") ?? 10_000
    let seed = environment["PATTERN_SEED"] ?? "1"
    let lines = try output(of: "patterns.py", String(count), seed)
    try #require(lines.count == count)
    let scratch = GuardedMemory(byteCount: RuleList.scratchByteCount, filledWith: 0xee)
    var verdicts: [Substring: Int] = [:]
    var exhausted = 0
    for line in lines {
      let fields = line.split(separator: " ")
      let (pattern, text, verdict) = (bytes(fields[0]), bytes(fields[1]), fields[2])
      verdicts[verdict, default: 0] += 1
      let description: Comment = "seed \(seed): \(String(decoding: pattern, as: UTF8.self).debugDescription) \(text)"
      let position = try pattern.withUnsafeBytes { try Pattern.fault(in: $0, scratch: scratch.start) }
      if verdict == "fault" {
        try #require(fields[3].split(separator: ",").contains { Int($0) == position }, description)
        continue
      }
      try #require(position == nil, description)
      switch search(pattern, in: text, scratch) {
      case .found: try #require(verdict == "found" || verdict == "slow", description)
      case .notFound: try #require(verdict == "none" || verdict == "slow", description)
      case .exhausted: exhausted += 1
      }
    }
    #expect(scratch.isConfined)
    #expect(exhausted < count / 200, "too few are answered")
    for verdict: Substring in ["found", "none", "fault"] { #expect(verdicts[verdict, default: 0] > count / 8) }
    print("patterns: \(count) pairs, \(verdicts.sorted { $0.key < $1.key }), exhausted \(exhausted)")
  }
}
