// The Swift interface: the class of Docs/FIDO.md, at a server that is played here. The example bank checks signatures
// (Examples/Bank/Tests/fido_clients.py).
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CustomKeyboard
import Foundation
import KeyboardFIDO
import KeyboardVault
import Synchronization
import Testing

// <page>
@MainActor struct BankLogin {
  let client: FIDOClient

  init(vault: Vault, send: @escaping FIDOClient.Send) throws(FIDOError) {
    client = try FIDOClient(vault: vault, facetID: "ios:bundle-id:com.example.bank")
    try client.setAAID("4E4E#4005", of: .passcode)
    let uaf = "https://bank.example/uaf"
    try client.setServer(request: uaf + "/request", response: uaf + "/response", send: send)
  }

  /// - Parameter type: shows the keyboard, and returns when the person has typed.
  func register(user: String, type: (Keyboard) async throws -> Void) async throws {
    guard try await client.start(.registration, user: user) == .personIsNeeded else { return }
    let first = try await typed(type)
    // The first registration sets the passcode.
    let again = try client.state(of: .passcode) == .notSet ? await typed(type) : nil
    try await client.resume(.passcode, typedOn: first, again: again)
  }

  /// - Returns: the server's token for this session.
  func logIn(user: String, type: (Keyboard) async throws -> Void) async throws -> KeyboardVault.SecretBytes? {
    guard try await client.start(.authentication, user: user) == .personIsNeeded else { return nil }
    try await client.resume(.passcode, typedOn: typed(type))
    return try client.token()
  }

  private func typed(_ type: (Keyboard) async throws -> Void) async throws -> Keyboard {
    let keyboard = try Keyboard()
    try client.applyLayout(of: .passcode, to: keyboard)
    try keyboard.open()
    try await type(keyboard)
    return keyboard
  }
}
// </page>

private let key = [UInt8](0..<32)
private let uaf = "application/fido+uaf; charset=utf-8"

/// It removes its files when the test is over.
final class Folder: Sendable {
  let path: String
  var vault: String { path + "/vault" }

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "fido-\(UUID())").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

private func typing(_ text: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Array(text.utf8).span)
  return keyboard
}

private func request(
  _ operation: String, user: String = "kim", transaction: String? = nil, aaid: String = "4E4E#4005"
) -> String {
  let content = transaction.map { Data($0.utf8).base64EncodedString().replacing("=", with: "") }
  let text = content.map { #","transaction":[{"contentType":"text/plain","content":"\#($0)"}]"# } ?? ""
  let challenge = Data(repeating: 0x61, count: 33).base64EncodedString()
  return """
    [{"header":{"upv":{"major":1,"minor":1},"op":"\(operation)","appID":""},"challenge":"\(challenge)",\
    "username":"\(user)",\
    "policy":{"accepted":[[{"aaid":["\(aaid)"]}]]}\(text)}]
    """
}

/// Plays a server: it asks for what it is asked for, and believes every answer.
private final class Server: Sendable {
  let messages = Mutex<[FIDOMessage]>([])
  let status = Mutex(1200)
  let token = Mutex("a token")

  @Sendable func answer(_ message: FIDOMessage) async throws -> FIDOAnswer {
    messages.withLock { $0.append(message) }
    var answer = FIDOAnswer(status: 200)
    answer.contentType = uaf
    let body = try #require(JSONSerialization.jsonObject(with: Data(message.body)) as? [String: Any])
    var members: [String: Any] = ["statusCode": status.withLock { $0 }]
    if let operation = body["op"] as? String {
      members["op"] = operation
      members["uafRequest"] =
        operation == "Dereg"
        ? #"[{"header":{"upv":{"major":1,"minor":1},"op":"Dereg"},"authenticators":[{"aaid":"","keyID":""}]}]"#
        : request(operation)
    } else {
      members["additionalTokens"] = [["type": "session", "value": token.withLock { $0 }]]
    }
    answer.body = Array(try JSONSerialization.data(withJSONObject: members))
    return answer
  }
}

@MainActor @Suite struct ClientTests {
  @Test func theClassOfThePageWorks() async throws {
    let (folder, server) = (try Folder(), Server())
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    let login = try BankLogin(vault: vault, send: server.answer)
    await #expect(throws: FIDOError.notRegistered) { try await login.logIn(user: "kim") { _ in } }
    try await login.register(user: "kim") { keyboard in try keyboard.input(Array("4917".utf8).span) }
    let token = try await login.logIn(user: "kim") { keyboard in try keyboard.input(Array("4917".utf8).span) }
    #expect(token?.withSpan { token in token.count } == 7)
    server.token.withLock { $0 = String(repeating: "t", count: 5000) }
    let long = try await login.logIn(user: "kim") { keyboard in try keyboard.input(Array("4917".utf8).span) }
    #expect(long?.withSpan { token in token.count } == 5000)
    await #expect(throws: FIDOError.wrong) {
      try await login.logIn(user: "kim") { keyboard in try keyboard.input(Array("4918".utf8).span) }
    }
    #expect(try login.client.attempts(of: .passcode).triesLeft == 4)
    #expect(try login.client.serverStatus() == 1200)
    // A request that waits after a wrong try is forgotten by the next one, which deletes the keys.
    #expect(try await login.client.start(.deregistrationOfAll, user: "kim") == .deregistered)
    await #expect(throws: FIDOError.notRegistered) { try await login.logIn(user: "kim") { _ in } }
    let urls = server.messages.withLock { $0.map(\.url) }
    #expect(urls.prefix(4).map { $0.split(separator: "/").last } == ["request", "request", "response", "request"])
    #expect(server.messages.withLock { $0.allSatisfy { $0.method == .post && $0.seconds == 30 } })
  }

  @Test func aKeyBelongsToTheServerThatItWasMadeWith() async throws {
    let (folder, server) = (try Folder(), Server())
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    let login = try BankLogin(vault: vault, send: server.answer)
    try await login.register(user: "kim") { keyboard in try keyboard.input(Array("4917".utf8).span) }
    let client = login.client
    let pay = "https://pay.bank.example/uaf"
    try client.setServer(request: pay, response: pay, send: server.answer)
    await #expect(throws: FIDOError.notRegistered) { try await client.start(.authentication, user: "kim") }
    #expect(try await client.start(.deregistrationOfAll, user: "kim") == .deregistered)
    for origin in ["http://bank.example", "https://bank.example/uaf", "bank.example", "https://bank.example\0"] {
      #expect(throws: FIDOError.invalidParameter) { try client.addOrigin(origin) }
    }
    try client.addOrigin("https://BANK.example:443")
    #expect(try await client.start(.authentication, user: "kim") == .personIsNeeded)
    let other = try FIDOClient(vault: vault, facetID: "cli:test")
    #expect(throws: FIDOError.invalidParameter) { try other.addOrigin("https://bank.example") }
  }

  @Test func thePageHasThisClass() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    let code = try #require(source.components(separatedBy: "// <page>\n").dropFirst().first)
      .components(separatedBy: "// </page>")[0]
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    let page = try String(contentsOf: root.appending(path: "Docs/FIDO.md"), encoding: .utf8)
    #expect(code.contains("struct BankLogin") && page.contains(code))
  }

  @Test func requestsAreAnsweredWithoutANetwork() async throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    let client = try FIDOClient(vault: vault, facetID: "cli:test")
    #expect(throws: FIDOError.noSuitableAuthenticator) { try client.begin(request("Reg")) }
    try client.setAAID("4E4E#4005", of: .passcode)
    try client.setAAID("4E4E#4006", of: .pattern)
    #expect(try client.available() == [.passcode, .pattern])
    #expect(try client.begin(request("Reg")) == .personIsNeeded)
    #expect(try client.choices() == [.passcode] && client.accounts(of: .passcode) == ["kim"])
    #expect(throws: FIDOError.notSet) { try client.finish(.passcode, typedOn: typing("4917")) }
    #expect(throws: FIDOError.typedDifferently) {
      try client.finish(.passcode, typedOn: typing("4917"), again: typing("4918"))
    }
    #expect(throws: FIDOError.noRequest) { try client.response() }
    try await client.finish(.passcode, typedOn: typing("4917"), again: typing("4917"))
    #expect(try client.response().hasPrefix("[{"))
    #expect(throws: FIDOError.noRequest) { try client.choices() }

    // Four bytes a character: longer than the first space for a text.
    let text = String(repeating: "𐍈", count: 100)
    #expect(try client.begin(request("Auth", transaction: text), channelBinding: "{}") == .personIsNeeded)
    #expect(try client.transaction() == text && client.accounts(of: .passcode) == ["kim"])
    #expect(throws: FIDOError.wrong) { try client.finish(.passcode, user: "kim", typedOn: typing("4918")) }
    try await client.finish(.passcode, user: "kim", typedOn: typing("4917"))
    #expect(try !client.response().isEmpty)
    #expect(throws: FIDOError.channelBinding) { try client.begin(request("Auth"), channelBinding: "[]") }
    #expect(throws: FIDOError.invalidParameter) { try client.begin("[\0]") }
    #expect(throws: FIDOError.malformed) { try client.begin("[]") }
    #expect(try client.appID(of: request("Auth")) == "")
    try client.cancel()
  }

  @Test func authenticatorsChange() async throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    let client = try FIDOClient(vault: vault, facetID: "cli:test")
    #expect(try client.state(of: .pattern) == .notSupported)
    try client.setAAID("4E4E#4006", of: .pattern)
    #expect(throws: FIDOError.invalidParameter) { try client.setAAID("4E4E", of: .pattern) }
    #expect(try client.state(of: .pattern) == .notSet)
    #expect(throws: FIDOError.notSet) { try client.attempts(of: .pattern) }
    #expect(throws: FIDOError.nothingToChange) {
      try client.change(.pattern, from: typing("1"), to: typing("14789"))
    }
    try client.set(.minimumNodes(5), of: .pattern)
    #expect(throws: FIDOError.invalidParameter) { try client.set(.digits(5), of: .passcode) }
    let keyboard = try Keyboard()
    try client.applyLayout(of: .pattern, to: keyboard)
    try keyboard.open()
    #expect(try keyboard.keys().map(\.role) == Array(repeating: .node, count: 9))
    // A PIN of a fixed length is typed on a pad, whose keys stay in order if the option says so.
    try client.setAAID("4E4E#4005", of: .passcode)
    try client.set(.shuffles(false), of: .passcode)
    for digits in [4, 6] {
      try client.set(.digits(digits), of: .passcode)
      let pad = try Keyboard()
      try client.applyLayout(of: .passcode, to: pad)
      try pad.open()
      #expect(try pad.keys().filter { $0.role == .character }.map(\.label).joined() == "1234567890")
    }
    #expect(try client.begin(request("Reg", aaid: "4E4E#4006")) == .personIsNeeded)
    #expect(throws: FIDOError.refused) {
      try client.finish(.pattern, typedOn: typing("1478"), again: typing("1478"))
    }
    try await client.finish(.pattern, typedOn: typing("14789"), again: typing("14789"))
    #expect(throws: FIDOError.notChanged) { try client.change(.pattern, from: typing("1"), to: typing("12369")) }
    #expect(throws: FIDOError.triesAreCounted) { try client.set(.triesToLock(9), of: .pattern) }
    try await client.change(.pattern, from: typing("14789"), to: typing("12369"))
    #expect(try client.state(of: .pattern) == .ready)
    try client.set(.triesToLock(1), of: .pattern)
    #expect(try client.begin(request("Auth", aaid: "4E4E#4006")) == .personIsNeeded)
    #expect(throws: FIDOError.locked) { try client.finish(.pattern, typedOn: typing("14789")) }
    guard case .seconds(1...300) = try client.attempts(of: .pattern).lock else {
      Issue.record("it is not locked")
      return
    }
    #expect(try client.state(of: .pattern) == .locked)
    try client.reset(.pattern)
    #expect(throws: FIDOError.nothingToReset) { try client.reset(.pattern) }
    try await vault.close()
    #expect(throws: FIDOError.closed) { try client.reset(.pattern) }
  }

  @Test func aNetworkThatFailsIsAFailureOfTheNetwork() async throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    struct Broken: Error {}
    let lies: [FIDOClient.Send] = [
      { _ in throw Broken() }, { _ in FIDOAnswer(status: 500) }, { _ in FIDOAnswer(status: .max) },
      { _ in FIDOAnswer(status: 200) },
      { message in
        var answer = FIDOAnswer(status: 200)
        answer.contentType = uaf
        answer.body = Array(repeating: 0x20, count: message.maximumAnswerCount + 1)
        return answer
      },
      { _ in
        var answer = FIDOAnswer(status: 200)
        answer.contentType = uaf + String(repeating: " ", count: 64)
        return answer
      },
    ]
    for send in lies {
      let login = try BankLogin(vault: vault, send: send)
      await #expect(throws: FIDOError.network) { try await login.client.start(.registration, user: "kim") }
    }
    let login = try BankLogin(vault: vault) { _ in throw Broken() }
    for (user, error) in [("", FIDOError.emptyUserName), ("a b", .invalidUserName), ("a\0b", .invalidParameter)] {
      await #expect(throws: error) { try await login.client.start(.registration, user: user) }
    }
    for url in ["http://bank.example", "", "https://a b"] {
      #expect(throws: FIDOError.invalidParameter) {
        try login.client.setServer(request: url, response: "https://bank.example", send: Server().answer)
      }
    }
    for seconds in [0, -1, 1 << 32] {
      #expect(throws: FIDOError.invalidParameter) {
        try login.client.setServer(request: "https://a", response: "https://a", seconds: seconds, send: Server().answer)
      }
    }
  }

  /// Before, while and after a message is under way; the client is then as good as new.
  @Test func aTaskThatIsCancelledEndsItsMessage() async throws {
    let (folder, server) = (try Folder(), Server())
    let vault = try Vault(path: folder.vault, key: key.span)
    for isEarly in [true, false] {
      let (isSent, sent) = AsyncStream<Void>.makeStream()
      let login = try BankLogin(vault: vault) { message in
        sent.yield()
        try await Task.sleep(for: .seconds(600))
        return try await server.answer(message)
      }
      let client = login.client
      let task = Task<Result<FIDOClient.Beginning, FIDOError>, Never> {
        if isEarly { withUnsafeCurrentTask { $0?.cancel() } }
        do throws(FIDOError) { return .success(try await client.start(.registration, user: "kim")) } catch {
          return .failure(error)
        }
      }
      if !isEarly {
        for await _ in isSent { break }
        #expect(throws: FIDOError.busy) {
          try client.setServer(request: "https://a", response: "https://a", send: server.answer)
        }
        #expect(throws: FIDOError.busy) { try client.begin(request("Reg")) }
        task.cancel()
      }
      #expect(await task.value == .failure(.cancelled))
      try client.setServer(request: "https://a", response: "https://a", send: server.answer)
      #expect(try await client.start(.registration, user: "kim") == .personIsNeeded)
    }
  }

  /// The next statement may open the vault again.
  @Test func aClientThatNobodyHasAnyMoreHoldsNoVault() async throws {
    let folder = try Folder()
    let keyboard = try typing("483725")
    for _ in 0..<100 {
      let vault = try await Vault.open(path: folder.vault, key: key.span)
      let client = try FIDOClient(vault: vault, facetID: "ios:bundle-id:com.example.bank")
      await #expect(throws: FIDOError.noRequest) { try await client.finish(.passcode, typedOn: keyboard) }
    }
  }

  @Test func anErrorSaysWhatItsCallKnew() throws {
    let folder = try Folder()
    let vault = try Vault(path: folder.vault, key: key.span)
    let client = try FIDOClient(vault: vault, facetID: "cli:test")
    func fault(_ body: () throws(FIDOError) -> Void) -> String {
      do throws(FIDOError) { try body() } catch { return error.description }
      return "none"
    }
    let aaid = fault { () throws(FIDOError) in try client.setAAID("4E4E", of: .passcode) }
    #expect(aaid == "Give an AAID of four hexadecimal digits, a # and four more: 4E4E#4005.")
    #expect(fault { () throws(FIDOError) in try client.cancel() } == "none")
    try vault.close()
    #expect(fault { () throws(FIDOError) in _ = try client.attempts(of: .passcode) } == closed)
  }

  private let closed = KeyboardError.argument(.noHandle).description

  @Test func errorsAreThoseOfC() {
    let errors: [(FIDOError, CUSTOM_FIDO_RESULT)] = [
      (.cancelled, CUSTOM_FIDO_USER_CANCEL), (.wrong, CUSTOM_FIDO_FAIL_VERIFY),
      (.locked, CUSTOM_FIDO_FAIL_VERIFY_LOCKED), (.lockedForGood, CUSTOM_FIDO_MAX_LOCK_COUNT_OVER),
      (.alreadyRegistered, CUSTOM_FIDO_ALREADY_REG_USER), (.untrustedFacet, CUSTOM_FIDO_UNTRUSTED_FACET_ID),
      (.unsupportedVersion, CUSTOM_FIDO_UNSUPPORTED_VERSION), (.forbidden, CUSTOM_FIDO_FORBIDDEN),
      (.unknown, CUSTOM_FIDO_UNKNOWN), (.serverHasNoUser, CUSTOM_FIDO_SERVER_NO_USER),
      (.serverHasNoRegistration, CUSTOM_FIDO_SERVER_NO_REGISTRATION),
      (.invalidAuthenticator, CUSTOM_FIDO_INVALID_AUTHENTICATOR_TYPE),
    ]
    for (error, result) in errors {
      #expect(error.code == Int32(result.rawValue) && error.description.hasSuffix("."))
    }
    #expect(FIDOError.typedDifferently.code == -9 && FIDOError.refused.code == -10 && FIDOError.closed.code == -5)
    #expect(FIDOError.wrong.description == "The passcode or pattern is wrong.")
    #expect(FIDOError.busy.description == KeyboardError.busy.description)
    #expect(FIDOError(code: 12345).description.hasSuffix("."))
  }
}
