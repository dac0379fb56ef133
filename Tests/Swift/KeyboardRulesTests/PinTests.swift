// Every rule on PINs of 4 to 6 digits, compared with sets that were made in another way; and the page that says
// how many each rule refuses.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import Testing

@testable import KeyboardRules

private struct Case: Sendable {
  let name: String
  let kind: PasscodeRule
  var number = 0
  var text = ""
  let refused: @Sendable (_ length: Int) -> PinSet
}

private let birthday = writings(year: "1987", month: "04", day: "23")
private let phone = "01087654321"

private let cases: [Case] = [
  Case(name: "MIN_LENGTH 6", kind: .minimumLength, number: 6) {
    $0 < 6 ? .all(length: $0) : PinSet(length: $0)
  },
  Case(name: "MAX_LENGTH 4", kind: .maximumLength, number: 4) {
    $0 > 4 ? .all(length: $0) : PinSet(length: $0)
  },
  Case(name: "DIGITS", kind: .digits) { PinSet(length: $0) },
  Case(name: "ALPHANUMERIC", kind: .alphanumeric) { PinSet(length: $0) },
  Case(name: "SAME 2", kind: .same, number: 2) { .same(2, length: $0) },
  Case(name: "SAME 3", kind: .same, number: 3) { .same(3, length: $0) },
  Case(name: "SAME 4", kind: .same, number: 4) { .same(4, length: $0) },
  Case(name: "RUN 2", kind: .run, number: 2) { .run(2, length: $0) },
  Case(name: "RUN 3", kind: .run, number: 3) { .run(3, length: $0) },
  Case(name: "RUN 4", kind: .run, number: 4) { .run(4, length: $0) },
  Case(name: "PAIRS", kind: .pairs) { .pairs(length: $0) },
  Case(name: "DOUBLES", kind: .doubles) { .doubles(length: $0) },
  Case(name: "TEXT 007", kind: .text, text: "007") { .with(["007"], length: $0) },
  Case(name: "DATE", kind: .date, text: "1987-04-23") { .with(birthday, length: $0) },
  Case(name: "PHONE 3", kind: .phone, number: 3, text: phone) { .with(parts(of: phone, count: 3), length: $0) },
  Case(name: "PHONE 4", kind: .phone, number: 4, text: "+010-8765 4321") {
    .with(parts(of: phone, count: 4), length: $0)
  },
  Case(name: "COMMON", kind: .common) { .exactly(commonPasscodes, length: $0) },
]

/// The built-in list as the script makes it.
let commonPasscodes: [String] = try! output(of: "common.py").map(String.init)

/// The PINs that are looked at, if these are what the rules refuse: all of four digits; of longer ones each 41st, and
/// all that a rule refuses which refuses few. With `make test THOROUGH=1` all.
private func pins(length: Int, _ refused: [PinSet]) -> [Int] {
  let count = PinSet.power(length)
  if length == 4 || ProcessInfo.processInfo.environment["THOROUGH"] == "1" { return Array(0..<count) }
  let rare = refused.filter { $0.count < count / 100 }
  return rare.flatMap { set in (0..<count).filter { set.flags[$0] } } + stride(from: 0, to: count, by: 41)
}

@Suite struct PinTests {
  /// The rows of Docs/Passcodes.md: a rule, and how many PINs of 4 and of 6 digits it refuses.
  private static let page: [String: (four: Int, six: Int)] = {
    let text = try! String(contentsOf: projectFile("Docs/Passcodes.md"), encoding: .utf8)
    var rows: [String: (four: Int, six: Int)] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.filter { !" `,".contains($0) } }
      guard cells.count == 3, let four = Int(cells[1]), let six = Int(cells[2]) else { continue }
      rows[cells[0]] = (four, six)
    }
    return rows
  }()

  @Test func everyRuleRefusesThePinsOfTheReference() throws {
    let lists = try cases.map { try Rules($0.kind, $0.number, $0.text) }
    var counts = cases.map { _ in [Int]() }
    for length in 4...6 {
      let expected = cases.map { $0.refused(length) }
      for (index, set) in expected.enumerated() { counts[index].append(set.count) }
      for pin in pins(length: length, expected) {
        let digits = String(repeating: "0", count: length - String(pin).count) + String(pin)
        Array(digits.utf8).withUnsafeBytes { bytes in
          for (index, rules) in lists.enumerated() {
            let broken = rules.list.firstBroken(by: bytes, characterCount: length, scratch: rules.scratch.start)
            if (broken != nil) != expected[index].flags[pin] {
              Issue.record("\(cases[index].name): \(digits): refused \(broken != nil)")
            }
          }
        }
      }
    }
    #expect(lists.allSatisfy { $0.isConfined })
    for (rule, counts) in zip(cases, counts) {
      guard let row = Self.page[rule.name.filter { $0 != " " }] else { continue }
      #expect(row == (counts[0], counts[2]), "Docs/Passcodes.md: \(rule.name) refuses \(counts[0]) and \(counts[2])")
    }
  }

  /// The chart of Docs/Passcodes.md has the rows of its table, the most first: a block for each whole percent.
  @Test func theChartShowsTheTable() throws {
    let text = try String(contentsOf: projectFile("Docs/Passcodes.md"), encoding: .utf8)
    let rows = cases.compactMap { rule in
      Self.page[rule.name.filter { $0 != " " }].map { (name: rule.name, counts: [$0.four, $0.six]) }
    }
    for (index, (heading, all)) in [("four", 10_000), ("six", 1_000_000)].enumerated() {
      var chart = ["of the PINs of \(heading) digits"]
      for row in rows.sorted(by: { $0.counts[index] > $1.counts[index] }) {
        let tenths = (row.counts[index] * 1000 + all / 2) / all
        let bar = tenths >= 10 ? String(repeating: "█", count: tenths / 10) : "▏"
        let name = row.name.padding(toLength: 8, withPad: " ", startingAt: 0)
        chart.append("  \(name) \(bar) \(tenths / 10).\(tenths % 10) %")
      }
      #expect(text.contains(chart.joined(separator: "\n") + "\n"), "\(chart)")
    }
  }

  @Test func thePageHasARowForEachRuleThatRefusesPins() {
    let names = cases.map { $0.name.filter { $0 != " " } }
    #expect(Set(Self.page.keys).isSubset(of: names))
    #expect(Self.page.count >= 10)
  }
}
