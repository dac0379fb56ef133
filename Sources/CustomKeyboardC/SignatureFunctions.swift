// The C functions for signatures. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments

@_cdecl("CustomKeyboard_signText") @implementation
public func CustomKeyboard_signText(
  _ way: CUSTOM_SIGNWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ signature: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ signatureLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(signatureLength, in: signature, capacity) { signature throws(KeyboardError) in
    let (way, key) = (try SigningWay(way), try readable(key, keyLength))
    let (context, text) = (try readable(context, contextLength), try wholeText(text, textLength))
    return try signText(text, way: way, key: key, context: context, into: signature)
  }
}

@_cdecl("CustomKeyboard_verifyText") @implementation
public func CustomKeyboard_verifyText(
  _ way: CUSTOM_SIGNWAY, _ publicKey: UnsafePointer<UInt8>?, _ publicKeyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ signature: UnsafePointer<UInt8>?, _ signatureLength: Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (way, publicKey) = (try SigningWay(way), try readable(publicKey, publicKeyLength))
    let (context, text) = (try readable(context, contextLength), try wholeText(text, textLength))
    let signature = try readable(signature, signatureLength)
    try verifyText(signature, of: text, way: way, publicKey: publicKey, context: context)
  }
}
