// Callbacks for user interfaces: a closure of the main actor, called there whichever thread the keyboard is used from.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import Dispatch
  import Synchronization

  /// A closure of the main actor that a keyboard calls until it is removed.
  ///
  /// A call on the main actor runs the closure at once. Any other call queues it to the main actor, at most once at a
  /// time: the closure gets the count of the moment when it runs, so that an older count never comes after a newer one.
  final class MainActorCallback: Sendable {
    private let body: @MainActor (_ keyboard: Keyboard, _ characterCount: Int) -> Void
    private let state = Mutex(State())

    private struct State {
      var isRemoved = false
      /// The opening that the queued call belongs to.
      var queuedOpening: Int?
    }

    init(_ body: @escaping @MainActor (_ keyboard: Keyboard, _ characterCount: Int) -> Void) { self.body = body }

    /// Runs the closure now if this is the main actor, else soon.
    func call(_ keyboard: Keyboard, characterCount: Int) {
      if MainActor.isCurrent {
        MainActor.assumeIsolated { body(keyboard, characterCount) }
        return
      }
      let opening = keyboard.closures.withLock(\.opening)
      let isFirst = state.withLock { state in
        defer { state.queuedOpening = opening }
        return state.queuedOpening == nil
      }
      guard isFirst else { return }
      // Weak, because a keyboard's end wipes what was typed, and must not have to wait for the main actor.
      Task { @MainActor [weak keyboard] in
        if let keyboard { runQueued(keyboard) }
      }
    }

    @MainActor
    private func runQueued(_ keyboard: Keyboard) {
      keyboard.keyboardHandle.runQueued {
        // Asked only now: a call that removes the closure first says so here, and then waits for what is running.
        let state = state.withLock { state in
          defer { state.queuedOpening = nil }
          return state
        }
        guard !state.isRemoved, state.queuedOpening == keyboard.closures.withLock(\.opening) else { return }
        MainActor.assumeIsolated { body(keyboard, keyboard.count) }
      }
    }

    /// Stops what is queued.
    func remove() { state.withLock { $0.isRemoved = true } }
  }

  extension MainActor {
    /// Whether `assumeIsolated` would succeed: on Linux the main actor need not be on the main thread, but it is always
    /// on the main queue.
    fileprivate static var isCurrent: Bool { DispatchQueue.getSpecific(key: mainQueue) != nil }

    private static let mainQueue: DispatchSpecificKey<Void> = {
      let key = DispatchSpecificKey<Void>()
      DispatchQueue.main.setSpecific(key: key, value: ())
      return key
    }()
  }
#endif
