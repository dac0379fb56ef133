// The C functions of recovery words. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
public import CCustomVault
import KeyboardArguments
import KeyboardCodes
import KeyboardVault

@_cdecl("CustomVault_generateWords") @implementation
public func CustomVault_generateWords(
  _ count: Int, _ words: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  filling(words, capacity, length) { space throws(KeyboardError) in try WordCalls.generate(count, into: space) }
}

@_cdecl("CustomVault_checkWords") @implementation
public func CustomVault_checkWords(
  _ words: UnsafePointer<CChar>?, _ normalised: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  if normalised == nil && capacity == 0 && length == nil {
    return answering { () throws(KeyboardError) in _ = try WordCalls.check(try given(words), into: nil) }
  }
  return filling(normalised, capacity, length) { space throws(KeyboardError) in
    try WordCalls.check(try given(words), into: space)
  }
}

@_cdecl("CustomVault_wordsSeed") @implementation
public func CustomVault_wordsSeed(
  _ words: UnsafePointer<CChar>?, _ passphrase: UnsafePointer<CChar>?, _ seed: UnsafeMutablePointer<UInt8>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (words, seed) = (try given(words), try writable(seed, WordCalls.seedSize))
    try WordCalls.makeSeed(words, passphrase: passphrase, into: seed.baseAddress!)
  }
}

@_cdecl("CustomVault_keepWords") @implementation
public func CustomVault_keepWords(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ words: UnsafePointer<CChar>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    try VaultHandle(rawValue: vault).keepWords(try given(name), try given(words))
  }
}

@_cdecl("CustomVault_keepTypedWords") @implementation
public func CustomVault_keepTypedWords(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ keyboard: CUSTOM_KEYBOARD
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    try VaultHandle(rawValue: vault).keepTypedWords(try given(name), keyboard)
  }
}

@_cdecl("CustomVault_readWords") @implementation
public func CustomVault_readWords(
  _ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?, _ words: UnsafeMutablePointer<CChar>?, _ capacity: Int,
  _ length: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  filling(words, capacity, length) { space throws(KeyboardError) in
    try VaultHandle(rawValue: vault).readWords(try given(name), into: space)
  }
}

@_cdecl("CustomVault_deleteWords") @implementation
public func CustomVault_deleteWords(_ vault: CUSTOM_VAULT, _ name: UnsafePointer<CChar>?) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try VaultHandle(rawValue: vault).deleteWords(try given(name)) }
}

@_cdecl("CustomVault_listWords") @implementation
public func CustomVault_listWords(
  _ vault: CUSTOM_VAULT,
  _ each: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> Int32)?,
  _ context: UnsafeMutableRawPointer?
) -> CUSTOM_KEYBOARD_RV {
  naming(each, context) { () throws(KeyboardError) in try VaultHandle(rawValue: vault).listWords() }
}

/// Runs `body` with a space for a text, and reports the text's length.
private func filling(
  _ text: UnsafeMutablePointer<CChar>?, _ capacity: Int, _ length: UnsafeMutablePointer<Int>?,
  _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int
) -> CUSTOM_KEYBOARD_RV {
  let bytes = text.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: UInt8.self) }
  return answering.length(length, in: bytes, capacity, body)
}
