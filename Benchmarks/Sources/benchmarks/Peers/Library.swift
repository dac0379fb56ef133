// The library, only through its C interface.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

enum Library {
  static let name = "CustomKeyboard"
  static var version: String { String(cString: CustomKeyboard_version()) }

  /// Requires OK. Takes the codes of a whole loop, combined with "or", so that the loop needs no branch for them.
  static func requireOK(_ codes: UInt32, _ call: String) {
    require(codes == 0, "\(call) answers OK (codes \(codes))")
  }

  static func cipher(_ way: CUSTOM_ENCWAY, _ key: [UInt8]) -> UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER> {
    let cipher = UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER>.allocate(capacity: 1)
    requireOK(CustomKeyboard_setupCipher(cipher, way, key, key.count, 0).rawValue, "setupCipher")
    return cipher
  }

  /// ECB without padding.
  static func encrypt(_ way: CUSTOM_ENCWAY, _ text: [UInt8], key: [UInt8]) -> [UInt8] {
    let cipher = cipher(way, key)
    defer { cipher.deallocate() }
    var result = [UInt8](repeating: 0, count: text.count)
    requireOK(CustomKeyboard_cryptECB(cipher, text, &result, text.count).rawValue, "cryptECB")
    return result
  }

  /// The ciphertext of a password, with PKCS#7 padding, as a keyboard returns it.
  static func encryptPassword(_ password: [UInt8], key: [UInt8]) -> [UInt8] {
    let padding = 16 - password.count % 16
    return encrypt(CUSTOM_ENCWAY_SM4, password + [UInt8](repeating: UInt8(padding), count: padding), key: key)
  }

  /// An open keyboard with a key and a typed password.
  static func keyboard(_ way: CUSTOM_ENCWAY, key: [UInt8], password: [UInt8]) -> CUSTOM_KEYBOARD {
    var keyboard: CUSTOM_KEYBOARD = 0
    requireOK(CustomKeyboard_create(&keyboard).rawValue, "create")
    requireOK(CustomKeyboard_setEncKey(keyboard, key, key.count, way).rawValue, "setEncKey")
    requireOK(CustomKeyboard_open(keyboard).rawValue, "open")
    requireOK(CustomKeyboard_input(keyboard, password, password.count).rawValue, "input")
    return keyboard
  }

  /// An open keyboard without a key, with a typed passcode.
  static func keyboard(passcode: String) -> CUSTOM_KEYBOARD {
    var keyboard: CUSTOM_KEYBOARD = 0
    requireOK(CustomKeyboard_create(&keyboard).rawValue, "create")
    requireOK(CustomKeyboard_open(keyboard).rawValue, "open")
    retype(passcode, keyboard)
    return keyboard
  }

  static func retype(_ passcode: String, _ keyboard: CUSTOM_KEYBOARD) {
    requireOK(CustomKeyboard_clear(keyboard).rawValue, "clear")
    requireOK(CustomKeyboard_input(keyboard, Array(passcode.utf8), passcode.utf8.count).rawValue, "input")
  }

  // MARK: sealed texts

  static func seal(_ way: SealedWay, publicKey: [UInt8], context: [UInt8], password: [UInt8]) -> [UInt8] {
    let keyboard = keyboard(way.number, key: publicKey, password: password)
    requireOK(CustomKeyboard_setContext(keyboard, context, context.count).rawValue, "setContext")
    var text = [UInt8](repeating: 0, count: way.textCount)
    var (offset, length) = (0, 0)
    requireOK(CustomKeyboard_getText(keyboard, &text, text.count, &offset, &length).rawValue, "getText")
    requireOK(CustomKeyboard_destroy(keyboard).rawValue, "destroy")
    return text
  }

  /// The password, or nil if the text is not right.
  static func unseal(_ way: SealedWay, key: [UInt8], context: [UInt8], text: [UInt8]) -> [UInt8]? {
    var space = [UInt8](repeating: 0, count: Int(CUSTOM_KEYBOARD_ENCDATASPACESIZE))
    var (offset, length) = (0, 0)
    let code = CustomKeyboard_unseal(
      way.number, key, key.count, context, context.count, text, text.count, &space, space.count, &offset, &length)
    return code == CUSTOM_KEYBOARD_OK ? Array(space[offset..<offset + length]) : nil
  }
}
