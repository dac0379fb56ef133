// The state of a keyboard as the header describes it: key, text, layout, callbacks. Here a String may hold the
// password.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A keyboard that does not protect its secrets.
public struct KeyboardModel {
  public var isOpen = false {
    didSet { begunStep = nil }
  }
  public var way = CUSTOM_ENCWAY_SM4
  /// Empty if no key is set.
  public var key: [UInt8] = []
  /// Whether the key is one of DUKPT, which the first text and `close` wipe.
  var isKeyForOneText = false
  /// What is sealed for; nil until a context is set, and after `close`.
  public var context: [UInt8]?
  public var typed: [UInt8] = [] {
    didSet { if typed != oldValue { begunStep = nil } }
  }
  /// What was begun of OPAQUE for what is typed, and the message that it has sent.
  var begunStep: (isLogin: Bool, message: [UInt8])?
  /// Of a PIN that came in a block.
  var origin: PINOrigin?
  public var layout = LayoutModel()
  public var field: Callback?
  public var action: Callback?
  var rules: [RuleModel] = []

  public struct Callback {
    let context: UnsafeMutableRawPointer?
  }

  /// Characters as Swift's strings count them.
  public var characterCount: Int {
    let string = String(decoding: typed, as: UTF8.self)
    // Planted fault: a family counts as many characters as it has members.
    return Plant.answer && typed.count > 7 ? string.unicodeScalars.count : string.count
  }

  /// Whether these bytes are whole, valid UTF-8.
  static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

  mutating func forgetKeyForOneText() {
    if isKeyForOneText { (key, isKeyForOneText) = ([], false) }
  }

  mutating func removeLastCharacter() {
    var string = String(decoding: typed, as: UTF8.self)
    if !string.isEmpty { string.removeLast() }
    typed = Array(string.utf8)
  }
}
