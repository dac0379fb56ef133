// Calls on recovery words, with a vault and without one, on phones.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard
import CCustomVault
import CustomKeyboard
package import KeyboardCodes

/// Recovery words without a vault.
package enum WordCalls {
  package static var seedSize: Int { Int(CUSTOM_VAULT_SEEDSIZE) }
  /// Room for any words, with their NUL.
  package static var textCapacity: Int { Int(CUSTOM_VAULT_MAXWORDSSIZE) }

  /// - Returns: how many bytes their text has; a NUL follows.
  package static func generate(
    _ count: Int, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    var length = 0
    try KeyboardVault.check(CustomVault_generateWords(count, space.characters, space.count, &length), needed: length)
    return length
  }

  /// - Returns: how many bytes the text has as it should be; a NUL follows.
  package static func check(
    _ text: UnsafePointer<CChar>, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    var length = 0
    let answer = CustomVault_checkWords(text, space.characters, space.count, &length)
    try KeyboardVault.check(answer, needed: length)
    return length
  }

  /// - Parameter seed: gets `seedSize` bytes.
  package static func makeSeed(
    _ text: UnsafePointer<CChar>, passphrase: UnsafePointer<CChar>?, into seed: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    let answer = CustomVault_wordsSeed(text, passphrase, seed.assumingMemoryBound(to: UInt8.self))
    try KeyboardVault.check(answer)
  }
}

extension VaultHandle {
  package func keepWords(_ name: UnsafePointer<CChar>, _ text: UnsafePointer<CChar>) throws(KeyboardError) {
    try check(CustomVault_keepWords(rawValue, name, text))
  }

  package func keepTypedWords(_ name: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD) throws(KeyboardError) {
    try check(CustomVault_keepTypedWords(rawValue, name, keyboard))
  }

  /// - Returns: how many bytes the text has; a NUL follows.
  package func readWords(
    _ name: UnsafePointer<CChar>, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    var length = 0
    try check(CustomVault_readWords(rawValue, name, space.characters, space.count, &length), needed: length)
    return length
  }

  package func deleteWords(_ name: UnsafePointer<CChar>) throws(KeyboardError) {
    try check(CustomVault_deleteWords(rawValue, name))
  }
}

extension UnsafeMutableRawBufferPointer {
  /// As C takes a text.
  fileprivate var characters: UnsafeMutablePointer<CChar>? { baseAddress?.assumingMemoryBound(to: CChar.self) }
}
