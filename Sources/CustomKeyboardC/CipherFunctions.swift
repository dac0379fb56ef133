// The C functions that need no keyboard. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CKeyboardStack
import CustomKeyboard
import KeyboardArguments

@_optimize(speed)
@_cdecl("CustomKeyboard_decrypt") @implementation
public func CustomKeyboard_decrypt(
  _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ clearOffset: UnsafeMutablePointer<Int>?, _ clearLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.place(clearOffset, clearLength, in: space, spaceSize) { space throws(KeyboardError) in
    let (way, key) = (try EncryptionWay(way), try readable(key, keyLength))
    return try decrypt(try readable(text, textLength), way: way, key: key, into: space)
  }
}

@_cdecl("CustomKeyboard_decryptBatch") @implementation
public func CustomKeyboard_decryptBatch(
  _ way: CUSTOM_ENCWAY, _ jobs: UnsafeMutablePointer<CUSTOM_KEYBOARD_JOB>?, _ count: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (way, jobs) = (try EncryptionWay(way), try array(jobs, count))
    // The two are laid out alike, which a test proves.
    let start = UnsafeMutableRawPointer(jobs.baseAddress)?.assumingMemoryBound(to: DecryptionJob.self)
    try decryptBatch(UnsafeMutableBufferPointer(start: start, count: count), way: way)
  }
}

@_cdecl("CustomKeyboard_setupCipher") @implementation
public func CustomKeyboard_setupCipher(
  _ cipher: UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER>?, _ way: CUSTOM_ENCWAY,
  _ key: UnsafePointer<UInt8>?, _ keyLength: Int, _ decrypting: Int32
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (cipher, way, key) = (try given(cipher), try EncryptionWay(way), try readable(key, keyLength))
    try CipherContext(at: cipher).setUp(way, key: key, for: decrypting == 0 ? .encryption : .decryption)
  }
}

@_cdecl("CustomKeyboard_cryptECB") @implementation
public func CustomKeyboard_cryptECB(
  _ cipher: UnsafePointer<CUSTOM_KEYBOARD_CIPHER>?,
  _ input: UnsafePointer<UInt8>?, _ output: UnsafeMutablePointer<UInt8>?, _ length: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (cipher, input) = (UnsafeMutablePointer(mutating: try given(cipher)), try wholeText(input, length))
    try CipherContext(at: cipher).crypt(input, into: try writable(output, length))
  }
}

@_cdecl("CustomKeyboard_wipeCipher") @implementation
public func CustomKeyboard_wipeCipher(
  _ cipher: UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in CipherContext(at: try given(cipher)).wipe() }
}

@_cdecl("CustomKeyboard_message") @implementation
public func CustomKeyboard_message(_ rv: CUSTOM_KEYBOARD_RV) -> UnsafePointer<CChar> {
  text(KeyboardError.message(forCode: rv.rawValue))
}

@_cdecl("CustomKeyboard_cause") @implementation
public func CustomKeyboard_cause() -> UnsafePointer<CChar> { answering.cause }

@_cdecl("CustomKeyboard_version") @implementation
public func CustomKeyboard_version() -> UnsafePointer<CChar> { keyboard_version() }
