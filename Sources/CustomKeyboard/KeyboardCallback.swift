// What a keyboard calls: a function of C, which calls the closures of Swift.
// SPDX-License-Identifier: Apache-2.0

/// Is told how many characters are typed, and nothing else of them.
package typealias TextFieldCallback =
  @convention(c) (_ context: UnsafeMutableRawPointer?, _ keyboard: UInt64, _ characterCount: Int) -> Void

/// Is told that the input is complete.
package typealias OKCallback = @convention(c) (_ context: UnsafeMutableRawPointer?, _ keyboard: UInt64) -> Void

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
