// One line of JSON for each passcode or key that was to be checked or stored: whose, from where, and what came of it.
// It goes to the standard error, between the lines of other requests, and is the only line that begins with a brace.
// SPDX-License-Identifier: Apache-2.0

import Glibc

struct AttemptLog: Sendable {
  let metrics: Metrics

  /// - Parameters:
  ///   - outcome: a verdict, or the code of a refusal.
  ///   - account: of the bank's own record. The name of an account that does not exist may be anything that somebody
  ///     typed into the wrong field, so the log is for the same eyes as the database.
  func write(
    _ purpose: Purpose, _ account: String, _ outcome: String, _ client: ClientAddress,
    since begun: ContinuousClock.Instant, attemptsLeft: Int? = nil
  ) {
    write(purpose.rawValue, account, outcome, client, since: begun, attemptsLeft: attemptsLeft)
  }

  func write(
    _ purpose: String, _ account: String, _ outcome: String, _ client: ClientAddress,
    since begun: ContinuousClock.Instant, attemptsLeft: Int? = nil
  ) {
    let duration = begun.duration(to: .now)
    metrics.countAttempt(purpose, outcome, duration)
    var line = Answer(
      [
        "time": Self.now(), "purpose": purpose, "account": account, "outcome": outcome, "address": client.text,
      ], numbers: ["milliseconds": Int(duration / .milliseconds(1))])
    if let attemptsLeft { line.numbers["attemptsLeft"] = attemptsLeft }
    tell(line.text + "\n", STDERR_FILENO)
  }

  /// RFC 3339, in UTC, with milliseconds.
  private static func now() -> String {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    var parts = tm()
    gmtime_r(&time.tv_sec, &parts)
    func digits(_ number: Int, _ count: Int) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    let date = [digits(Int(parts.tm_year) + 1900, 4), digits(Int(parts.tm_mon) + 1, 2), digits(Int(parts.tm_mday), 2)]
    let clock = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
    let milliseconds = digits(time.tv_nsec / 1_000_000, 3)
    return date.joined(separator: "-") + "T" + clock.joined(separator: ":") + ".\(milliseconds)Z"
  }
}
