// Deletes what has expired, from time to time. That an expired challenge is refused does not depend on it.
// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle

struct Sweeper: Service {
  let ledger: Ledger
  let log: Logger

  func run() async throws {
    let seconds = min(30, max(1, ledger.limits.challengeSeconds))
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        do {
          try await ledger.deleteExpired()
        } catch {
          // The end of the process may come in the middle.
          if !Task.isCancelled { log.warning("Expired challenges were not deleted: \(error)") }
        }
        try? await Task.sleep(for: .seconds(seconds))
      }
    }
  }
}
