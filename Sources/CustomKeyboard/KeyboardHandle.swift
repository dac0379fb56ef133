// A keyboard from outside: a number that names a slot, whose lock is held for the time of a call.
// SPDX-License-Identifier: Apache-2.0
//
// Nothing here allocates with Swift's allocator, which ends the process when there is no memory: a C caller gets a
// code.

package import KeyboardCipher
package import KeyboardCodes
package import KeyboardLayout
package import KeyboardMemory
import KeyboardPIN

/// A keyboard by its number. Copies name the same keyboard; after `destroy` the number is invalid.
///
/// - Throws: every call throws `.argument(.noKeyboard)` if the number names no keyboard.
package struct KeyboardHandle: Sendable {
  package let slot: SecureSlot

  package init(_ slot: SecureSlot) { self.slot = slot }

  /// The keyboard's number in C.
  package var number: UInt64 { slot.rawValue }

  package static func create() throws(KeyboardError) -> KeyboardHandle {
    try Residue.contained { () throws(KeyboardError) in
      let slot = try KeyboardState.slots.allocate()
      if let memory = KeyboardState.slots.pin(slot) {
        KeyboardState(memory: memory).begin()
        KeyboardState.slots.unpin(slot)
      }
      return KeyboardHandle(slot)
    }
  }

  /// Wipes the keyboard, and waits for its callbacks unless the calling thread is inside one.
  package func destroy() throws(KeyboardError) {
    try Residue.uncancelled { () throws(KeyboardError) in
      // Under the lock, so that a call that waits for it finds no keyboard, and a callback that is about to run is in
      // the list by now, or will not run.
      try call { state in state.end() }
      try Residue.contained { () throws(KeyboardError) in
        guard KeyboardState.slots.release(slot) else { throw .argument(.noKeyboard) }
      }
      RunningCallbacks.wait(for: slot.rawValue, before: .max)
    }
  }

  /// Runs `body` with the keyboard's lock held, and leaves no residue.
  @inline(__always)
  func call<Result>(
    _ reach: Residue.Reach = .ordinary, _ body: (KeyboardState) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var result: Result?
    try callCompiledOnce(reach) { state throws(KeyboardError) in result = try body(state) }
    return result!
  }

  /// Runs `body` with the keyboard's lock held. The only way to a keyboard's state.
  @inline(__always)
  func withLock<Result>(
    _ body: (KeyboardState) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var result: Result?
    try lockCompiledOnce { state throws(KeyboardError) in result = try body(state) }
    return result!
  }

  // Without a type of result, these two are compiled once, and not for every caller: that saves 4 KB.

  @inline(never)
  private func callCompiledOnce(
    _ reach: Residue.Reach, _ body: (KeyboardState) throws(KeyboardError) -> Void
  ) throws(KeyboardError) {
    try Residue.contained(reach) { () throws(KeyboardError) in try lockCompiledOnce(body) }
  }

  @inline(never)
  private func lockCompiledOnce(_ body: (KeyboardState) throws(KeyboardError) -> Void) throws(KeyboardError) {
    guard let memory = KeyboardState.slots.pin(slot) else { throw .argument(.noKeyboard) }
    defer { KeyboardState.slots.unpin(slot) }
    let state = KeyboardState(memory: memory)
    state.enter()
    do throws(KeyboardError) {
      guard !state.hasEnded else { throw .argument(.noKeyboard) }
      try body(state)
      guard state.leave() else { throw .operationDisabled(.notOpen) }
    } catch {
      guard state.leave() else { throw .operationDisabled(.notOpen) }
      throw error
    }
  }
}

// MARK: - Key, state, characters

extension KeyboardHandle {
  package func setEncKey(_ key: UnsafeRawBufferPointer, way: Way) throws(KeyboardError) {
    try call(way.reachOfKeys) { state throws(KeyboardError) in try state.setKey(key, way: way) }
  }

  package func setContext(_ context: UnsafeRawBufferPointer) throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.setContext(context) }
  }

  package func open() throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.open() }
  }

  package func close() throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.close() }
  }

  package func input(_ utf8: UnsafeRawBufferPointer) throws(KeyboardError) {
    try telling { state throws(KeyboardError) in
      try state.input(utf8)
      return state.notice(isTextChanged: !utf8.isEmpty)
    }
  }

  package func deleteBackward() throws(KeyboardError) {
    try telling { state throws(KeyboardError) in state.notice(isTextChanged: try state.deleteBackward()) }
  }

  package func clear() throws(KeyboardError) {
    try telling { state throws(KeyboardError) in state.notice(isTextChanged: try state.clear()) }
  }

  package func characterCount() throws(KeyboardError) -> Int {
    try call { state in state.characterCount }
  }

  package func getText(into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int> {
    // `getText` wipes before it touches the caller's memory.
    try Residue.plain { () throws(KeyboardError) in
      try withLock { state throws(KeyboardError) in try state.getText(into: space) }
    }
  }
}

// MARK: - Texts of others

extension KeyboardHandle {
  /// Opens an idle keyboard with the password of a text. The text is opened before the keyboard is locked.
  ///
  /// - Parameter context: what a sealed text was sealed for; an ECB text has none.
  package func receive(
    _ text: UnsafeRawBufferPointer, way: Way, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try checkIdle()
    switch way {
    case .ecb(let way):
      guard context.count <= maximumContextLength else { throw .tooLong(.context) }
      guard text.count <= maximumTextLength else { throw .tooLong(.ciphertext) }
      guard context.isEmpty else { throw .key(.context) }
      try receive(text, way: way, key: key)
    case .sealed(let way): try receive(text, way: way, key: key, context: context)
    #if arch(wasm32)  // A page has no PIN blocks.
      case .pin: throw .argument(.unknownWay)
    #else
      case .pin(let format): try receive(text, format: format, key: key, context: context)
    #endif
    }
  }

  @inline(never)
  private func receive(
    _ text: UnsafeRawBufferPointer, way: SealingWay, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try Residue.whole { () throws(KeyboardError) in
      // In the child of a fork in the middle there is no password, and no keyboard that is open.
      guard let opened = try unsealToWorkspace(text, way: way, key: key, context: context)
      else { throw .operationDisabled(.notOpen) }
      try receive(opened.text.password, byteCount: opened.length, from: opened.text.workspace)
    }
  }

  @inline(never)
  private func receive(
    _ text: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try Residue.whole { () throws(KeyboardError) in
      guard let opened = try decryptToWorkspace(text, way: way, key: key) else { throw .operationDisabled(.notOpen) }
      try receive(opened.cipher.text, byteCount: opened.length, from: opened.cipher.workspace)
    }
  }

  func checkIdle() throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.checkIdle() }
  }

  /// - Parameter password: at the beginning of the workspace, whose end is not needed any more. Wiped.
  @inline(never)
  func receive(
    _ password: UnsafeMutableRawPointer, byteCount: Int, from workspace: borrowing Workspace, originCode: UInt32 = 0,
    account: AccountNumber? = nil
  ) throws(KeyboardError) {
    try Residue.wiped { () throws(KeyboardError) in
      // Masked for as long as another call has the keyboard. What opening needs is here before the password is
      // unmasked: nothing after that waits, for memory or for a lock.
      let size = MaskedBytes.byteCount(capacity: maximumTextLength)
      let waiting = MaskedBytes(at: workspace.end - size, capacity: maximumTextLength)
      var stream = try workspace.randomStream(byteCount: maximumTextLength + KeyboardState.drawnByOpen)
      waiting.reset(using: &stream)
      waiting.store(UnsafeRawBufferPointer(start: password, count: byteCount), at: 0)
      wipe(password, byteCount: byteCount)
      defer { wipe(workspace.end - size, byteCount: size) }
      try withLock { state throws(KeyboardError) in
        // In the child of a fork in the middle there is no password. A fork from here on empties the keyboard, too.
        guard !workspace.wasEmptied else { throw .operationDisabled(.notOpen) }
        waiting.unmask(count: byteCount, into: password)
        defer { wipe(password, byteCount: byteCount) }
        try state.receive(
          UnsafeRawBufferPointer(start: password, count: byteCount), originCode: originCode, account: account,
          using: &stream)
      }
    }
  }
}

// MARK: - Layout and touch

extension KeyboardHandle {
  package func setLayout(
    _ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int
  ) throws(KeyboardError) {
    try call { state throws(KeyboardError) in
      try state.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
    }
  }

  package func setSize(_ size: ViewSize) throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.setSize(size) }
  }

  /// Lends the keys of the page that is shown, one by one, and how many they are.
  package func withKeys<Result>(
    _ body: (_ count: Int, inout KeyCaps) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try call { state throws(KeyboardError) in try state.withKeys(body) }
  }

  package func pressKey(_ index: Int) throws(KeyboardError) {
    try telling { state throws(KeyboardError) in try state.press(index) }
  }

  package func touch(x: Double, y: Double) throws(KeyboardError) {
    try telling { state throws(KeyboardError) in try state.touch(x: x, y: y) }
  }
}

// MARK: - Callbacks

extension KeyboardHandle {
  /// When this returns, the callback that was set before does not run any more and will not start, unless the calling
  /// thread is inside a callback.
  package func setTextField(
    _ callback: TextFieldCallback?, context: UnsafeMutableRawPointer?
  ) throws(KeyboardError) {
    try replaceCallback { callbacks in
      callbacks.textField = callback
      callbacks.textFieldContext = context
    }
  }

  /// As `setTextField`.
  package func setOKAction(_ callback: OKCallback?, context: UnsafeMutableRawPointer?) throws(KeyboardError) {
    try replaceCallback { callbacks in
      callbacks.ok = callback
      callbacks.okContext = context
    }
  }

  private func replaceCallback(_ replace: (inout Callbacks) -> Void) throws(KeyboardError) {
    try Residue.uncancelled { () throws(KeyboardError) in
      let version = try call { state throws(KeyboardError) in
        try RunningCallbacks.prepare()
        replace(&state.callbacks.pointee)
        state.callbacks.pointee.version += 1
        return state.callbacks.pointee.version
      }
      RunningCallbacks.wait(for: slot.rawValue, before: version)
    }
  }

  /// Runs `body`, and then the callbacks with no lock held, so that a callback may call any function, `destroy`
  /// included. The thread cannot be cancelled until the last callback has returned.
  private func telling(_ body: (KeyboardState) throws(KeyboardError) -> Notice) throws(KeyboardError) {
    try Residue.uncancelled { () throws(KeyboardError) in
      let notice = try call { state throws(KeyboardError) in
        let notice = try body(state)
        return state.callbacks.pointee.isSet ? notice : Notice()
      }
      if notice.isTextChanged {
        run { callbacks in
          callbacks.textField != nil
        } body: { callbacks in
          callbacks.textField?(callbacks.textFieldContext, slot.rawValue, notice.characterCount)
        }
      }
      // Looked up only now: the text field's callback may have taken the action away, or destroyed the keyboard.
      if notice.isComplete {
        run { callbacks in
          callbacks.ok != nil
        } body: { callbacks in
          callbacks.ok?(callbacks.okContext, slot.rawValue)
        }
      }
    }
  }

  /// Runs a closure that a callback has queued. It counts as a callback: a call that replaces the callback waits for
  /// it.
  func runQueued(_ body: () -> Void) {
    try? Residue.uncancelled { () throws(KeyboardError) in
      run(where: { _ in true }, body: { _ in body() })
    }
  }

  /// Runs one callback, in the list of running ones meanwhile; does nothing if the keyboard no longer exists.
  private func run(where isSet: (Callbacks) -> Bool, body: (Callbacks) -> Void) {
    var running = RunningCallback(keyboard: slot.rawValue, version: 0)
    withUnsafeMutablePointer(to: &running) { running in
      let callbacks = try? call { state throws(KeyboardError) -> Callbacks? in
        let callbacks = state.callbacks.pointee
        guard isSet(callbacks) else { return nil }
        running.pointee = RunningCallback(keyboard: slot.rawValue, version: callbacks.version)
        RunningCallbacks.add(running)
        return callbacks
      }
      if let callbacks { body(callbacks) }
      // It may be in the list although the call failed: a fork in the middle of a call makes it fail in the child.
      RunningCallbacks.remove(running)
    }
    // The callback may have left something of its own in the registers. It is wiped too.
    Residue.wipeRegisters()
  }
}
