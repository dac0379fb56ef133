// Whether the database answers, told in time: a database that hangs says nothing, and a program that watches the bank
// must not wait for it.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

final class Health: Sendable {
  private typealias Watcher = CheckedContinuation<Bool, Never>

  private struct State {
    /// However many ask, one question at a time is before the database: a thread is lost for as long as it hangs.
    var isAsking = false
    var watchers: [Int: Watcher] = [:]
    var count = 0
  }

  private let limit: Duration
  private let ask: @Sendable () async -> Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - limit: how long a watcher waits.
  ///   - ask: whether the database answers. It may take for ever.
  init(limit: Duration, ask: @escaping @Sendable () async -> Bool) { (self.limit, self.ask) = (limit, ask) }

  /// - Returns: false if the database refuses, or says nothing for as long as the limit.
  func answers() async -> Bool {
    await withCheckedContinuation { watcher in
      let (number, begins) = state.withLock { state in
        defer { state.isAsking = true }
        state.count += 1
        state.watchers[state.count] = watcher
        return (state.count, !state.isAsking)
      }
      if begins { Task { await tellAll(ask()) } }
      Task {
        try? await Task.sleep(for: limit)
        state.withLock { $0.watchers.removeValue(forKey: number) }?.resume(returning: false)
      }
    }
  }

  private func tellAll(_ answer: Bool) {
    let watchers = state.withLock { state in
      defer { (state.isAsking, state.watchers) = (false, [:]) }
      return state.watchers.values
    }
    for watcher in watchers { watcher.resume(returning: answer) }
  }
}
