// Callbacks for user interfaces: a closure of the main actor, called there whichever thread the keyboard is used from.

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
    private let running = DispatchGroup()

    private struct State {
      var isRemoved = false
      /// The opening that the queued call belongs to.
      var queuedOpening: Int?
    }

    init(_ body: @escaping @MainActor (_ keyboard: Keyboard, _ characterCount: Int) -> Void) { self.body = body }

    /// Runs the closure now if this is the main actor, else soon.
    func call(_ keyboard: Keyboard, characterCount: Int) {
      if MainActor.isCurrent {
        MainActor.assumeIsolated { run(keyboard, characterCount) }
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
        let opening = state.withLock { $0.queuedOpening.take() }
        guard let keyboard, opening == keyboard.closures.withLock(\.opening) else { return }
        run(keyboard, keyboard.count)
      }
    }

    @MainActor
    private func run(_ keyboard: Keyboard, _ characterCount: Int) {
      let mayRun = state.withLock { state in
        if !state.isRemoved { running.enter() }
        return !state.isRemoved
      }
      guard mayRun else { return }
      defer { running.leave() }
      CallbackScope.run { body(keyboard, characterCount) }
    }

    /// After this has returned the closure does not run, and will not start.
    ///
    /// Waits for a closure that is running, except on the main actor, where it can only be this call's own caller, and
    /// inside a callback, because two callbacks could then wait for each other.
    func remove() {
      state.withLock { $0.isRemoved = true }
      if !MainActor.isCurrent && !CallbackScope.isInside { running.wait() }
    }
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
