// The threads for passcodes: a verification takes 20 ms of a processor and 19 MiB, so it runs off the event loop.
// `Admission` decides how many requests get as far as this.
// SPDX-License-Identifier: Apache-2.0

import CBankSystem
import NIOCore
import NIOPosix

final class Verifications: Sendable {
  /// How many run at once. More than there are processors only take memory.
  let threadCount: Int
  private let threads: NIOThreadPool

  init(threadCount: Int) {
    self.threadCount = threadCount
    threads = NIOThreadPool(numberOfThreads: threadCount)
    threads.start()
  }

  /// The processors that this process may use, which may be fewer than the machine has. NIO counts what a container's
  /// quota allows (`cpu.max`).
  static var processorCount: Int {
    let allowed = Int(bank_allowed_processors())
    return max(1, allowed == 0 ? System.coreCount : min(allowed, System.coreCount))
  }

  /// Runs the body on one of the threads.
  func run<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await threads.runIfActive(body)
  }

  func shutDown() async throws { try await threads.shutdownGracefully() }
}
