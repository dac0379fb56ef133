// A call on a thread of its own, for the functions with `await` of the vault and of the FIDO client.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  package import Dispatch
  import Synchronization

  /// A call that waits in a queue, and its answer afterwards. A continuation takes only answers that can be copied.
  package final class QueuedCall<Value: ~Copyable & Sendable, Failure: Error>: Sendable {
    package typealias Body = @Sendable () throws(Failure) -> Value

    private let body: Mutex<Body?>
    private let answer = Mutex<Result<Value, Failure>?>(nil)

    private init(_ body: @escaping Body) { self.body = Mutex(body) }

    /// Runs `body` on `queue`, without holding up the caller's executor, and even if the task is cancelled.
    package nonisolated(nonsending) static func run(
      on queue: DispatchQueue, _ body: @escaping Body
    ) async throws(Failure) -> Value {
      let call = QueuedCall(body)
      await withCheckedContinuation { continuation in
        queue.async {
          call.perform()
          continuation.resume()
        }
      }
      return try call.answer.withLock { $0.take() }!.get()
    }

    /// Lets go of what `body` holds before the task goes on. The queue's thread ends later, and would hold a vault open
    /// that nobody uses any more: a caller that then opened its file would get `.busy`.
    private func perform() {
      let body = body.withLock { $0.take() }!
      answer.withLock { $0 = Result { () throws(Failure) in try body() } }
    }
  }
#endif
