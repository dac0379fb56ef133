// Carries the messages of FIDO to a server, with URLSession. Certificates are always checked, no redirect is followed,
// nothing is sent twice, and an answer that is too long or too late is refused.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardFIDO

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

enum URLSessionSender {
  /// The message goes over a connection of its own: on one that was kept, what is lost would be sent again.
  @Sendable static func send(_ message: FIDOMessage) async throws -> FIDOAnswer {
    guard let url = URL(string: message.url) else { throw URLError(.badURL) }
    var request = URLRequest(url: url)
    request.httpMethod = message.method.rawValue
    if message.method == .post {
      request.httpBody = Data(message.body)
      request.setValue("application/fido+uaf; charset=utf-8", forHTTPHeaderField: "Content-Type")
      request.setValue("application/fido+uaf", forHTTPHeaderField: "Accept")
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.timeoutIntervalForRequest = TimeInterval(message.seconds)
    configuration.timeoutIntervalForResource = TimeInterval(message.seconds)
    configuration.httpCookieStorage = nil
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    let receiver = Receiver(maximumCount: message.maximumAnswerCount)
    let session = URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
    let task = session.dataTask(with: request)
    // Else the system's limit is one of silence: a server that sends a byte now and then would hold the tool up.
    let deadline = Task {
      try await Task.sleep(for: .seconds(message.seconds))
      task.cancel()
    }
    defer {
      deadline.cancel()
      session.invalidateAndCancel()
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        receiver.begin(continuation)
        task.resume()
      }
    } onCancel: {
      task.cancel()
    }
  }

  /// Called on a queue of the session's own, one call after the other.
  private final class Receiver: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private let maximumCount: Int
    private let lock = NSLock()
    private var continuation: CheckedContinuation<FIDOAnswer, any Error>?
    private var answer: FIDOAnswer?

    init(maximumCount: Int) { self.maximumCount = maximumCount }

    func begin(_ continuation: CheckedContinuation<FIDOAnswer, any Error>) {
      lock.withLock { self.continuation = continuation }
    }

    private func end(_ result: Result<FIDOAnswer, any Error>) {
      let continuation: CheckedContinuation<FIDOAnswer, any Error>? = lock.withLock {
        defer { self.continuation = nil }
        return self.continuation
      }
      continuation?.resume(with: result)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      // The library decides. It wants to know where to.
      completionHandler(nil)
      end(.success(FIDOAnswer(response)))
      task.cancel()
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
      guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
      lock.withLock { answer = FIDOAnswer(response) }
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let fits: Bool = lock.withLock {
        guard let count = answer?.body.count, count + data.count <= maximumCount else { return false }
        answer?.body.append(contentsOf: data)
        return true
      }
      if !fits {
        end(.failure(URLError(.dataLengthExceedsMaximum)))
        dataTask.cancel()
      }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let error { return end(.failure(error)) }
      let answer: FIDOAnswer? = lock.withLock { self.answer }
      guard let answer else { return end(.failure(URLError(.badServerResponse))) }
      end(.success(answer))
    }
  }
}

extension FIDOAnswer {
  fileprivate init(_ response: HTTPURLResponse) {
    self.init(status: response.statusCode)
    contentType = response.value(forHTTPHeaderField: "Content-Type") ?? ""
    location = response.value(forHTTPHeaderField: "Location") ?? ""
    let authorized = response.value(forHTTPHeaderField: "FIDO-AppID-Redirect-Authorized")
    isRedirectAuthorized = authorized?.lowercased() == "true"
  }
}
