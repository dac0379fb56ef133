// The options of the command line.
// SPDX-License-Identifier: Apache-2.0

import Foundation

struct Options {
  static let help = """
    benchmarks: CustomKeyboard compared with OpenSSL, libgcrypt, Botan, mbedTLS and libargon2.

      make bench                       installs what lacks, builds, and runs it
      make bench BENCH='--only batch'  with options

      --only GROUP[,GROUP]  measure only some of
                            \(Group.allCases.map(\.rawValue).joined(separator: ", "))
      --quick               a smoke test of a few seconds; its figures mean little
      --check               compare the figures with the design's limits: exit with 1 if one falls short
                            (`make bench CHECK=1`; a busy machine misses limits that it meets when idle)
      --json FILE           where the figures go (default: build/bench.json)
      --chart FILE          where the chart goes, as SVG; a PNG goes next to it (default: build/chart.svg)
      --from FILE           measure nothing; show the figures of an earlier run, and draw its chart again
      --build DIRECTORY     where `make` builds (default: build)
      --help

    Exits with 1 if something does not work or a result is wrong, whatever the figures are.
    """

  var groups = Group.allCases
  var isQuick = false
  var isCheck = false
  var json: URL?
  var chart: URL?
  var earlier: URL?
  var build = URL(fileURLWithPath: "build")
  /// The groups that this process measures itself, as a child whose parent waits for the figures.
  var child: [Group]?
  /// The position of its first group among all.
  var position = 1...1

  init(_ arguments: [String]) {
    var rest = arguments[...]
    func value(of option: String) -> String {
      guard let value = rest.popFirst() else { fail("\(option) wants a value; see --help") }
      return value
    }
    func groups(_ list: String) -> [Group] {
      list.split(separator: ",").map { name in
        guard let group = Group(rawValue: String(name)) else { fail("there is no group \"\(name)\"; see --help") }
        return group
      }
    }
    while let option = rest.popFirst() {
      switch option {
      case "--help", "-h":
        print(Options.help)
        exit(0)
      case "--quick": isQuick = true
      case "--check": isCheck = true
      case "--only": self.groups = groups(value(of: option))
      case "--json": json = URL(fileURLWithPath: value(of: option))
      case "--chart": chart = URL(fileURLWithPath: value(of: option))
      case "--from": earlier = URL(fileURLWithPath: value(of: option))
      case "--build": build = URL(fileURLWithPath: value(of: option))
      case "--child": child = groups(value(of: option))
      case "--position":
        let numbers = value(of: option).split(separator: "/").compactMap { Int($0) }
        position = numbers.count == 2 && numbers[0] <= numbers[1] ? numbers[0]...numbers[1] : 1...1
      default: fail("what is \"\(option)\"? See --help")
      }
    }
  }

  var effort: Effort { isQuick ? .quick : .full }
}
