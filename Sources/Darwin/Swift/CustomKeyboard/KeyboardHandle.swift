// A keyboard from outside, on phones: its number in the C library, which is in a framework of its own. The other body,
// Sources/CustomKeyboard/KeyboardHandle.swift, is what that library is made of. What is above is the same files.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard
package import KeyboardCodes
package import KeyboardLayout

/// A keyboard by its number. Copies name the same keyboard; after `destroy` the number is invalid.
package struct KeyboardHandle: Sendable {
  package let number: CUSTOM_KEYBOARD
  let steps = StepNumber()

  package static func create() throws(KeyboardError) -> KeyboardHandle {
    var number: CUSTOM_KEYBOARD = 0
    try check(CustomKeyboard_create(&number))
    return KeyboardHandle(number: number)
  }

  package func destroy() throws(KeyboardError) { try check(CustomKeyboard_destroy(number)) }
}

/// - Parameter needed: how many bytes C says that it needs.
/// - Throws: what a function of C has answered on this thread just now.
func check(_ answer: CUSTOM_KEYBOARD_RV, needed: Int = 0) throws(KeyboardError) {
  guard answer != CUSTOM_KEYBOARD_OK else { return }
  throw KeyboardError(code: answer.rawValue, cause: CustomKeyboard_cause(), needed: needed)
}

/// - Returns: whether the answer is OK, and not `negative`, which is an answer like it.
func check(_ answer: CUSTOM_KEYBOARD_RV, or negative: CUSTOM_KEYBOARD_RV) throws(KeyboardError) -> Bool {
  guard answer != negative else { return false }
  try check(answer)
  return true
}

extension UnsafeRawBufferPointer {
  /// As C takes them.
  package var bytes: UnsafePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
  /// As C takes them.
  package var bytes: UnsafeMutablePointer<UInt8>? { baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension CUSTOM_ENCWAY {
  init(_ way: Way) { self.init(rawValue: way.code) }
}

// MARK: - Key, state, characters

extension KeyboardHandle {
  package func setEncKey(_ key: UnsafeRawBufferPointer, way: Way) throws(KeyboardError) {
    try check(CustomKeyboard_setEncKey(number, key.bytes, key.count, CUSTOM_ENCWAY(way)))
  }

  package func setContext(_ context: UnsafeRawBufferPointer) throws(KeyboardError) {
    try check(CustomKeyboard_setContext(number, context.bytes, context.count))
  }

  package func open() throws(KeyboardError) { try check(CustomKeyboard_open(number)) }

  package func close() throws(KeyboardError) { try check(CustomKeyboard_close(number)) }

  package func input(_ utf8: UnsafeRawBufferPointer) throws(KeyboardError) {
    try check(CustomKeyboard_input(number, utf8.bytes, utf8.count))
  }

  package func deleteBackward() throws(KeyboardError) { try check(CustomKeyboard_deleteBackward(number)) }

  package func clear() throws(KeyboardError) { try check(CustomKeyboard_clear(number)) }

  package func characterCount() throws(KeyboardError) -> Int {
    var count = 0
    try check(CustomKeyboard_count(number, &count))
    return count
  }

  package func getText(into space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int> {
    var (offset, length) = (0, 0)
    let answer = CustomKeyboard_getText(number, space.bytes, space.count, &offset, &length)
    try check(answer, needed: length)
    return offset..<offset + length
  }
}

// MARK: - Texts of others

extension KeyboardHandle {
  /// - Parameter context: what a sealed text was sealed for; an ECB text has none.
  package func receive(
    _ text: UnsafeRawBufferPointer, way: Way, key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try check(
      CustomKeyboard_receive(
        number, CUSTOM_ENCWAY(way), key.bytes, key.count, context.bytes, context.count, text.bytes, text.count))
  }

  /// - Throws: `.key` unless these bytes are a public key of the way. C looks when it sets one.
  static func checkPublicKey(_ key: UnsafeRawBufferPointer, of way: SealingWay) throws(KeyboardError) {
    let keyboard = try create()
    defer { try? keyboard.destroy() }
    try keyboard.setEncKey(key, way: .sealed(way))
  }

  /// A sealed text of what is typed, for a recipient that is named only here.
  func seal(
    _ way: SealingWay, forChecked key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    var (offset, length) = (0, 0)
    let answer = CustomKeyboard_sealTyped(
      number, CUSTOM_ENCWAY(.sealed(way)), key.bytes, key.count, context.bytes, context.count, space.bytes,
      space.count, &offset, &length)
    try check(answer, needed: length)
    return offset..<offset + length
  }
}

// MARK: - Layout and touch

extension KeyboardHandle {
  package func setLayout(_ kind: LayoutKind, shuffle: ShuffleKind, maximumCount: Int) throws(KeyboardError) {
    // As a number of C's it would be more than any password has.
    guard maximumCount >= 0 else { throw .argument(.maximumCount) }
    try check(
      CustomKeyboard_setLayout(
        number, CUSTOM_KEYBOARD_LAYOUT(rawValue: UInt32(kind.rawValue)),
        CUSTOM_KEYBOARD_SHUFFLE(rawValue: UInt32(shuffle.rawValue)), maximumCount))
  }

  package func setSize(_ size: ViewSize) throws(KeyboardError) {
    try check(CustomKeyboard_setSize(number, size.width, size.height, size.columnGap, size.rowGap))
  }

  /// Lends the keys of the page that is shown, one by one, and how many they are.
  package func withKeys<Result>(
    _ body: (_ count: Int, inout KeyCaps) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var keys = [CUSTOM_KEYBOARD_KEY](repeating: CUSTOM_KEYBOARD_KEY(), count: Int(CUSTOM_KEYBOARD_MAXKEYS))
    var count = 0
    let answer = CustomKeyboard_keys(number, &keys, keys.count, &count)
    try check(answer, needed: count)
    var caps = KeyCaps(keys[..<count])
    return try body(count, &caps)
  }

  package func pressKey(_ index: Int) throws(KeyboardError) { try check(CustomKeyboard_pressKey(number, index)) }

  package func touch(x: Double, y: Double) throws(KeyboardError) { try check(CustomKeyboard_touch(number, x, y)) }
}
