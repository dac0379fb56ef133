// Choosing a new passcode: typed, checked, typed again, compared. No passcode leaves a keyboard meanwhile.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  /// The two keyboards with which a person chooses a passcode, and where the person is.
  ///
  ///     var choice = try PasscodeChoice(rules: rules) { keyboard in
  ///       try keyboard.setLayout(.pin, shuffle: .eachOpening, maximumCount: 6)
  ///     }
  ///     // Show choice.keyboard. When it is complete:
  ///     switch try choice.enter() {
  ///     case .refused(let rule): show(rule.message)
  ///     case .typeAgain: show("Type it again.")
  ///     case .different(let triesLeft): show("That was another one. \(triesLeft) tries left.")
  ///     case .startOver: show("Choose another one.")
  ///     case .chosen(let keyboard): send(try keyboard.seal(for: bank, context: challenge.span))
  ///     }
  ///
  /// After each answer but `chosen`, `keyboard` is open and empty.
  public struct PasscodeChoice: ~Copyable {
    /// What became of a passcode that was entered.
    public enum Answer {
      /// A rule refuses it: another one must be chosen.
      case refused(PasscodeRules.Rule)
      /// It can be chosen: type it again.
      case typeAgain
      /// The second one differs from the first: type it again.
      case different(triesLeft: Int)
      /// The second one differed too often: begin anew.
      case startOver
      /// Both are the same. The keyboard is open, and holds it; close it soon.
      case chosen(Keyboard)
    }

    private let rules: PasscodeRules
    private let tries: Int
    private let first: Keyboard
    private let second: Keyboard
    private var triesLeft: Int
    private var isSecond = false

    /// Opens the first keyboard, with letters that change places.
    ///
    /// - Parameters:
    ///   - rules: what is refused.
    ///   - tries: how often the second one may be typed, 1 or more, before everything begins anew.
    /// - Throws: `.memory`, `.random`.
    public init(rules: PasscodeRules, tries: Int = 3) throws(KeyboardError) {
      try self.init(rules, tries, Keyboard(), Keyboard())
    }

    /// Prepares the two keyboards, and opens the first one.
    ///
    /// - Parameters:
    ///   - rules: what is refused.
    ///   - tries: how often the second one may be typed, 1 or more, before everything begins anew.
    ///   - prepare: sets layout, callbacks and key of each of the two keyboards.
    /// - Throws: what `prepare` throws; `.memory`, `.random`.
    public init(rules: PasscodeRules, tries: Int = 3, _ prepare: (Keyboard) throws -> Void) throws {
      let (first, second) = (try Keyboard(), try Keyboard())
      try prepare(first)
      try prepare(second)
      try self.init(rules, tries, first, second)
    }

    private init(
      _ rules: PasscodeRules, _ tries: Int, _ first: Keyboard, _ second: Keyboard
    ) throws(KeyboardError) {
      precondition(tries >= 1, "A passcode must be typed a second time.")
      (self.rules, self.tries, self.first, self.second, triesLeft) = (rules, tries, first, second, tries)
      try first.open()
    }

    /// The keyboard to show now.
    public var keyboard: Keyboard { isSecond ? second : first }

    /// Takes what is typed on `keyboard`.
    ///
    /// - Throws: `.operationDisabled` if `keyboard` was closed; `.argument` or `.tooLong` for bad rules;
    ///   `.memory`, `.random`.
    /// - Timing: comparing takes the same time for all passcodes of one length; checking depends on the passcode.
    public mutating func enter() throws(KeyboardError) -> Answer {
      guard isSecond else { return try enterFirst() }
      if try first.hasSamePassword(as: second) {
        try second.close()
        isSecond = false
        return .chosen(first)
      }
      try second.close()
      triesLeft -= 1
      guard triesLeft > 0 else {
        try first.close()
        try first.open()
        isSecond = false
        return .startOver
      }
      try second.open()
      return .different(triesLeft: triesLeft)
    }

    private mutating func enterFirst() throws(KeyboardError) -> Answer {
      if let rule = try first.check(rules) {
        try first.close()
        try first.open()
        return .refused(rule)
      }
      try second.open()
      (isSecond, triesLeft) = (true, tries)
      return .typeAgain
    }
  }
#endif
