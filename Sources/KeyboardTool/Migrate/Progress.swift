// How far a migration is, on standard error.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// A line that is written again each second on a terminal, and otherwise a line each half minute.
struct Progress {
  private let isTerminal = isatty(2) == 1
  private let begin = Progress.now
  private var last = Progress.now
  private var hasLine = false

  /// Seconds, of a clock that only goes forward.
  static var now: Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// - Parameters:
  ///   - rows: what this run has written.
  ///   - refused: how many rows are refused in all.
  ///   - part: how much of the table was read, 0 … 1; nil if its length is not known.
  mutating func tell(rows: Int, refused: Int, part: Double?) {
    let now = Self.now
    guard now - last >= (isTerminal ? 1 : 30) else { return }
    last = now
    let rate = Double(rows) / (now - begin)
    var line = "keyboard: \(rows) rows, \(refused) refused, \(Self.rounded(rate)) rows a second"
    if let part, part > 0 { line += ", \(Int(part * 100)) % of the table read" }
    if isTerminal {
      // Not through writeMessage, which would show the control characters. The line has none but these.
      let text = Array("\r\(line)\u{1b}[K".utf8)
      _ = write(2, text, text.count)
      hasLine = true
    } else {
      writeMessage(line + "\n")
    }
  }

  /// Leaves the line.
  mutating func end() {
    if hasLine { writeMessage("\n") }
    hasLine = false
  }

  private static func rounded(_ rate: Double) -> String {
    rate < 100 ? "\((rate * 10).rounded() / 10)" : "\(Int(rate))"
  }
}
