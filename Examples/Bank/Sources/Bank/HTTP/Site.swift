// What one port serves: paths, the headers of every answer, and one line in the log for each. Hummingbird's own router
// answers a wrong method with 404, and failures without JSON; clients are told more here.
// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging

struct Site: HTTPResponder {
  typealias Context = BankContext
  typealias Handler = @Sendable (Request, ClientAddress) async throws -> Response

  /// Added to every answer, errors included.
  let headers: HTTPFields
  /// Whose word counts for where a request comes from.
  let proxies: [String]
  let metrics: Metrics
  let log: Logger
  private var handlers: [String: [HTTPRequest.Method: Handler]] = [:]

  init(headers: HTTPFields, proxies: [String] = [], metrics: Metrics, log: Logger) {
    (self.headers, self.proxies, self.metrics, self.log) = (headers, proxies, metrics, log)
  }

  mutating func on(_ method: HTTPRequest.Method, _ path: String, _ handler: @escaping Handler) {
    handlers[path, default: [:]][method] = handler
    metrics.showFailures(of: path)
  }

  func respond(to request: Request, context: Context) async throws -> Response {
    let begun = ContinuousClock.now
    var response: Response
    do {
      try request.checkHost()
      response = try await handler(for: request)(request, context.client(request, proxies: proxies))
    } catch {
      response = refusal(for: error).said(in: request.language).response
    }
    for field in headers where !response.headers.contains(field.name) { response.headers.append(field) }
    // A wrong path is the client's own text.
    let path = handlers[request.uri.path] == nil ? "other" : request.uri.path
    metrics.countRequest(path, response.status.code)
    if request.method == .head { response = response.createHeadResponse() }
    write(request, response, begun.duration(to: .now))
    return response
  }

  private func handler(for request: Request) throws -> Handler {
    guard let methods = handlers[request.uri.path] else { throw Refusal.path }
    guard let handler = methods[request.method == .head ? .get : request.method] else {
      throw Refusal.method(allowed: Array(methods.keys) + (methods[.get] == nil ? [] : [.head]))
    }
    return handler
  }

  /// Clients learn nothing of why the bank failed; its log does.
  private func refusal(for error: any Error) -> Refusal {
    switch error {
    case let refusal as Refusal:
      return refusal
    case DatabaseError.unavailable(let message):
      log.error("The database is not available: \(message)")
      return .unavailable
    case let error as DatabaseError:
      log.error("\(error)")
      return .failure
    default:
      log.error("A request failed: \(error)")
      return .failure
    }
  }

  /// Method, path, status and time: nothing of bodies, queries, or headers. The path is the client's, so it is cut, and
  /// no character of it can begin a line or change a terminal.
  private func write(_ request: Request, _ response: Response, _ duration: Duration) {
    let path = request.uri.path.utf8.prefix(64).map { byte in
      0x21..<0x7f ~= byte ? String(Unicode.Scalar(byte)) : "?"
    }
    let milliseconds = duration / .milliseconds(1)
    let rounded = (milliseconds * 10).rounded() / 10
    log.info("\(request.method.rawValue.prefix(16)) \(path.joined()) \(response.status.code) \(rounded) ms")
  }
}

extension Request {
  /// A request names one host, as RFC 9112 §3.2 wants it. With two of them, a proxy and the bank may each obey another.
  fileprivate func checkHost() throws {
    // The first one is the request's authority; NIO leaves the others among the fields.
    guard let host = head.authority, headers[values: .otherHost].isEmpty, !host.isEmpty,
      host.utf8.allSatisfy({ 0x21..<0x7f ~= $0 && !"/?#@,\\".utf8.contains($0) })
    else { throw Refusal.request("A request has one Host.") }
  }
}

extension HTTPField.Name {
  fileprivate static let otherHost = HTTPField.Name("Host")!
}
