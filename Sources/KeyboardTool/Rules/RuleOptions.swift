// The rules as options: one for each, with the rule's name in Swift.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardTerminal

struct RuleOptions: ParsableArguments {
  @Option(help: ArgumentHelp("At least this many characters, 0 to 128.", valueName: "n"))
  var minimumLength: Int?

  @Option(help: ArgumentHelp("At most this many characters, 0 to 128.", valueName: "n"))
  var maximumLength: Int?

  @Flag(help: "Digits only.")
  var digits = false

  @Flag(help: "Digits and the letters A to Z only, capital or not.")
  var alphanumeric = false

  @Option(help: ArgumentHelp("Not this many equal characters in a row, 2 to 128.", valueName: "n"))
  var notSame: Int?

  @Option(
    help: ArgumentHelp(
      "Not this many digits, or letters, in a row that go up by one or down by one, 2 to 128.", valueName: "n"))
  var notRun: Int?

  @Flag(help: "Not one pair over and over, as in 1212.")
  var notPairs = false

  @Flag(help: "Not doubled characters, as in 1122.")
  var notDoubles = false

  @Option(help: ArgumentHelp("Not this text anywhere. May be given again.", valueName: "text"))
  var notText: [String] = []

  @Option(
    help: ArgumentHelp(
      "Not this date, given as yyyy-mm-dd, in any way to write it. May be given again.",
      valueName: "date"))
  var notDate: [String] = []

  @Option(help: ArgumentHelp("Not a part of this telephone number. May be given again.", valueName: "number"))
  var notPhone: [String] = []

  @Option(help: ArgumentHelp("How many digits in a row are a part of a telephone number, 2 to 128.", valueName: "n"))
  var phoneDigits = RuleName.phoneDigits

  @Flag(help: "Not on the list of common passcodes.")
  var notCommon = false

  @Option(help: ArgumentHelp("This pattern must be found. May be given again.", valueName: "pattern"))
  var pattern: [String] = []

  @Option(help: ArgumentHelp("This pattern must not be found. May be given again.", valueName: "pattern"))
  var notPattern: [String] = []

  @Option(
    help: ArgumentHelp(
      "A file that holds rules in JSON, for messages of your own and for personal data, which other users can read in "
        + "options. They are checked first.",
      valueName: "file"), completion: .file())
  var rules: String?

  func validate() throws {
    guard rules != nil || !given.isEmpty else { throw ValidationError("Give a rule, or --rules with a file of rules.") }
  }

  /// All rules, those of the file first, looked at by the library.
  ///
  /// - Throws: a failure that names the option, or the place in the file.
  func read() throws -> PasscodeRules {
    let all = try (rules.map { path throws(Failure) in try RuleFile.read(path) } ?? []) + given
    let (keyboard, together) = (try Keyboard(), PasscodeRules(all.map(\.rule)))
    try keyboard.open()
    defer { try? keyboard.close() }
    for rule in all { try rule.check(on: keyboard) }
    // Each is right, but there may be too many.
    _ = try keyboard.check(together)
    return together
  }

  /// In the order of the options' help.
  private var given: [GivenRule] {
    var given: [GivenRule] = []
    func add(_ name: RuleName, _ number: Int?) {
      if let number { given.append(rule(name, number: number)) }
    }
    func add(_ name: RuleName, _ isGiven: Bool) {
      if isGiven { given.append(rule(name)) }
    }
    func add(_ name: RuleName, _ texts: [String]) { given += texts.map { rule(name, text: $0) } }
    add(.minimumLength, minimumLength)
    add(.maximumLength, maximumLength)
    add(.digits, digits)
    add(.alphanumeric, alphanumeric)
    add(.notSame, notSame)
    add(.notRun, notRun)
    add(.notPairs, notPairs)
    add(.notDoubles, notDoubles)
    add(.notText, notText)
    add(.notDate, notDate)
    add(.notPhone, notPhone)
    add(.notCommon, notCommon)
    add(.pattern, pattern)
    add(.notPattern, notPattern)
    return given
  }

  private func rule(_ name: RuleName, number: Int? = nil, text: String = "") -> GivenRule {
    GivenRule(
      rule: name.rule(number: number ?? phoneDigits, text: text), text: text,
      numberPlace: name == .notPhone ? "--phone-digits" : name.option, textPlace: name.option, code: .usage)
  }
}
