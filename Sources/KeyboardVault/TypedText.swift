// What the vault asks of a keyboard, through its public header only.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import KeyboardCodes
import KeyboardMemory

/// What is typed on a keyboard. The vault never sees a passcode: it gets keys that were derived from one.
struct TypedText {
  let keyboard: CUSTOM_KEYBOARD

  /// - Throws: `.argument` if there is no such keyboard; `.operationDisabled` if it is not open; `.memory`.
  func checkIsOpen() throws(KeyboardError) {
    // A rule that refuses nothing.
    try check(CustomKeyboard_checkRule(keyboard, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 0, nil, 0))
  }

  /// Both handles are looked at before either state.
  static func checkAreUp(_ one: TypedText, _ other: TypedText) throws(KeyboardError) {
    do throws(KeyboardError) {
      try one.checkIsOpen()
    } catch .operationDisabled(let cause) {
      do throws(KeyboardError) { try other.checkIsOpen() } catch .argument { throw .argument(.noKeyboard) } catch {}
      throw .operationDisabled(cause)
    }
    try other.checkIsOpen()
  }

  /// - Throws: as `checkIsOpen`; `.refused` if nothing is typed.
  func checkIsNotEmpty() throws(KeyboardError) {
    try check(CustomKeyboard_checkRule(keyboard, CUSTOM_KEYBOARD_RULE_MIN_LENGTH, 1, nil, 0), refusal: .nothingTyped)
  }

  /// - Parameters:
  ///   - attempts: has the salt and the costs.
  ///   - key: gets 32 bytes; locked memory.
  /// - Throws: `.operationDisabled` if it was closed meanwhile; `.memory`, `.tooLong`.
  func deriveKey(
    _ attempts: Attempts, pepper: UnsafeRawBufferPointer, into key: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    let salt = UnsafeRawPointer(attempts.salt).assumingMemoryBound(to: UInt8.self)
    let pepperBytes = pepper.baseAddress?.assumingMemoryBound(to: UInt8.self)
    try check(
      CustomKeyboard_deriveKey(
        keyboard, salt, Attempts.saltSize, pepperBytes, pepper.count, attempts.memoryKiB, attempts.passes,
        key.assumingMemoryBound(to: UInt8.self), VaultKeys.rootSize))
  }

  /// Reads what is typed into locked memory, without any other memory that had it in the clear: the keyboard seals it
  /// under a key that is drawn for this.
  ///
  /// - Parameters:
  ///   - clear: gets at most 128 bytes.
  ///   - scratch: 256 bytes.
  /// - Returns: how many bytes it has.
  func read(into clear: UnsafeMutablePointer<UInt8>, scratch: UnsafeMutableRawPointer) throws(KeyboardError) -> Int {
    let key = scratch.assumingMemoryBound(to: UInt8.self)
    let sealed = key + 16
    let (sealedSize, capacity) = (172, Int(CUSTOM_KEYBOARD_MAXCLEARTEXTSIZE))
    try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: key, count: 16))
    var (offset, size): (Int, Int) = (0, 0)
    try check(
      CustomKeyboard_sealTyped(
        keyboard, CUSTOM_ENCWAY_SM4_GCM, key, 16, nil, 0, sealed, sealedSize, &offset, &size))
    try check(
      CustomKeyboard_unseal(
        CUSTOM_ENCWAY_SM4_GCM, key, 16, nil, 0, sealed + offset, size, clear, capacity, &offset, &size))
    clear.update(from: clear + offset, count: size)
    return size
  }

  /// The error of a code that a keyboard's functions answer.
  ///
  /// - Parameter refusal: what `REFUSED` means here.
  func check(
    _ code: CUSTOM_KEYBOARD_RV, refusal: KeyboardError.RefusalCause = .receivedPIN
  ) throws(KeyboardError) {
    switch code {
    case CUSTOM_KEYBOARD_OK: return
    case CUSTOM_KEYBOARD_OP_DISABLE: throw .operationDisabled(.notOpen)
    case CUSTOM_KEYBOARD_MAXLEN: throw .tooLong(.pepper)
    case CUSTOM_KEYBOARD_REFUSED: throw .refused(refusal)
    case CUSTOM_KEYBOARD_RANDOM: throw .random
    case CUSTOM_KEYBOARD_ARGUMENT: throw .argument(.noKeyboard)
    default: throw .memory
    }
  }
}
