// The same against a server, for Swift: the app brings an async function that sends.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import CCustomFido
  public import CustomKeyboard
  import Dispatch
  import Synchronization

  /// One message to the server.
  public struct FIDOMessage: Sendable {
    /// Of HTTP.
    @nonexhaustive
    public enum Method: String, Sendable {
      /// Without credentials, for a list of trusted facets.
      case get = "GET"
      /// With `Content-Type: application/fido+uaf; charset=utf-8`.
      case post = "POST"
    }

    /// The method of HTTP.
    public let method: Method
    /// https; http to this machine only.
    public let url: String
    /// The body of a POST: JSON in UTF-8.
    public let body: [UInt8]
    /// How long to wait for the answer.
    public let seconds: Int
    /// A longer answer is refused.
    public let maximumAnswerCount: Int
  }

  extension FIDOMessage: CustomStringConvertible, CustomReflectable {
    /// Without the body, which names the user and has what is signed.
    public var description: String { "FIDOMessage(\(method.rawValue) \(url), \(body.count) bytes)" }
    /// Without the body.
    public var customMirror: Mirror { Mirror(self, children: ["method": method, "url": url]) }
  }

  /// The server's answer, whatever its status is.
  public struct FIDOAnswer: Sendable {
    /// The status code of HTTP.
    public var status: Int
    /// The header's value, with its parameters.
    public var contentType = ""
    /// At most `maximumAnswerCount` bytes.
    public var body: [UInt8] = []
    /// Where a redirect leads. The app does not follow it.
    public var location = ""
    /// There is a header `FIDO-AppID-Redirect-Authorized: true`.
    public var isRedirectAuthorized = false
    /// A JSON object with what is known of the TLS connection, or "".
    public var channelBinding = ""

    /// - Parameter status: the status code of HTTP.
    public init(status: Int) { self.status = status }
  }

  extension FIDOAnswer: CustomStringConvertible, CustomReflectable {
    /// The status and a length only: the body may have the token of a session.
    public var description: String { "FIDOAnswer(status: \(status), \(body.count) bytes)" }
    /// The status only.
    public var customMirror: Mirror { Mirror(self, children: ["status": status]) }
  }

  extension FIDOClient {
    /// Sends a message and waits for the answer. It checks certificates, follows no redirect, and sends nothing twice.
    /// Whatever it throws is `.network`.
    public typealias Send = @Sendable (FIDOMessage) async throws -> FIDOAnswer

    /// What a server is asked for.
    @nonexhaustive
    public enum Operation: Sendable, Hashable {
      /// To register a new key.
      case registration
      /// To authenticate with a key that is here, or to confirm a transaction.
      case authentication
      /// To delete what the server chooses: all its keys of this user, or one of them.
      case deregistration
      /// To delete all keys of this user.
      case deregistrationOfAll

      fileprivate var start: FidoHandle.Start {
        switch self {
        case .registration: .registration
        case .authentication: .authentication
        case .deregistration: .deregistration
        case .deregistrationOfAll: .deregistrationAll
        }
      }
    }

    /// Where requests come from and answers go to. A request that waits, and that `start` has begun, is forgotten.
    ///
    /// - Parameters:
    ///   - request, response: https URLs of at most 1023 bytes; http for this machine only.
    ///   - seconds: how long one message may take.
    /// - Throws: `.invalidParameter`; `.busy` while a message is under way.
    /// - C: `CustomFido_setServer`.
    public func setServer(
      request: String, response: String, seconds: Int = 30, send: @escaping Send
    ) throws(FIDOError) {
      guard let seconds = UInt32(exactly: seconds), seconds > 0 else { throw .invalidParameter }
      let next = Sender(send)
      // Before the old one ends: a message that is under way makes this fail.
      try request.withBytes { request throws(FidoResult) in
        try Self.naming(response) { response throws(FidoResult) in
          try handle.setServer(
            requestURL: request, responseURL: response, seconds: seconds, send: sendBySender,
            context: Unmanaged.passUnretained(next).toOpaque())
        }
      }
      sender.withLock { $0 = next }
    }

    /// Lets the server use keys that were made with another one, until the next `setServer`.
    ///
    /// A key belongs to the origin that it was made with: scheme, host and port of the request's URL. A server uses and
    /// deletes keys of its own origin only, unless the appID is an https URL on its host, or the appID's list of facets
    /// has its origin. `begin` uses every key of the appID.
    ///
    /// - Parameter origin: `https://login.bank.example`; http for this machine only; at most 16 of them.
    /// - Throws: `.invalidParameter`, also if no server is set; `.busy` while a message is under way.
    /// - C: `CustomFido_addOrigin`.
    public func addOrigin(_ origin: String) throws(FIDOError) {
      try origin.withBytes { origin throws(FidoResult) in try handle.addOrigin(origin) }
    }

    private static func naming<Result>(
      _ text: String, _ body: (UnsafeRawBufferPointer) throws(FidoResult) -> Result
    ) throws(FidoResult) -> Result {
      do throws(FIDOError) { return try text.withBytes(body) } catch { throw error.result }
    }

    /// Asks the server for a request, fetches its list of trusted facets if there is one, and begins. Nothing is sent
    /// twice.
    ///
    /// - Parameters:
    ///   - user: visible ASCII of at most 128 bytes.
    ///   - context: a JSON object with what else the server wants to know.
    /// - Throws: as `begin`; `.emptyUserName`, `.invalidUserName`, `.network`, `.cancelled`, `.invalidParameter` (no
    ///   server, not JSON), `.busy`, and what a server answers.
    /// - C: `CustomFido_startRegistration` and the others.
    public nonisolated(nonsending) func start(
      _ operation: Operation, user: String, context: String? = nil
    ) async throws(FIDOError) -> Beginning {
      try await cancellable { client throws(FIDOError) in
        let result = try user.withBytes { user throws(FidoResult) in
          try Self.naming(context ?? "") { text throws(FidoResult) in
            try client.handle.start(operation.start, userName: user, context: context == nil ? nil : text)
          }
        }
        return try Beginning(result)
      }
    }

    /// Finishes, and sends the answer. A new key is the user's once the server has accepted it; refused, it is deleted;
    /// without an answer it is kept.
    ///
    /// - Throws: as `finish`; `.notRegistered` also if the server has accepted a key that was meanwhile reset,
    ///   deregistered, or replaced by a newer one; `.network`, `.cancelled`, `.busy`, and what a server answers.
    /// - C: `CustomFido_resume`.
    public nonisolated(nonsending) func resume(
      _ authenticator: Authenticator, user: String? = nil, typedOn keyboard: Keyboard, again: Keyboard? = nil
    ) async throws(FIDOError) {
      try await cancellable { client throws(FIDOError) in
        let result = try withExtendedLifetime((keyboard, again)) { () throws(FIDOError) in
          try (user ?? "").withBytes { name throws(FidoResult) in
            try client.handle.resume(
              authenticator.number, userName: user == nil ? nil : name, keyboard: keyboard.handle,
              again: again?.handle ?? 0)
          }
        }
        try result.expect(CUSTOM_FIDO_SUCCESS)
      }
    }

    /// The server's token for the session that was authenticated; nil if it gave none. It is kept until the
    /// next request begins, or `cancel`.
    ///
    /// - C: `CustomFido_token`.
    public func token() throws(FIDOError) -> SecretBytes? {
      // Most tokens are short.
      var capacity = 4096
      while true {
        var token: SecretBytes
        var length = 0
        do throws(KeyboardError) { token = try SecretBytes(capacity: capacity) } catch { throw FIDOError(error) }
        do throws(FidoResult) {
          try token.fill { space throws(FidoResult) in
            try handle.token(into: space, length: &length)
            return 0..<length
          }
          guard length > 0 else { return nil }
          return token
        } catch {
          guard error == FidoResult(CUSTOM_KEYBOARD_SPACE), length >= capacity else { throw FIDOError(error) }
          capacity = length + 1
        }
      }
    }

    /// The status code of the server's last message, 0 if there is none.
    ///
    /// - C: `CustomFido_serverStatus`.
    public func serverStatus() throws(FIDOError) -> Int {
      Int(try KeyboardFIDO.naming { () throws(FidoResult) in try handle.serverStatus() })
    }

    /// Runs `body` on the client's thread. If the task is cancelled, so is the message that is under way.
    private nonisolated(nonsending) func cancellable<Result: Sendable>(
      _ body: @escaping @Sendable (FIDOClient) throws(FIDOError) -> Result
    ) async throws(FIDOError) -> Result {
      let call = Sender.Call()
      let result: Swift.Result<Result, FIDOError> = await withTaskCancellationHandler {
        do throws(FIDOError) {
          return .success(
            try await working { client throws(FIDOError) in
              let sender = client.sender.withLock { $0 }
              sender?.begin(call)
              defer { sender?.begin(nil) }
              do throws(FIDOError) { return try body(client) } catch {
                throw call.isCancelled ? .cancelled : error
              }
            })
        } catch { return .failure(error) }
      } onCancel: {
        call.cancel()
      }
      return try result.get()
    }
  }

  /// Carries the library's exchanges, which wait, to the app's async function.
  final class Sender: Sendable {
    private let send: FIDOClient.Send
    private let call = Mutex<Call?>(nil)

    init(_ send: @escaping FIDOClient.Send) { self.send = send }

    /// A call of the app's, which may be cancelled before, while and after a message is under way.
    final class Call: Sendable {
      private let state = Mutex<(isCancelled: Bool, task: Task<Void, Never>?)>((false, nil))

      var isCancelled: Bool { state.withLock { $0.isCancelled } }

      func cancel() {
        let task = state.withLock { state in
          state.isCancelled = true
          return state.task
        }
        task?.cancel()
      }

      fileprivate func follow(_ task: Task<Void, Never>) {
        let isCancelled = state.withLock { state in
          state.task = task
          return state.isCancelled
        }
        if isCancelled { task.cancel() }
      }
    }

    /// - Parameter call: whose messages the next ones are.
    func begin(_ call: Call?) { self.call.withLock { $0 = call } }

    /// On the client's own thread, which waits here: not one of Swift's few for tasks.
    func answer(_ message: FIDOMessage) -> FIDOAnswer? {
      let call = call.withLock { $0 }
      let (done, answer) = (DispatchSemaphore(value: 0), Box())
      let send = send
      let task = Task<Void, Never> {
        let result = Task.isCancelled ? nil : try? await send(message)
        answer.value.withLock { $0 = result }
        done.signal()
      }
      call?.follow(task)
      done.wait()
      return answer.value.withLock { $0 }
    }

    private final class Box: Sendable {
      let value = Mutex<FIDOAnswer?>(nil)
    }
  }

  /// The library's `CUSTOM_FIDO_SEND`.
  private func sendBySender(
    _ context: UnsafeMutableRawPointer?, _ exchange: UnsafeMutablePointer<CUSTOM_FIDO_EXCHANGE>
  ) -> Int32 {
    let sender = Unmanaged<Sender>.fromOpaque(context!).takeUnretainedValue()
    let given = exchange.pointee
    let message = FIDOMessage(
      method: given.body == nil ? .get : .post, url: String(cString: given.url!),
      body: Array(UnsafeRawBufferPointer(start: given.body, count: given.bodyLength)), seconds: Int(given.seconds),
      maximumAnswerCount: given.capacity)
    guard let answer = sender.answer(message), answer.body.count <= given.capacity,
      let status = Int32(exactly: answer.status)
    else { return 1 }
    UnsafeMutableRawBufferPointer(start: given.answer, count: given.capacity).copyBytes(from: answer.body)
    exchange.pointee.answerLength = answer.body.count
    exchange.pointee.status = status
    exchange.pointee.redirectAuthorized = answer.isRedirectAuthorized ? 1 : 0
    // Three arrays of bytes, one after the other. Swift does not see the last: it is too long for a tuple.
    let types = withUnsafeMutablePointer(to: &exchange.pointee.contentType) { UnsafeMutableRawPointer($0) }
    let places = withUnsafeMutablePointer(to: &exchange.pointee.location) { UnsafeMutableRawPointer($0) }
    guard write(answer.contentType, at: types, 64), write(answer.location, at: places, 1024),
      write(answer.channelBinding, at: places + 1024, 8192)
    else { return 1 }
    return 0
  }

  /// Writes a text and a NUL, if there is room.
  private func write(_ text: String, at place: UnsafeMutableRawPointer, _ capacity: Int) -> Bool {
    let bytes = text.utf8CString
    guard bytes.count <= capacity, !text.utf8.contains(0) else { return false }
    bytes.withUnsafeBytes { place.copyMemory(from: $0.baseAddress!, byteCount: $0.count) }
    return true
  }
#endif
