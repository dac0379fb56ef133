// The Swift face. Everything that decides something is in KeyboardSession; this turns spans into buffers.

@_exported public import KeyboardCipher
@_exported public import KeyboardCodes

#if !hasFeature(Embedded)
  import Synchronization
#endif

/// A password keyboard: a key goes in, then characters, and out comes ciphertext.
///
/// A keyboard is idle, then up between `open` and `close`. The key is set while it is idle; typing and `getText` are for
/// while it is up. What is typed stands in locked memory, masked, and is wiped by `close` and at the latest when the
/// keyboard ends. Every call may come from any thread; calls on one keyboard are serialised.
public final class Keyboard: Sendable {
  let slot: KeyboardHandle

  #if !hasFeature(Embedded)
    let closures = Mutex(Closures())
  #endif

  /// - Throws: `.memory`.
  /// - C: `CustomKeyboard_create`.
  public init() throws(KeyboardError) { slot = try KeyboardHandle.create() }

  deinit { try? slot.destroy() }

  /// Sets the key that passwords are encrypted under; it may be replaced as often as wanted, and survives `close`.
  ///
  /// - Parameters:
  ///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes; copied.
  ///   - way: the algorithm.
  /// - Throws: `.operationDisabled` while the keyboard is up, `.key` for a wrong length, `.memory`, `.random`; the old key
  ///   then stays.
  /// - Timing: depends on `key.count` only.
  /// - C: `CustomKeyboard_setEncKey`.
  public func setEncKey(_ key: Span<UInt8>, way: EncryptionWay) throws(KeyboardError) {
    try key.withUnsafeBytes { bytes throws(KeyboardError) in try slot.setEncKey(bytes, way: way) }
  }

  /// Brings the keyboard up, with nothing typed.
  ///
  /// - Throws: `.operationDisabled` if it is up already, `.memory`, `.random`.
  /// - C: `CustomKeyboard_open`.
  public func open() throws(KeyboardError) { try slot.open() }

  /// Takes the keyboard down and wipes what was typed.
  ///
  /// - Throws: `.operationDisabled` if it is not up.
  /// - C: `CustomKeyboard_close`.
  public func close() throws(KeyboardError) {
    #if !hasFeature(Embedded)
      closures.withLock { $0.opening &+= 1 }
    #endif
    try slot.close()
  }

  /// Appends characters.
  ///
  /// - Parameter utf8: whole characters; 128 bytes are the most that a password may have.
  /// - Throws: `.argument` for what is not UTF-8, `.operationDisabled` while not up, `.tooLong`; nothing is then appended.
  /// - Timing: depends on the characters.
  /// - C: `CustomKeyboard_input`.
  public func input(_ utf8: Span<UInt8>) throws(KeyboardError) {
    try utf8.withUnsafeBytes { bytes throws(KeyboardError) in try slot.input(bytes) }
  }

  /// Removes the last character, what a person sees as one; nothing when nothing is typed.
  ///
  /// - Throws: `.operationDisabled` while not up.
  /// - Timing: depends on the characters.
  /// - C: `CustomKeyboard_deleteBackward`.
  public func deleteBackward() throws(KeyboardError) { try slot.deleteBackward() }

  /// Wipes what was typed.
  ///
  /// - Throws: `.operationDisabled` while not up.
  /// - C: `CustomKeyboard_clear`.
  public func clear() throws(KeyboardError) { try slot.clear() }

  /// The number of characters typed, as people count them; 0 while the keyboard is idle.
  ///
  /// - C: `CustomKeyboard_count`.
  public var count: Int { (try? slot.characterCount()) ?? 0 }

  /// Encrypts what was typed. All of `space` is filled with random bytes, and the ciphertext stands at a uniformly random
  /// offset in it; a space exactly as long as the ciphertext holds it at offset 0.
  ///
  /// - Returns: where the ciphertext stands in `space`: 8 … 144 bytes, whole blocks.
  /// - Throws: `.operationDisabled` while not up, `.key` if none is set (plaintext never leaves), `.spaceTooSmall`,
  ///   `.memory`, `.random`. Nothing is then written, and what was typed stays.
  /// - Timing: depends on the lengths only (SM4); DES and 3DES look up tables.
  /// - Source: the paper, §3.1; GB/T 32907-2016 §7, FIPS 46-3, RFC 5652 §6.3.
  /// - C: `CustomKeyboard_getText`.
  public func getText(into space: inout MutableSpan<UInt8>) throws(KeyboardError) -> Range<Int> {
    try space.withUnsafeMutableBytes { bytes throws(KeyboardError) in try slot.getText(into: bytes) }
  }
}
