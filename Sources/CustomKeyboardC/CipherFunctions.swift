// The C functions that need no keyboard. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardMemory

@_optimize(speed)
@_cdecl("CustomKeyboard_decrypt") @implementation
public func CustomKeyboard_decrypt(
  _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ clearOffset: UnsafeMutablePointer<Int>?, _ clearLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let way = EncryptionWay(way), let key = readable(key, keyLength), let text = readable(text, textLength),
    let space = writable(space, spaceSize), let clearOffset, let clearLength
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringPlace(clearOffset, clearLength, in: space) { () throws(KeyboardError) in
    try decrypt(text, way: way, key: key, into: space)
  }
}

@_cdecl("CustomKeyboard_decryptBatch") @implementation
public func CustomKeyboard_decryptBatch(
  _ way: CUSTOM_ENCWAY, _ jobs: UnsafeMutablePointer<CUSTOM_KEYBOARD_JOB>?, _ count: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let way = EncryptionWay(way), jobs != nil || count == 0, areInMemory(jobs, count: count)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  // The two are laid out alike, which a test proves.
  let jobs = UnsafeMutableRawPointer(jobs)?.assumingMemoryBound(to: DecryptionJob.self)
  return answering { () throws(KeyboardError) in
    try decryptBatch(UnsafeMutableBufferPointer(start: jobs, count: count), way: way)
  }
}

@_cdecl("CustomKeyboard_setupCipher") @implementation
public func CustomKeyboard_setupCipher(
  _ cipher: UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER>?, _ way: CUSTOM_ENCWAY,
  _ key: UnsafePointer<UInt8>?, _ keyLength: Int, _ decrypting: Int32
) -> CUSTOM_KEYBOARD_RV {
  guard let cipher, let way = EncryptionWay(way), let key = readable(key, keyLength)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    try CipherContext(at: cipher).setUp(way, key: key, for: decrypting == 0 ? .encryption : .decryption)
  }
}

@_cdecl("CustomKeyboard_cryptECB") @implementation
public func CustomKeyboard_cryptECB(
  _ cipher: UnsafePointer<CUSTOM_KEYBOARD_CIPHER>?,
  _ input: UnsafePointer<UInt8>?, _ output: UnsafeMutablePointer<UInt8>?, _ length: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let cipher, AddressSpace.holds(input, byteCount: length), let input = readable(input, length),
    let output = writable(output, length)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    try CipherContext(at: UnsafeMutableRawPointer(mutating: cipher)).crypt(input, into: output)
  }
}

@_cdecl("CustomKeyboard_wipeCipher") @implementation
public func CustomKeyboard_wipeCipher(
  _ cipher: UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER>?
) -> CUSTOM_KEYBOARD_RV {
  guard let cipher else { return CUSTOM_KEYBOARD_ARGUMENT }
  CipherContext(at: cipher).wipe()
  return CUSTOM_KEYBOARD_OK
}

@_cdecl("CustomKeyboard_message") @implementation
public func CustomKeyboard_message(_ rv: CUSTOM_KEYBOARD_RV) -> UnsafePointer<CChar> {
  text(KeyboardError.message(forCode: rv.rawValue))
}

@_cdecl("CustomKeyboard_version") @implementation
public func CustomKeyboard_version() -> UnsafePointer<CChar> { text("0.1.0") }

/// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
private func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}
