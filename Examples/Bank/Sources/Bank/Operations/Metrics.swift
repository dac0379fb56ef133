// Counts for an operator's Prometheus, in its text format (version 0.0.4). No account and no address is in them.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

final class Metrics: Sendable {
  /// What is counted, with the labels in the order in which they are shown.
  private struct Series: Hashable {
    let name: String
    let labels: [String]
  }

  private let counts = Mutex<[Series: Int]>([:])
  private let verifications = Mutex((count: 0, seconds: 0.0, upTo: [Int](repeating: 0, count: bounds.count)))

  /// Upper bounds of how long the check of a passcode takes, in seconds: the database, the wait for a thread, the hash.
  private static let bounds = [0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]

  // MARK: Count

  func countRequest(_ path: String, _ status: Int) {
    count("bank_requests_total", ["path", path, "status", String(status)])
  }

  /// Shows failures of a path as 0 before the first: Prometheus sees no increase of a series that begins with 1.
  func showFailures(of path: String) {
    let series = Series(name: "bank_requests_total", labels: ["path", path, "status", "500"])
    counts.withLock { $0[series, default: 0] += 0 }
  }

  func countAttempt(_ purpose: String, _ outcome: String, _ duration: Duration) {
    count("bank_attempts_total", ["purpose", purpose, "outcome", outcome])
    let seconds = duration / .seconds(1)
    verifications.withLock { state in
      state.count += 1
      state.seconds += seconds
      for (place, bound) in Self.bounds.enumerated() where seconds <= bound { state.upTo[place] += 1 }
    }
  }

  private func count(_ name: String, _ labels: [String]) {
    counts.withLock { $0[Series(name: name, labels: labels), default: 0] += 1 }
  }

  // MARK: Show

  func text(_ admissions: Admissions) -> String {
    var lines: [String] = []
    func begin(_ name: String, _ type: String, _ help: String) {
      lines += ["# HELP \(name) \(help)", "# TYPE \(name) \(type)"]
    }
    func show(_ name: String) {
      let shown = counts.withLock { $0.filter { $0.key.name == name } }
      lines += shown.map { "\(name)\(Self.labels($0.key.labels)) \($0.value)" }.sorted()
    }
    begin("bank_requests_total", "counter", "Requests that were answered.")
    show("bank_requests_total")
    begin("bank_attempts_total", "counter", "Passcodes and keys that were to be checked or stored.")
    show("bank_attempts_total")
    begin("bank_attempt_seconds", "histogram", "How long that took.")
    let (count, seconds, upTo) = verifications.withLock { $0 }
    for (bound, number) in zip(Self.bounds, upTo) {
      lines.append("bank_attempt_seconds_bucket\(Self.labels(["le", String(bound)])) \(number)")
    }
    lines.append("bank_attempt_seconds_bucket\(Self.labels(["le", "+Inf"])) \(count)")
    lines += ["bank_attempt_seconds_sum \(seconds)", "bank_attempt_seconds_count \(count)"]
    let loads = admissions.all.map { ($0.name, $0.admission.load) }
    begin("bank_running", "gauge", "Requests that are being worked on.")
    lines += loads.map { "bank_running\(Self.labels(["kind", $0])) \($1.running)" }
    begin("bank_waiting", "gauge", "Requests that wait for their turn.")
    lines += loads.map { "bank_waiting\(Self.labels(["kind", $0])) \($1.waiting)" }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The values are the bank's own words: nothing in them needs a backslash.
  private static func labels(_ labels: [String]) -> String {
    let pairs = stride(from: 0, to: labels.count, by: 2).map { "\(labels[$0])=\"\(labels[$0 + 1])\"" }
    return "{" + pairs.joined(separator: ",") + "}"
  }
}
