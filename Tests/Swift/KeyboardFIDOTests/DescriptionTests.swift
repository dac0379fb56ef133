// What is printed, interpolated or dumped of a public value shows nothing that is personal, secret, or makes a log of
// touches a password.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardFIDO
import KeyboardVault
import Synchronization
import Testing

/// All that Swift prints of a value: by itself, inside others, and of each part that a mirror has.
private func everythingShown(of value: Any) -> String {
  var text = "\(value) \(String(reflecting: value)) \([value]) \(Optional(value) as Any)"
  dump([value], to: &text)
  for child in Mirror(reflecting: value).children { text += everythingShown(of: child.value) }
  return text
}

/// - Parameter secrets: none of which may be shown. Bytes are printed as an array of numbers.
private func hides(_ value: Any, _ secrets: String...) -> Bool {
  let text = everythingShown(of: value)
  return secrets.allSatisfy { secret in
    let numbers = secret.utf8.map(String.init).joined(separator: ", ")
    let dumped = secret.utf8.map { "- \($0)\n" }.joined()
    return [secret, numbers, dumped].allSatisfy { !text.replacing(/\n +/, with: "\n").contains($0) }
  }
}

@Suite struct DescriptionTests {
  @Test func whatIsPlantedIsFound() {
    struct Plain {
      let text: String
      let bytes: [UInt8]
    }
    #expect(!hides(Plain(text: "a token", bytes: []), "a token"))
    #expect(!hides(Plain(text: "", bytes: Array("a token".utf8)), "a token"))
  }

  @Test func rulesHideDatesAndTelephones() {
    let rules: PasscodeRules = [
      .notDate("1984-03-07"), .notPhone("+49 30 5550199"), .notText("Kim"), .pattern("^K.m$"), .minimumLength(6),
    ]
    #expect(hides(rules, "1984-03-07", "5550199", "Kim", "K.m"))
    #expect(hides(PasscodeChoice.Answer.refused(rules.rules[0]), "1984-03-07"))
    #expect("\(rules.rules[0])" == "Rule(date)")
  }

  @Test func keysHideTheirLabels() throws {
    let keyboard = try Keyboard()
    try keyboard.setLayout(.digits)
    try keyboard.open()
    for key in try keyboard.keys() where key.role == .character {
      #expect(!everythingShown(of: key).contains("label"))
      #expect("\(key)" == "KeyboardKey(index: \(key.index), role: character)")
    }
    #expect(hides(keyboard, "label"))
  }

  @Test func verifiersAndItemsHideWhatTheyHave() throws {
    #expect(hides(PasscodeVerifier("$argon2id$v=19$of kim"), "$argon2id", "kim"))
    let (folder, data) = (try Folder(), Array("a token".utf8))
    let vault = try Vault(path: folder.vault, key: [UInt8](0..<32).span)
    try vault.add(service: "bank.example", account: "kim", label: "Kim's", kind: "token", data: data.span)
    #expect(hides(try vault.items(), "bank.example", "kim", "Kim's"))
    #expect(hides(vault, "bank.example", "a token"))
  }

  @Test func messagesHideTheirBodies() async throws {
    var answer = FIDOAnswer(status: 200)
    (answer.body, answer.location) = (Array("a token".utf8), "https://bank.example/?session=a-token")
    #expect(hides(answer, "a token", "a-token"))
    #expect("\(answer)" == "FIDOAnswer(status: 200, 7 bytes)")

    let folder = try Folder()
    let hidden = Mutex<[Bool]>([])
    let vault = try Vault(path: folder.vault, key: [UInt8](0..<32).span)
    let client = try FIDOClient(vault: vault, facetID: "ios:bundle-id:com.example.bank")
    let uaf = "https://bank.example/uaf"
    try client.setServer(request: uaf, response: uaf) { message in
      let isThere = String(decoding: message.body, as: UTF8.self).contains("kim")
      let isHidden = hides(message, "kim") && "\(message)".hasPrefix("FIDOMessage(POST \(uaf), ")
      hidden.withLock { $0.append(isThere && isHidden) }
      return FIDOAnswer(status: 500)
    }
    await #expect(throws: FIDOError.network) { try await client.start(.registration, user: "kim") }
    #expect(hidden.withLock { $0 } == [true])
  }
}
