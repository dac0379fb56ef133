// The C functions for sealed texts. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardMemory

@_cdecl("CustomKeyboard_setContext") @implementation
public func CustomKeyboard_setContext(
  _ handle: CUSTOM_KEYBOARD, _ context: UnsafePointer<UInt8>?, _ contextLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let context = readable(context, contextLength), context.isInMemory
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in try keyboard(handle).setContext(context) }
}

@_cdecl("CustomKeyboard_unseal") @implementation
public func CustomKeyboard_unseal(
  _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ clearOffset: UnsafeMutablePointer<Int>?, _ clearLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SealingWay(way), let key = readable(key, keyLength), let context = readable(context, contextLength),
    let text = readable(text, textLength), let space = writable(space, spaceSize), let clearOffset, let clearLength
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringPlace(clearOffset, clearLength, in: space) { () throws(KeyboardError) in
    try unseal(text, way: way, key: key, context: context, into: space)
  }
}

@_cdecl("CustomKeyboard_unsealBatch") @implementation
public func CustomKeyboard_unsealBatch(
  _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ jobs: UnsafeMutablePointer<CUSTOM_KEYBOARD_SEALED_JOB>?, _ count: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SealingWay(way), let key, let key = readable(key, keyLength), jobs != nil || count == 0,
    areInMemory(jobs, count: count)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  // The two are laid out alike, which a test proves.
  let jobs = UnsafeMutableRawPointer(jobs)?.assumingMemoryBound(to: UnsealingJob.self)
  return answering { () throws(KeyboardError) in
    try unsealBatch(UnsafeMutableBufferPointer(start: jobs, count: count), way: way, key: key)
  }
}

@_cdecl("CustomKeyboard_receive") @implementation
public func CustomKeyboard_receive(
  _ handle: CUSTOM_KEYBOARD, _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let way = Way(way), let key = readable(key, keyLength), let context = readable(context, contextLength),
    let text = readable(text, textLength), key.isInMemory,
    context.isInMemory, text.isInMemory
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    try keyboard(handle).receive(text, way: way, key: key, context: context)
  }
}

@_cdecl("CustomKeyboard_generateKey") @implementation
public func CustomKeyboard_generateKey(
  _ way: CUSTOM_ENCWAY,
  _ privateKey: UnsafeMutablePointer<UInt8>?, _ privateCapacity: Int, _ privateLength: UnsafeMutablePointer<Int>?,
  _ publicKey: UnsafeMutablePointer<UInt8>?, _ publicCapacity: Int, _ publicLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SealingWay(way), let lengths = way.generatedLengths,
    let privateSpace = writable(privateKey, privateCapacity),
    let publicSpace = writable(publicKey, publicCapacity), let privateLength, let publicLength,
    !overlap(privateLength, privateSpace), !overlap(privateLength, publicSpace), !overlap(publicLength, privateSpace),
    !overlap(publicLength, publicSpace), privateLength != publicLength, !overlap(privateSpace, publicSpace)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  guard privateSpace.count >= lengths.secretKey, publicSpace.count >= lengths.publicKey else {
    (privateLength.pointee, publicLength.pointee) = (lengths.secretKey, lengths.publicKey)
    return CUSTOM_KEYBOARD_SPACE
  }
  return answering { () throws(KeyboardError) in
    let publicKey = lengths.publicKey == 0 ? nil : publicSpace.baseAddress
    try generateKey(way, into: privateSpace.baseAddress!, publicKey: publicKey)
    (privateLength.pointee, publicLength.pointee) = (lengths.secretKey, lengths.publicKey)
  }
}
