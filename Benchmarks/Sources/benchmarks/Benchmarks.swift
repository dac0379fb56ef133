// The parent process: runs a child for each measurement, one after another, and shows the results.
// SPDX-License-Identifier: Apache-2.0

import Foundation

@main
enum Benchmarks {
  static func main() throws {
    let options = Options(Array(CommandLine.arguments.dropFirst()))
    if let groups = options.child { return try measureAsChild(groups, options) }

    var results = try options.earlier.map(Results.read) ?? measured(options)
    if options.isCheck { results.checks = Check.all(results) }
    print(Table(results).text)
    if options.isCheck { print(Check.report(results)) }
    fflush(nil)
    try keep(results, options)
    if options.isCheck && results.checks.contains(where: { $0.verdict == .fallsShort }) { exit(1) }
  }

  private static func measured(_ options: Options) -> Results {
    var results = Results.describingThisMachine(isQuick: options.isQuick)
    if results.load > 0.5 {
      progress(
        String(format: "Other programs are running (load %.1f): expect spread, mostly with two threads.", results.load))
    }
    let assignments = Assignment.all(for: options.groups)
    let total = assignments.map(\.groups.count).reduce(0, +)
    var position = 1
    for assignment in assignments {
      results.figures.add(assignment.measure(options, position: position, of: total))
      position += assignment.groups.count
    }
    return results
  }

  /// A run of only some groups writes its figures only where it is told to, and does not touch the files of full runs.
  private static func keep(_ results: Results, _ options: Options) throws {
    let isWhole = options.earlier == nil && options.groups == Group.allCases && !options.isQuick
    if let json = options.json ?? (isWhole ? options.build.appendingPathComponent("bench.json") : nil) {
      try results.write(to: json)
      progress("Figures: \(json.relativePath)")
    }
    if let file = options.chart ?? (isWhole ? options.build.appendingPathComponent("chart.svg") : nil) {
      guard let chart = Chart(results) else { return progress("No chart: it needs the groups bulk and batch.") }
      try chart.write(to: file)
    }
  }
}
