// Bounds the requests of one kind. A number of them run, and a number wait. Everyone else is told at once that the bank
// is busy, because in a queue without an end all answers come too late. Kinds do not wait for each other, so a thousand
// strangers who want challenges delay no login.
//
// It is fair between addresses: they take turns. If all places to wait are taken, the address that has the most of them
// gives up its latest one to an address that has fewer. So a thousand requests from one address delay that address.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

final class Admission: Sendable {
  private let state: Mutex<State>

  /// - Parameters:
  ///   - running: how many run at once.
  ///   - waiting: how many more may wait.
  init(running: Int, waiting: Int) { state = Mutex(State(mostRunning: running, mostWaiting: waiting)) }

  /// Runs the body when it is its turn.
  ///
  /// - Throws: `Refusal.busy` before the body has begun.
  func admit<Result>(_ client: ClientAddress, _ body: () async throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { turn in
      let refused = state.withLock { $0.enter(turn, client.network) }
      refused?.resume(throwing: Refusal.busy)
    }
    defer { state.withLock { $0.leave() }?.resume() }
    return try await body()
  }

  var load: (running: Int, waiting: Int) { state.withLock { ($0.running, $0.waitingCount) } }

  private typealias Turn = CheckedContinuation<Void, any Error>

  private struct State {
    let mostRunning: Int
    let mostWaiting: Int
    var running = 0
    var waitingCount = 0
    /// The requests that wait, by address, the oldest first. No list is empty.
    private var waiting: [String: [Turn]] = [:]
    /// The addresses that wait, the next one first.
    private var order: [String] = []

    init(mostRunning: Int, mostWaiting: Int) { (self.mostRunning, self.mostWaiting) = (mostRunning, mostWaiting) }

    /// - Returns: the request to refuse if all places are taken: the new one, or another.
    mutating func enter(_ turn: Turn, _ address: String) -> Turn? {
      if running < mostRunning {
        running += 1
        turn.resume()
        return nil
      }
      var refused: Turn?
      if waitingCount == mostWaiting {
        let longest = waiting.max { $0.value.count < $1.value.count }
        guard let longest, longest.value.count > 1 + waiting[address, default: []].count else { return turn }
        refused = waiting[longest.key]!.removeLast()
        waitingCount -= 1
      }
      if waiting[address] == nil { order.append(address) }
      waiting[address, default: []].append(turn)
      waitingCount += 1
      return refused
    }

    /// - Returns: whose turn it is now.
    mutating func leave() -> Turn? {
      guard !order.isEmpty else {
        running -= 1
        return nil
      }
      let address = order.removeFirst()
      let turn = waiting[address]!.removeFirst()
      waitingCount -= 1
      if waiting[address]!.isEmpty { waiting[address] = nil } else { order.append(address) }
      return turn
    }
  }
}

/// One for each kind of request.
struct Admissions: Sendable {
  let challenges: Admission
  let registrations: Admission
  let attempts: Admission
  let sessions: Admission

  /// - Parameters:
  ///   - threads: how many passcodes are checked at once.
  ///   - connections: how many statements the database runs at once.
  ///   - waiting: how many requests of each kind may wait.
  init(threads: Int, connections: Int, waiting: Int) {
    // At most half of the threads make verifiers for new accounts, and at most half of the database's connections serve
    // what costs a stranger nothing, so that a login finds one soon.
    challenges = Admission(running: max(1, connections / 2), waiting: waiting)
    registrations = Admission(running: max(1, threads / 2), waiting: waiting)
    attempts = Admission(running: threads + connections, waiting: waiting)
    sessions = Admission(running: max(1, connections / 2), waiting: waiting)
  }

  var all: [(name: String, admission: Admission)] {
    [("attempt", attempts), ("challenge", challenges), ("registration", registrations), ("session", sessions)]
  }
}
