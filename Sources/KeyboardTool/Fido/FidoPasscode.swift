// The passcode or the pattern that FIDO asks for: from the pad, or from standard input.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CustomKeyboard
import KeyboardFIDO
import KeyboardLayout
import KeyboardTerminal

/// How the person proves to be the user.
enum AuthenticatorName: String, ExpressibleByArgument, CaseIterable {
  case passcode, pattern

  var authenticator: FIDOClient.Authenticator { self == .passcode ? .passcode : .pattern }
}

struct FidoPasscodeOptions: ParsableArguments {
  @Option(help: "What to enter.")
  var with = AuthenticatorName.passcode

  @Option(help: ArgumentHelp("The passcode is a PIN of 4 or 6 digits, on a pad.", valueName: "count"))
  var digits: Int?

  func validate() throws {
    guard digits == nil || digits == 4 || digits == 6 else { throw ValidationError("Give --digits 4 or 6.") }
    guard digits == nil || with == .passcode else { throw ValidationError("A pattern has no --digits.") }
  }

  /// Answers the request that waits in the client, and sends the answer.
  ///
  /// - Parameter transaction: what the person has agreed to on the command line.
  func resume(_ client: FIDOClient, isRegistration: Bool, transaction: String?) throws {
    let authenticator = with.authenticator
    if let digits { try client.set(.digits(digits), of: .passcode) }
    try confirm(try client.transaction(), given: transaction ?? "")
    let isNew = try isRegistration && client.state(of: authenticator) == .notSet
    if isatty(0) == 1 {
      try resumeOnPad(client, isNew: isNew)
    } else {
      var typed = try SecretBytes()
      try typed.readPassword("the \(with)", keepsNewline: false)
      let keyboards = try [false, true].prefix(isNew ? 2 : 1).map { _ in
        let keyboard = try prepare(client)
        try keyboard.input(typed)
        return keyboard
      }
      // From a pipe it comes once: there is no hand that could slip.
      do throws(FIDOError) { try send(client, keyboards) } catch {
        throw Failure(error, triesLeft: triesLeft(client, after: error))
      }
    }
  }

  /// Until it is right, locked, or the person leaves.
  private func resumeOnPad(_ client: FIDOClient, isNew: Bool) throws {
    guard let terminal = Terminal() else { throw Failure("Run this in a terminal: the pad is drawn there.", .noInput) }
    var hint = ""
    while true {
      let keyboards = try [isNew ? ", to be set" : "", ", again"].prefix(isNew ? 2 : 1).map { purpose in
        let keyboard = try prepare(client)
        let what = with == .pattern ? "Pattern" : digits == nil ? "Passcode" : "PIN"
        try Pad(
          keyboard, kind: with == .pattern ? .pattern : digits == nil ? .letters : .pin,
          maximumCount: digits ?? 0, title: what + purpose, terminal: terminal
        ).run(hint: hint)
        hint = ""
        return keyboard
      }
      do throws(FIDOError) { return try send(client, keyboards) } catch {
        let triesLeft = triesLeft(client, after: error)
        guard [.wrong, .refused, .typedDifferently].contains(error) else { throw Failure(error, triesLeft: triesLeft) }
        hint = error.advice(triesLeft: triesLeft)
      }
    }
  }

  private func prepare(_ client: FIDOClient) throws -> Keyboard {
    let keyboard = try Keyboard()
    try client.applyLayout(of: with.authenticator, to: keyboard)
    try keyboard.open()
    return keyboard
  }

  private func send(_ client: FIDOClient, _ keyboards: [Keyboard]) throws(FIDOError) {
    defer { for keyboard in keyboards { try? keyboard.close() } }
    let (authenticator, first, again) = (with.authenticator, keyboards[0], keyboards.dropFirst().first)
    try waiting { () async throws(FIDOError) in
      try await client.resume(authenticator, typedOn: first, again: again)
    }
  }

  private func triesLeft(_ client: FIDOClient, after error: FIDOError) -> Int? {
    error == .wrong ? try? client.attempts(of: with.authenticator).triesLeft : nil
  }
}
