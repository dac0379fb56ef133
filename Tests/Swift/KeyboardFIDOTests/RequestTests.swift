// Requests: which version is taken, and what is malformed. Characters that are not shown: Tests/C/fido_server.py.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import KeyboardFIDO
import KeyboardTestSupport
import KeyboardText
import Testing

private let policy = #"{"accepted":[[{"aaid":["C0DE#0001"]}]]}"#
private let challenge = "AAECAwQFBgcICQoLDA0ODw"

private func header(_ op: String, minor: Int = 1, more: String = "") -> String {
  #""header":{"upv":{"major":1,"minor":\#(minor)},"op":"\#(op)"\#(more)}"#
}
private func registration(_ header: String = header("Reg"), challenge: String = challenge) -> String {
  #"{\#(header),"challenge":"\#(challenge)","username":"alice","policy":\#(policy)}"#
}
private func authentication(_ more: String = "", policy: String = policy) -> String {
  #"{\#(header("Auth")),"challenge":"\#(challenge)","policy":\#(policy)\#(more)}"#
}
private func deregistration(_ authenticators: String) -> String {
  #"{\#(header("Dereg")),"authenticators":\#(authenticators)}"#
}

/// The version's minor number, or the code.
private func minor(_ message: String) -> Int32 {
  let parsed = Parsed(message)
  defer { keep(parsed) }
  do {
    return Int32(try Request(parsed.root).version.minor)
  } catch {
    return error.code
  }
}

@Suite struct RequestTests {
  @Test(
    arguments: [
      ("[\(registration())]", 1), (registration(), 1), ("[\(registration(header("Reg", minor: 0)))]", 0),
      ("[\(registration(header("Reg", minor: 0))),\(registration())]", 1),
      ("[\(registration()),\(registration(header("Reg", minor: 0)))]", 1),
      ("[\(registration(header("Reg", minor: 9))),\(registration(header("Reg", minor: 0)))]", 0),
      ("[\(registration(header("Reg", minor: 2)))]", 2003), (registration(header("Reg", minor: 2)), 2003),
      ("[\(registration()),\(registration())]", 1005),
      ("[\(registration()),\(registration(header("Reg", minor: 0))),\(registration(header("Reg", minor: 0)))]", 1005),
      ("[]", 1005), ("{}", 1005), ("7", 1005), ("[7]", 1005),
      ("[{}]", 1005), ("", 1005), (registration() + "x", 1005),
    ] as [(String, Int32)])
  func versions(_ message: String, _ expected: Int32) { #expect(minor(message) == expected) }

  @Test(arguments: [
    header("reg"), header("REG"), header(""), #""header":{"op":"Reg"}"#,
    #""header":{"upv":{"major":1},"op":"Reg"}"#, #""header":{"upv":{"major":"1","minor":1},"op":"Reg"}"#,
    header("Reg", more: #","appID":7"#), header("Reg", more: #","appID":"\#(String(repeating: "a", count: 513))""#),
    header("Reg", more: #","serverData":"""#), header("Reg", more: #","serverData":[]"#),
    header("Reg", more: #","serverData":"\#(String(repeating: "a", count: 1537))""#),
    header("Reg", more: #","exts":[{"id":"x","data":"","fail_if_unknown":true}]"#),
    header("Reg", more: #","exts":[{"id":"x","data":""}]"#),
    header(
      "Reg",
      more: #","exts":[{"id":"","data":"","#
        + #""fail_if_unknown":false}]"#), header("Reg", more: #","exts":"x""#),
  ])
  func malformedHeaders(_ header: String) { #expect(minor(registration(header)) == 1005) }

  @Test(arguments: [
    header("Reg", more: #","appID":"""#), header("Reg", more: #","appID":null,"serverData":null,"exts":null"#),
    header("Reg", more: #","appID":"\#(String(repeating: "a", count: 512))""#),
    header("Reg", more: #","exts":[{"id":"x","data":"YQ","fail_if_unknown":false}],"later":[1]"#),
  ])
  func goodHeaders(_ header: String) { #expect(minor(registration(header)) == 1) }

  @Test(
    arguments: [
      ("AAECAwQFBgc", 1), ("AAECAwQFBg", 1005), (String(repeating: "A", count: 86), 1),
      (String(repeating: "A", count: 87), 1005), ("AAECAwQFBgc=", 1005), ("AAECAwQF+gc", 1005), ("", 1005),
    ] as [(String, Int32)])
  func challenges(_ challenge: String, _ expected: Int32) {
    #expect(minor(registration(challenge: challenge)) == expected)
  }

  @Test(
    arguments: [
      ("", 1), (#","transaction":[{"contentType":"text/plain","content":"UGF5IDEw"}]"#, 1),
      (#","transaction":[{"contentType":"image/png","content":"UGF5IDEw"}]"#, 1), (#","transaction":[]"#, 1005),
      (#","transaction":[{"contentType":"text/plain"}]"#, 1005), (#","transaction":{}"#, 1005),
      (#","transaction":[{"contentType":"text/plain","content":""}]"#, 1005),
      (#","transaction":[{"contentType":"text/plain","content":"UGF5IDEw="}]"#, 1005),
      (#","transaction":[{"contentType":"text/plain","content":"\#(String(repeating: "A", count: 1068))"}]"#, 1005),
    ] as [(String, Int32)])
  func transactions(_ more: String, _ expected: Int32) { #expect(minor(authentication(more)) == expected) }

  @Test func takesTheFirstPlainText() throws {
    let parsed = Parsed(
      authentication(
        #","transaction":[{"contentType":"image/png","content":"UGF5"},"#
          + #"{"contentType":"text/plain","content":"UGF5IDEw"},"#
          + #"{"contentType":"text/plain","content":"AAAA"}]"#))
    defer { keep(parsed) }
    let request = try Request(parsed.root)
    var clear = [UInt8](repeating: 0, count: Request.transactionCapacity)
    let count = clear.withUnsafeMutableBytes {
      Request.decodeTransaction(request.transaction!, into: $0.baseAddress!)
    }
    #expect(count == 6)
    #expect(clear.starts(with: Array("Pay 10".utf8)))
  }

  /// In base64url: 200 characters, 201; 200 of three bytes; a NUL, a bell, an escape; bytes that are not UTF-8.
  @Test func whatAPersonCannotSeeIsNoTransaction() {
    func decode(_ bytes: [UInt8]) -> Int? {
      var source = [UInt8](repeating: 0, count: Base64.characterCount(byteCount: bytes.count))
      bytes.withUnsafeBytes { bytes in
        source.withUnsafeMutableBytes { Base64.url.encode(bytes, into: $0.baseAddress!) }
      }
      var clear = [UInt8](repeating: 0, count: Request.transactionCapacity)
      return source.withUnsafeBytes { source in
        clear.withUnsafeMutableBytes { Request.decodeTransaction(source, into: $0.baseAddress!) }
      }
    }
    #expect(decode(Array(String(repeating: "a", count: 200).utf8)) == 200)
    #expect(decode(Array(String(repeating: "a", count: 201).utf8)) == nil)
    #expect(decode(Array(String(repeating: "원", count: 200).utf8)) == 600)
    #expect(decode(Array("a\nb".utf8)) == 3)
    for bytes in [[0x61, 0], [0x07], [0x1b, 0x5b], [0x7f], [0xff], [0xc0, 0x80]] as [[UInt8]] {
      #expect(decode(bytes) == nil)
    }
  }

  @Test(
    arguments: [
      (#"[{"aaid":"C0DE#0001","keyID":"S0VZMQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]"#, 1),
      (#"[{"aaid":"C0DE#0001","keyID":"S0VZMQ"}]"#, 1005), (#"[{"aaid":"C0DE#0001","keyID":""}]"#, 1),
      (#"[{"aaid":"","keyID":""}]"#, 1), (#"[{"aaid":"","keyID":""},{"aaid":"C0DE#0001","keyID":""}]"#, 1005),
      (#"[{"aaid":"","keyID":"S0VZMQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"}]"#, 1005),
      (#"[{"aaid":"C0DE","keyID":""}]"#, 1005), (#"[]"#, 1005),
      (#"[{"aaid":"C0DE#0001"}]"#, 1005),
      (#"[{"aaid":"C0DE#0001","keyID":"S0VZMQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="}]"#, 1005), (#"{}"#, 1005),
      (#"[{"aaid":"4e4e#4005","keyID":""},{"aaid":"C0DE#0001","keyID":""}]"#, 1),
    ] as [(String, Int32)])
  func deregistrations(_ list: String, _ expected: Int32) { #expect(minor(deregistration(list)) == expected) }

  @Test func malformedPolicies() {
    #expect(minor(authentication(policy: "{}")) == 1005)
    #expect(minor(authentication(policy: "null")) == 1005)
    #expect(minor(authentication(policy: #"{"accepted":[[{"userVerification":1023}]]}"#)) == 1005)
  }

  @Test func theAnswersHeaderIsTheRequests() throws {
    let parsed = Parsed(
      registration(
        header(
          "Reg", minor: 0,
          more: #","serverData":"s\"d","exts":[{"id":"a","data":"b\b\f","fail_if_unknown":false}]"#)))
    defer { keep(parsed) }
    let request = try Request(parsed.root)
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 16)
    defer { memory.deallocate() }
    var writer = ByteWriter(memory, capacity: 4096)
    Array("ios:x".utf8).withUnsafeBytes { request.writeHeader(appID: $0, to: &writer) }
    #expect(
      text(writer.bytes)
        == #""header":{"upv":{"major":1,"minor":0},"op":"Reg","appID":"ios:x","serverData":"s\"d","exts":[{"id":"a","#
        + #""data":"b\b\f","fail_if_unknown":false}]}"#)
  }
}

/// The messages that FIDO UAF Protocol 1.1 shows. Their answers are checked by Tests/C/fido_server.py.
@Suite struct ExampleTests {
  private func example(_ name: String) throws -> String {
    let lines = try vectors("fido-messages.txt", count: 5, fields: 2)
    return String(try #require(lines.first { $0[0] == name })[1])
  }

  /// As the page has them they break its own rule for criteria. With what six of them lack they are taken, and of their
  /// policy the second alternative chooses the passcode.
  @Test(arguments: ["registration-request", "authentication-request"])
  func theirCriteriaLackSomething(_ name: String) throws {
    let message = try example(name)
    #expect(minor(message) == 1005)
    var whole = message
    for (part, lack) in [
      (#""authenticationAlgorithms":[2]}"#, #","assertionSchemes":["UAFV1TLV"]}"#),
      (#""keyProtection":2,"tcDisplay":1,"authenticationAlgorithms":[1,3]}"#, #","assertionSchemes":["UAFV1TLV"]}"#),
      (#""keyProtection":2,"assertionSchemes":["UAFV1TLV"]}"#, #","authenticationAlgorithms":[1]}"#),
      (#""keyProtection":16,"assertionSchemes":["UAFV1TLV"]}"#, #","authenticationAlgorithms":[1]}"#),
      (#""keyProtection":16}"#, #","authenticationAlgorithms":[1],"assertionSchemes":["UAFV1TLV"]}"#),
    ] {
      #expect(minor(whole) == 1005)
      #expect(whole.contains(part))
      whole = whole.replacing(part, with: part.dropLast() + lack)
    }
    #expect(minor(whole) == 1)
    let parsed = Parsed(whole)
    defer { keep(parsed) }
    let request = try Request(parsed.root)
    #expect(text(request.appID) == "https://uaf-test-1.noknoktest.com:8443/SampleApp/uaf/facets")
    var messages = try #require(parsed.root).elements
    let policy = try #require(Policy(messages.next()?.member("policy")))
    Array("C0DE#0001".utf8).withUnsafeBytes { aaid in
      #expect(policy.rank(of: Candidate(.passcode, aaid: aaid) { _ in false }) == 1)
      #expect(policy.rank(of: Candidate(.pattern, aaid: aaid) { _ in false }) == nil)
    }
  }

  /// The page breaks long values into lines. JSON allows no line break in a string, base64url none at all.
  @Test func theirLineBreaksAreRefused() throws {
    let whole = try example("deregistration-request")
    #expect(minor(whole) == 1)
    #expect(minor(whole.replacing("ABCD#ABCD", with: "ABCD\n#ABCD")) == 1005)
    #expect(minor(whole.replacing("SampleApp/", with: "SampleApp/\n")) == 1005)
    #expect(minor(registration(challenge: "AAECAwQFBgcI\\nCQoLDA0ODw")) == 1005)
  }
}

@Suite struct ResultTests {
  /// Every code of the guide has a sentence, and no other number has one.
  @Test func everyCodeHasASentence() {
    let codes = (0...20_000).filter { FidoResult.message(for: Int32($0)) != nil }
    #expect(codes.count == 57)
    #expect(codes.first == 0 && codes.last == 19019)
    #expect(FidoResult.message(for: -1) == nil)
  }
}
