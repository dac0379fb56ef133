// What a keyboard is, as the header tells it: key, text, layout, callbacks. A String may hold the password here.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A keyboard that keeps no secrets.
public struct KeyboardModel {
  public var isOpen = false
  public var way = CUSTOM_ENCWAY_SM4
  /// Empty while none is set.
  public var key: [UInt8] = []
  public var typed: [UInt8] = []
  public var layout = LayoutModel()
  public var field: Callback?
  public var action: Callback?

  public struct Callback {
    let context: UnsafeMutableRawPointer?
  }

  /// Characters as Swift's strings count them.
  public var characterCount: Int {
    let string = String(decoding: typed, as: UTF8.self)
    // Planted: a family is as many characters as its members.
    return Plant.answer && typed.count > 7 ? string.unicodeScalars.count : string.count
  }

  /// nil for what is not whole, valid UTF-8.
  static func isText(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

  mutating func removeLastCharacter() {
    var string = String(decoding: typed, as: UTF8.self)
    if !string.isEmpty { string.removeLast() }
    typed = Array(string.utf8)
  }
}
