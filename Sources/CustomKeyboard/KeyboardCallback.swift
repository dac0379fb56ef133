// What a keyboard of Swift's calls, and which threads are inside such a call.

#if !hasFeature(Embedded)
  import CKeyboardPlatform
  import Synchronization

  /// A closure that was given to a keyboard.
  enum KeyboardCallback: Sendable {
    /// Runs on the thread that made the call.
    case anyThread(@Sendable (_ keyboard: Keyboard, _ characterCount: Int) -> Void)
    case mainActor(MainActorCallback)

    func call(_ keyboard: Keyboard, characterCount: Int) {
      switch self {
      case .anyThread(let closure): CallbackScope.run { closure(keyboard, characterCount) }
      case .mainActor(let callback): callback.call(keyboard, characterCount: characterCount)
      }
    }

    /// After this has returned the closure does not run, and will not start. The slot sees to closures of any thread.
    func remove() {
      if case .mainActor(let callback) = self { callback.remove() }
    }
  }

  /// The threads that are inside a closure of a keyboard's. They must not wait for a closure to end: it could be their
  /// own, or one that waits for them.
  enum CallbackScope {
    /// How many closures each of them is in: a closure may press a key, which calls the next.
    private static let depths = Mutex<[UInt64: Int]>([:])

    static var isInside: Bool {
      let thread = keyboard_thread()
      return depths.withLock { $0[thread] != nil }
    }

    static func run(_ closure: () -> Void) {
      let thread = keyboard_thread()
      depths.withLock { $0[thread, default: 0] += 1 }
      defer {
        depths.withLock { depths in
          let depth = depths[thread, default: 1]
          depths[thread] = depth == 1 ? nil : depth - 1
        }
      }
      closure()
    }
  }
#endif
