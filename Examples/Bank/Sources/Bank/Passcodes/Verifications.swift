// Bounds the verifications at once. One takes 20 ms of a processor and 19 MiB, so it runs on threads of its own, off
// the event loop, and a fixed number of them may wait. Everyone else is told at once that the bank is busy: a queue
// without an end would only make everyone wait for answers that come too late.
// SPDX-License-Identifier: Apache-2.0

import NIOPosix
import Synchronization

final class Verifications: Sendable {
  private let threads: NIOThreadPool
  private let maximum: Int
  private let admitted = Mutex(0)

  /// - Parameters:
  ///   - threadCount: how many run at once. More than there are processors only take memory.
  ///   - waiting: how many more may wait.
  init(threadCount: Int, waiting: Int) {
    threads = NIOThreadPool(numberOfThreads: threadCount)
    threads.start()
    maximum = threadCount + waiting
  }

  /// Runs the body if there is a place.
  ///
  /// - Throws: `Refusal.busy` before the body has begun.
  func admit<Result>(_ body: () async throws -> Result) async throws -> Result {
    let isAdmitted = admitted.withLock { count in
      guard count < maximum else { return false }
      count += 1
      return true
    }
    guard isAdmitted else { throw Refusal.busy }
    defer { admitted.withLock { $0 -= 1 } }
    return try await body()
  }

  /// Runs the body on one of the threads.
  func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await threads.runIfActive(body)
  }

  func shutDown() async throws { try await threads.shutdownGracefully() }
}
