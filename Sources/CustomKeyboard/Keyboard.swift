// The Swift interface of a keyboard: its functions turn spans into buffers, and KeyboardState decides.
// SPDX-License-Identifier: Apache-2.0

@_exported public import KeyboardCipher
@_exported public import KeyboardCodes

#if !hasFeature(Embedded)
  import Synchronization
#endif

/// A password keyboard: it takes a key, then characters, and returns ciphertext.
///
///     let keyboard = try Keyboard()
///     try keyboard.open()
///     try keyboard.input(Array("secret".utf8).span)
///     let text = try keyboard.seal(for: .x25519(serverPublicKey.span), context: challenge.span)
///     try keyboard.close()
///
/// A keyboard is idle at first, and open between `open` and `close`. The key is set while it is idle. Typing and
/// `getText` need an open keyboard. What is typed is kept masked in locked memory, and is wiped by `close` or when the
/// keyboard is released. Any thread may call any function; calls on one keyboard are serialised.
public final class Keyboard: Sendable {
  package let keyboardHandle: KeyboardHandle

  #if !hasFeature(Embedded)
    let closures = Mutex(Closures())
  #endif

  /// Makes an idle keyboard without a key: letters, shuffled at each opening.
  ///
  /// - Throws: `.memory`, `.random`.
  /// - C: `CustomKeyboard_create`. Releasing the last reference is `CustomKeyboard_destroy`.
  public init() throws(KeyboardError) { keyboardHandle = try KeyboardHandle.create() }

  deinit { try? keyboardHandle.destroy() }

  /// Sets the key that passwords are encrypted with. It is kept when the keyboard is closed, until it is replaced.
  ///
  /// - Parameters:
  ///   - key: 8 (DES), 16 or 24 (3DES), 16 (SM4) bytes. They are copied.
  ///   - way: the algorithm.
  /// - Throws: `.operationDisabled` while the keyboard is open; `.key` for a wrong length; `.memory`, `.random`. The
  ///   old key then stays.
  /// - Timing: depends on `key.count` only.
  /// - Source: the paper, §3.1 (`setEncKeyAndWay`).
  /// - C: `CustomKeyboard_setEncKey`.
  public func setEncKey(_ key: Span<UInt8>, way: EncryptionWay) throws(KeyboardError) {
    try key.withUnsafeBytes { bytes throws(KeyboardError) in try keyboardHandle.setEncKey(bytes, way: .ecb(way)) }
  }

  /// Opens the keyboard: nothing is typed, the first page is shown, and the characters are in a new order.
  ///
  /// - Throws: `.operationDisabled` if the keyboard is open already; `.memory`, `.random`. It is then not opened.
  /// - Timing: depends on the layout, and on how often a random number is rejected.
  /// - C: `CustomKeyboard_open`.
  public func open() throws(KeyboardError) { try keyboardHandle.open() }

  /// Closes the keyboard. What was typed, the order of the characters and the context are wiped; the key is kept.
  ///
  /// - Throws: `.operationDisabled` if the keyboard is not open.
  /// - Timing: depends on the length of what was typed.
  /// - C: `CustomKeyboard_close`.
  public func close() throws(KeyboardError) {
    #if !hasFeature(Embedded)
      closures.withLock { $0.opening &+= 1 }
    #endif
    try keyboardHandle.close()
  }

  /// Appends characters to what is typed. The layout's maximum count does not limit them.
  ///
  /// - Parameter utf8: whole characters of UTF-8, 0 or more bytes. A password has at most 128 bytes.
  /// - Throws: `.argument` for bytes that are not UTF-8; `.operationDisabled` while the keyboard is not open;
  ///   `.tooLong` for more than 128 bytes in all. Nothing is then appended.
  /// - Timing: depends on the characters.
  /// - C: `CustomKeyboard_input`.
  public func input(_ utf8: Span<UInt8>) throws(KeyboardError) {
    try utf8.withUnsafeBytes { bytes throws(KeyboardError) in try keyboardHandle.input(bytes) }
  }

  /// Removes the last character: what a person sees as one, however many bytes it has. Does nothing if nothing is
  /// typed.
  ///
  /// - Throws: `.operationDisabled` while the keyboard is not open.
  /// - Timing: depends on the characters.
  /// - C: `CustomKeyboard_deleteBackward`.
  public func deleteBackward() throws(KeyboardError) { try keyboardHandle.deleteBackward() }

  /// Wipes what was typed. The keyboard stays open.
  ///
  /// - Throws: `.operationDisabled` while the keyboard is not open.
  /// - Timing: depends on the length of what was typed.
  /// - C: `CustomKeyboard_clear`.
  public func clear() throws(KeyboardError) { try keyboardHandle.clear() }

  /// The number of characters typed, as people count them (extended grapheme clusters); 0 while the keyboard is idle.
  ///
  /// - Timing: constant.
  /// - C: `CustomKeyboard_count`.
  public var count: Int { (try? keyboardHandle.characterCount()) ?? 0 }

  /// Encrypts what was typed. All of `space` is filled with random bytes, with the ciphertext at a uniformly random
  /// offset. May be called again: what was typed stays until `close`.
  ///
  /// - Parameter space: at least as many bytes as the ciphertext: 8 … 136 for DES and 3DES, 16 … 144 for SM4,
  ///   172 … 1280 for sealed texts. A space of exactly that length holds the ciphertext at offset 0.
  /// - Returns: the ciphertext's place in `space`. In ECB its length is the next multiple of the block size after the
  ///   password's; all sealed texts for a key have one length.
  /// - Throws: `.operationDisabled` while the keyboard is not open; `.key` if no key is set (plaintext never leaves the
  ///   keyboard), or one for ECB and a context; `.spaceTooSmall`; `.memory`, `.random`. Nothing is then
  ///   written, and what was typed stays.
  /// - Timing: depends on the lengths only (SM4); DES and 3DES look up tables.
  /// - Source: the paper, §3.1; GB/T 32907-2016 §7, FIPS 46-3, RFC 5652 §6.3.
  /// - C: `CustomKeyboard_getText`.
  public func getText(into space: inout MutableSpan<UInt8>) throws(KeyboardError) -> Range<Int> {
    try space.withUnsafeMutableBytes { bytes throws(KeyboardError) in try keyboardHandle.getText(into: bytes) }
  }
}
