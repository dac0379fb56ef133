// Requests, lists of trusted facets and answers of a server, real ones and altered ones. Each is answered with a code
// of the contract. After one that was refused nothing waits and every key is what it was. What was taken is also JSON
// for another parser, Foundation's, and says what the library did.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomKeyboard
import Foundation
import Glibc
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFido(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  _ = Client.keys
  return World.run(start, count) { world in
    switch world.reader.number(below: 3) {
    case 0: checkRequest(world)
    case 1: checkFacets(world)
    default: checkServer(world)
    }
  }
}

private let ready = Int32(CUSTOM_FIDO_AUTH_READY.rawValue)

/// What a refused message may be answered with.
private let refusals = [1005, 1009, 2001, 2002, 2003].map(Int32.init)

private func dictionary(_ bytes: [UInt8]) -> [String: Any]? {
  (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
}

/// The requests in a text, by another parser.
private func requests(_ bytes: [UInt8]) -> [[String: Any]] {
  switch try? JSONSerialization.jsonObject(with: Data(bytes)) {
  case let all as [Any]: all.compactMap { $0 as? [String: Any] }
  case let one as [String: Any]: [one]
  default: []
  }
}

private func has(_ requests: [[String: Any]], _ operations: [String]) -> Bool {
  requests.contains { operations.contains(($0["header"] as? [String: Any])?["op"] as? String ?? "") }
}

/// Looks at what a message left: the request that waits, or nothing.
private func checkEffect(_ result: Int32, _ requests: [[String: Any]], _ text: [UInt8], mayDelete: Bool = false) {
  let shown = String(decoding: text, as: UTF8.self)
  // Planted fault: the model takes every message for a good one.
  expect(!Plant.answer || result == ready || result == 0, "\(result) for \(shown)")
  let left = Client.keysNow()
  switch result {
  case ready:
    expect(has(requests, ["Reg", "Auth"]), "taken, but not by another parser: \(shown)")
    Client.expectRequestWaits()
  case 0:
    expect(has(requests, ["Dereg"]), "deregistered, but not by another parser: \(shown)")
    Client.expectNothingWaits(result)
    // Keys of one appID.
    expect(left.count >= 1 && left.allSatisfy(Client.keys.contains), "other keys than before: \(shown)")
    Client.restore()
    return
  default: Client.expectNothingWaits(result)
  }
  expect(mayDelete || left.elementsEqual(Client.keys.sorted { $0.name < $1.name }), "\(result) changes keys: \(shown)")
  expect(CustomFido_cancel(Client.fido) == 0, "cancel fails")
}

private func checkRequest(_ world: World) {
  let hasList = world.reader.flag()
  let text = Template.text(world.reader, Template.requests)
  var piece = world.memory.copy(text)
  // Planted fault: the library is told one byte more than there is.
  if Plant.overrun { piece.claimed += 1 }
  let start = UnsafeRawPointer(piece.start)?.assumingMemoryBound(to: CChar.self)
  let result = CustomFido_begin(Client.fido, start, piece.claimed, hasList ? Client.facets : nil, nil)
  expect(result == ready || result == 0 || refusals.contains(result), "begin answers \(result)")
  checkEffect(result, requests(text), text)
  var (appID, length) = ([CChar](repeating: 0, count: 600), 0)
  let code = CustomFido_appID(Client.fido, start, piece.count, &appID, appID.count, &length)
  expect([0, 1005, 2003].contains(code), "appID answers \(code)")
  expect(result != ready || code == 0, "begin takes what appID refuses (\(code))")
  expect(code != 0 || (length <= 512 && appID[length] == 0), "an appID of \(length) bytes")
}

// MARK: Facets

/// Whether a list trusts the facet, by another parser and another way to choose: for a message of version 1.1.
private func isTrusted(_ list: [UInt8]) -> Bool {
  let entries = dictionary(list)?["trustedFacets"] as? [Any] ?? []
  let known = entries.compactMap { $0 as? [String: Any] }.compactMap { entry -> (minor: Int, ids: [Any])? in
    guard let version = entry["version"] as? [String: Any], version["major"] as? Int == 1,
      let minor = version["minor"] as? Int, minor <= 1
    else { return nil }
    return (minor, entry["ids"] as? [Any] ?? [])
  }
  guard let highest = known.map(\.minor).max() else { return false }
  return known.contains { $0.minor == highest && $0.ids.contains { $0 as? String == Client.facet } }
}

private func checkFacets(_ world: World) {
  let list = Template.text(world.reader, Template.lists).filter { $0 != 0 }
  let piece = world.memory.copy(list + [0])
  let request = Array(Template.request(world.reader.flag() ? "Auth" : "Reg", appID: Client.list).utf8)
  let text = UnsafeRawPointer(piece.start!).assumingMemoryBound(to: CChar.self)
  let result = CustomFido_begin(Client.fido, request.map { CChar(bitPattern: $0) }, request.count, text, nil)
  expect(result == ready || result == 2001, "begin answers \(result)")
  expect(result != ready || isTrusted(list), "trusted, without the facet: \(String(decoding: list, as: UTF8.self))")
  checkEffect(result, requests(request), list)
}

// MARK: A server

/// What a server answers to one message after the other, and what it was asked.
private final class Server {
  struct Answer {
    var body: [UInt8]
    var length: Int
    var status: CInt = 200
    var type = "application/fido+uaf"
    var location = ""
    var isAuthorized = false
  }
  let reader: Reader
  var first: Answer?
  var verdict: [UInt8] = []
  var (posts, gets, answers) = (0, 0, 0)
  nonisolated(unsafe) static var current: Server!

  init(_ reader: Reader) { self.reader = reader }

  /// The whole truth, or whatever the fuzzer says.
  func answer(_ url: String, isList: Bool) -> Answer {
    let body =
      isList
      ? Array(Client.facets.utf8)
      : url == Server.asking ? Template.text(reader, Template.answers) : Template.text(reader, Template.verdicts)
    var answer = Answer(body: body, length: body.count)
    if isList { answer.type = "application/fido.trusted-apps+json" }
    switch reader.number(below: 12) {
    case 1: answer.status = reader.one(of: [100, 204, 301, 302, 307, 404, 500, 0, -1])
    case 2: answer.type = reader.one(of: ["", "text/html", "application/fido+uafx", "application/json"])
    case 3: answer.length = reader.one(of: impossibleSizes + [65537, body.count + 1])
    case 4:
      answer.status = 302
      answer.isAuthorized = reader.flag()
      answer.location = reader.one(of: ["http://evil/", "https://other.example/list", "", "ftp://x", "//x"])
    case 5: answer.status = -2
    default: break
    }
    return answer
  }

  static let (asking, answering) = ("https://bank.example/ask", "https://bank.example/answer")

  func take(_ exchange: UnsafeMutablePointer<CUSTOM_FIDO_EXCHANGE>) -> CInt {
    let url = String(cString: exchange.pointee.url!)
    let isList = String(cString: exchange.pointee.method!) == "GET"
    expect(url.hasPrefix("https://"), "a message to \(url)")
    expect(isList || url == Server.asking || url == Server.answering, "an answer to \(url)")
    if isList { gets += 1 } else if url == Server.asking { posts += 1 } else { answers += 1 }
    expect(posts <= 1 && gets <= 6 && answers <= 1, "\(posts) and \(answers) messages, \(gets) lists")
    let answer = answer(url, isList: isList)
    if url == Server.asking { first = answer }
    if url == Server.answering { verdict = answer.body }
    if answer.status == -2 { return 1 }
    let body = answer.body.prefix(exchange.pointee.capacity)
    body.withUnsafeBytes { bytes in
      if let start = bytes.baseAddress { memcpy(exchange.pointee.answer!, start, bytes.count) }
    }
    exchange.pointee.answerLength = answer.length
    exchange.pointee.status = answer.status
    exchange.pointee.redirectAuthorized = answer.isAuthorized ? 1 : 0
    withUnsafeMutableBytes(of: &exchange.pointee.contentType) { $0.copyBytes(from: answer.type.utf8) }
    withUnsafeMutableBytes(of: &exchange.pointee.location) { $0.copyBytes(from: answer.location.utf8) }
    return 0
  }
}

private let send: CUSTOM_FIDO_SEND = { _, exchange in Server.current.take(exchange) }

private func status(_ message: [String: Any]?) -> Int? { message?["statusCode"] as? Int }

private func checkServer(_ world: World) {
  let server = Server(world.reader)
  Server.current = server
  guard CustomFido_setServer(Client.fido, Server.asking, Server.answering, 1, send, nil) == 0
  else { complain("setServer fails") }
  let isRegistration = world.reader.flag()
  // Once in eight times the person types.
  let isAnswered = world.reader.number(below: 8) == 1
  let result =
    isRegistration
    ? CustomFido_startRegistration(Client.fido, "kim", nil) : CustomFido_startAuthentication(Client.fido, "kim", nil)
  let body = server.first?.body ?? []
  expect(CustomFido_message(result) != nil, "start answers \(result)")
  guard result == ready, isAnswered else {
    let message = dictionary(body)
    var inner: [[String: Any]] = []
    switch message?["uafRequest"] {
    case let text as String: inner = requests(Array(text.utf8))
    case let all as [Any]: inner = all.compactMap { $0 as? [String: Any] }
    case let one as [String: Any]: inner = [one]
    default: break
    }
    expect(result != 0, "a registration or an authentication is done at once")
    expect(
      result != ready || [1200, 1202].contains(status(message)) && server.first?.status == 200,
      "begun by \(String(decoding: body, as: UTF8.self))")
    checkEffect(result, inner, body)
    return
  }
  checkVerdict(server, isRegistration)
}

/// The person agrees, and the server says what it thinks of that.
private func checkVerdict(_ server: Server, _ isRegistration: Bool) {
  let result = Client.resume()
  let shown = String(decoding: server.verdict, as: UTF8.self)
  let keys = Client.keysNow()
  let new = keys.filter { key in !Client.keys.contains { $0.name == key.name } }
  defer { Client.restore() }
  // A millisecond may be over, and the request with it.
  if result == CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST.rawValue && server.answers == 0 { return }
  expect(server.answers == 1, "\(server.answers) answers were sent, and resume answers \(result)")
  Client.expectNothingWaits(result)
  switch result {
  case 0:
    expect([1200, 1202].contains(status(dictionary(server.verdict))), "accepted by \(shown)")
    expect(new.count == (isRegistration ? 1 : 0), "\(new.count) new keys after \(shown)")
  case Int32(CUSTOM_FIDO_NETWORK_STATE.rawValue):
    expect(new.count == (isRegistration ? 1 : 0), "\(new.count) new keys without a verdict: \(shown)")
    expect(keys.count == Client.keys.count + new.count, "a key is gone without a verdict: \(shown)")
  default:
    expect(new.isEmpty, "a key is kept that was refused (\(result)): \(shown)")
    expect(keys.count >= Client.keys.count - 1, "keys are gone: \(shown)")
  }
}
