// A keyboard from outside: a number, which names a slot, whose lock is taken for the time of a call.
//
// Nothing here allocates with Swift's allocator, which ends the process where there is no memory: C callers get a code.

import CKeyboardMbedTLS
package import KeyboardCodes
package import KeyboardLayout
package import KeyboardMemory

/// A keyboard by its number. Copies name the same keyboard; after `destroy` they name none.
///
/// - Throws: every call throws `.argument` where the number names no keyboard.
package struct KeyboardSlot: Sendable {
  package let slot: SecureSlot

  package init(_ slot: SecureSlot) { self.slot = slot }

  package static func create() throws(KeyboardError) -> KeyboardSlot {
    Traces.bind()
    let slot = try SecureSlot.allocate { memory in
      pthread_mutex_init(KeyboardSession(memory: memory).lock, nil)
    }
    return KeyboardSlot(slot)
  }

  package func destroy() throws(KeyboardError) {
    guard slot.release() else { throw .argument }
  }

  /// Runs `body` with the keyboard's lock held.
  private func withLock<Result>(
    _ body: (KeyboardSession) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    guard let memory = slot.pin() else { throw .argument }
    defer { slot.unpin() }
    let session = KeyboardSession(memory: memory)
    pthread_mutex_lock(session.lock)
    defer { pthread_mutex_unlock(session.lock) }
    return try body(session)
  }
}

extension KeyboardSlot {
  package func setEncKey(_ key: UnsafeRawBufferPointer, way: EncryptionWay) throws(KeyboardError) {
    defer { Traces.wipe(.shallow) }
    try withLock { session throws(KeyboardError) in try session.setKey(key, way: way) }
  }

  package func open() throws(KeyboardError) {
    try withLock { session throws(KeyboardError) in try session.open() }
  }

  package func close() throws(KeyboardError) {
    try withLock { session throws(KeyboardError) in try session.close() }
  }

  /// - Throws: `.argument` for what is not UTF-8, in every state; a run of bytes that is too long anyway is not read.
  package func input(_ utf8: UnsafeRawBufferPointer) throws(KeyboardError) {
    try telling { session throws(KeyboardError) in
      let isReadable = utf8.count <= maximumPasswordLength
      guard !isReadable || Characters(utf8, byteCount: utf8.count) != nil else { throw .argument }
      try session.input(utf8)
      return session.notice(isTextChanged: !utf8.isEmpty)
    }
  }

  package func deleteBackward() throws(KeyboardError) {
    try telling { session throws(KeyboardError) in
      session.notice(isTextChanged: try session.deleteBackward())
    }
  }

  package func clear() throws(KeyboardError) {
    try telling { session throws(KeyboardError) in session.notice(isTextChanged: try session.clear()) }
  }

  /// Runs `body` with the lock held, wipes what it left, and then, without the lock, tells whom it says.
  private func telling(
    _ body: (KeyboardSession) throws(KeyboardError) -> Notice
  ) throws(KeyboardError) {
    let notice = try wiping { () throws(KeyboardError) in try withLock(body) }
    deliver(notice)
  }

  /// Calls whoever is to be called. No lock is held and no slot pinned: he may do with the keyboard what he likes. So each
  /// is asked for only when his turn comes: the field may have taken the action away, or ended the keyboard, and what the
  /// action's context points to may be gone with it.
  private func deliver(_ notice: Notice) {
    if notice.isTextChanged, let callbacks, let tell = callbacks.textField {
      tell(callbacks.textFieldContext, slot.rawValue, notice.characterCount)
    }
    if notice.isComplete, let callbacks, let tell = callbacks.ok { tell(callbacks.okContext, slot.rawValue) }
  }

  /// nil if the keyboard is no more.
  private var callbacks: Callbacks? { try? withLock { session in session.callbacks.pointee } }

  private func wiping<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    defer { Traces.wipe(.shallow) }
    return try body()
  }

  package func characterCount() throws(KeyboardError) -> Int {
    try withLock { session in session.characterCount }
  }

  package func getText(into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int> {
    try withLock { session throws(KeyboardError) in
      defer { Traces.wipe(session.traces) }
      return try session.getText(into: space)
    }
  }
}

// MARK: - Layout and touch

extension KeyboardSlot {
  package func setLayout(
    _ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int
  ) throws(KeyboardError) {
    try withLock { session throws(KeyboardError) in
      try session.setLayout(kind, shuffle: shuffle, maximumCount: maximumCount)
    }
  }

  package func setSize(_ size: ViewSize) throws(KeyboardError) {
    try withLock { session throws(KeyboardError) in try session.setSize(size) }
  }

  /// Lends the keys that are up, one by one, and how many they are.
  package func withKeys<Result>(
    _ body: (_ count: Int, inout PageKeys) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try wiping { () throws(KeyboardError) in
      try withLock { session throws(KeyboardError) in try session.withKeys(body) }
    }
  }

  package func smallestKeySize() throws(KeyboardError) -> KeySize {
    try withLock { session in session.smallestKeySize }
  }

  package func pressKey(_ index: Int) throws(KeyboardError) {
    try telling { session throws(KeyboardError) in
      let press = try session.press(index)
      return session.notice(isTextChanged: press.isTextChanged, isComplete: press.isComplete)
    }
  }

  package func touch(x: Double, y: Double) throws(KeyboardError) {
    try telling { session throws(KeyboardError) in
      let press = try session.press(try session.keyIndex(x: x, y: y))
      return session.notice(isTextChanged: press.isTextChanged, isComplete: press.isComplete)
    }
  }

  package func setTextField(
    _ callback: TextFieldCallback?, context: UnsafeMutableRawPointer?
  ) throws(KeyboardError) {
    try withLock { session in
      session.callbacks.pointee.textField = callback
      session.callbacks.pointee.textFieldContext = context
    }
  }

  package func setOKAction(_ callback: OKCallback?, context: UnsafeMutableRawPointer?) throws(KeyboardError) {
    try withLock { session in
      session.callbacks.pointee.ok = callback
      session.callbacks.pointee.okContext = context
    }
  }
}
