// The closures that a Swift keyboard calls.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  /// A closure that was given to a keyboard.
  enum KeyboardCallback: Sendable {
    /// Runs on the thread that made the call.
    case anyThread(@Sendable (_ keyboard: Keyboard, _ characterCount: Int) -> Void)
    case mainActor(MainActorCallback)

    func call(_ keyboard: Keyboard, characterCount: Int) {
      switch self {
      case .anyThread(let closure): closure(keyboard, characterCount)
      case .mainActor(let callback): callback.call(keyboard, characterCount: characterCount)
      }
    }

    /// Stops what is queued. What is running is waited for where the slot's callback is replaced, which comes next.
    func remove() {
      if case .mainActor(let callback) = self { callback.remove() }
    }
  }
#endif
