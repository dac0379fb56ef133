// The rules that see nothing but the passcode.
// SPDX-License-Identifier: Apache-2.0

extension Scalars {
  func allSatisfy(_ accepts: (UInt32) -> Bool) -> Bool {
    for index in 0..<count where !accepts(self[index]) { return false }
    return true
  }

  /// Whether `length` equal scalars are in a row; `length` is 2 or more.
  func hasSame(_ length: Int) -> Bool {
    hasStreak(length) { before, next in before == next ? 1 : 0 }
  }

  /// Whether `length` ASCII digits, or ASCII letters in either case, are in a row that go up by one or down by one;
  /// `length` is 2 or more. In ASCII no letter follows a digit directly, so a run never has both.
  func hasRun(_ length: Int) -> Bool {
    hasStreak(length) { before, next in
      guard isDigit(before) && isDigit(next) || isLetter(before) && isLetter(next) else { return 0 }
      let step = Int(lowercased(next)) - Int(lowercased(before))
      return step == 1 || step == -1 ? step : 0
    }
  }

  /// Whether `length` scalars are in a row, each with the same kind of step from the one before; 0 is not a step.
  private func hasStreak(_ length: Int, step: (_ before: UInt32, _ next: UInt32) -> Int) -> Bool {
    guard count >= length else { return false }
    var (streak, last) = (1, 0)
    for index in 1..<count {
      let kind = step(self[index - 1], self[index])
      streak = kind == 0 ? 1 : kind == last ? streak + 1 : 2
      last = kind
      if streak >= length { return true }
    }
    return false
  }

  /// Whether the whole is one pair over and over: 1212, 373737. Four scalars or more, an even number.
  var isPairs: Bool { isEven && holds(from: 2, step: 1) { self[$0] == self[$0 - 2] } }

  /// Whether the whole is doubled scalars: 1122, 335577. Four scalars or more, an even number.
  var isDoubles: Bool { isEven && holds(from: 1, step: 2) { self[$0] == self[$0 - 1] } }

  private var isEven: Bool { count >= 4 && count & 1 == 0 }

  private func holds(from first: Int, step: Int, _ condition: (Int) -> Bool) -> Bool {
    var index = first
    while index < count {
      guard condition(index) else { return false }
      index += step
    }
    return true
  }
}
