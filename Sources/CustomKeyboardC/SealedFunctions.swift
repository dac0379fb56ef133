// The C functions for sealed texts. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments

@_cdecl("CustomKeyboard_setContext") @implementation
public func CustomKeyboard_setContext(
  _ handle: CUSTOM_KEYBOARD, _ context: UnsafePointer<UInt8>?, _ contextLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try keyboard(handle).setContext(try inMemory(context, contextLength)) }
}

@_cdecl("CustomKeyboard_unseal") @implementation
public func CustomKeyboard_unseal(
  _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ space: UnsafeMutablePointer<UInt8>?, _ spaceSize: Int,
  _ clearOffset: UnsafeMutablePointer<Int>?, _ clearLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.place(clearOffset, clearLength, in: space, spaceSize) { space throws(KeyboardError) in
    let (way, key) = (try SealingWay(way), try readable(key, keyLength))
    let (context, text) = (try readable(context, contextLength), try readable(text, textLength))
    return try unseal(text, way: way, key: key, context: context, into: space)
  }
}

@_cdecl("CustomKeyboard_unsealBatch") @implementation
public func CustomKeyboard_unsealBatch(
  _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ jobs: UnsafeMutablePointer<CUSTOM_KEYBOARD_SEALED_JOB>?, _ count: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (way, jobs) = (try SealingWay(way), try array(jobs, count))
    let key = try readable(try given(key), keyLength)
    // The two are laid out alike, which a test proves.
    let start = UnsafeMutableRawPointer(jobs.baseAddress)?.assumingMemoryBound(to: UnsealingJob.self)
    try unsealBatch(UnsafeMutableBufferPointer(start: start, count: count), way: way, key: key)
  }
}

@_cdecl("CustomKeyboard_receive") @implementation
public func CustomKeyboard_receive(
  _ handle: CUSTOM_KEYBOARD, _ way: CUSTOM_ENCWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (way, key) = (try Way(way), try inMemory(key, keyLength))
    let (context, text) = (try inMemory(context, contextLength), try inMemory(text, textLength))
    try keyboard(handle).receive(text, way: way, key: key, context: context)
  }
}

@_cdecl("CustomKeyboard_generateKey") @implementation
public func CustomKeyboard_generateKey(
  _ way: CUSTOM_ENCWAY,
  _ privateKey: UnsafeMutablePointer<UInt8>?, _ privateCapacity: Int, _ privateLength: UnsafeMutablePointer<Int>?,
  _ publicKey: UnsafeMutablePointer<UInt8>?, _ publicCapacity: Int, _ publicLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let way = try SealingWay(way)
    let spaces = try TwoSpaces(privateKey, privateCapacity, privateLength, publicKey, publicCapacity, publicLength)
    guard let lengths = way.generatedLengths else { throw .argument(.notGenerated) }
    let needed = (lengths.secretKey, lengths.publicKey)
    guard spaces.haveRoom(for: needed) else {
      spaces.report(needed)
      throw .spaceTooSmall(needed: max(needed.0, needed.1))
    }
    try generateKey(
      way, into: spaces.first.baseAddress!, publicKey: needed.1 == 0 ? nil : spaces.second.baseAddress)
    spaces.report(needed)
  }
}
