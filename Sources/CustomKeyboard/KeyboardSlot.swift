// A keyboard from outside: a number, which names a slot, whose lock is taken for the time of a call.
//
// Nothing here allocates with Swift's allocator, which ends the process where there is no memory: C callers get a code.

import CMbedTLS
package import KeyboardCodes
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
    defer { Traces.wipe(.shallow) }
    let isReadable = utf8.count <= maximumPasswordLength
    guard !isReadable || Characters(utf8, byteCount: utf8.count) != nil else { throw .argument }
    try withLock { session throws(KeyboardError) in try session.input(utf8) }
  }

  package func deleteBackward() throws(KeyboardError) {
    defer { Traces.wipe(.shallow) }
    try withLock { session throws(KeyboardError) in try session.deleteBackward() }
  }

  package func clear() throws(KeyboardError) {
    try withLock { session throws(KeyboardError) in try session.clear() }
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
