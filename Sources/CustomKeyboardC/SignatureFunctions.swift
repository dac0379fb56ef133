// The C functions for signatures. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardMemory

@_cdecl("CustomKeyboard_signText") @implementation
public func CustomKeyboard_signText(
  _ way: CUSTOM_SIGNWAY, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ signature: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ signatureLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SigningWay(way), let key = readable(key, keyLength), let context = readable(context, contextLength),
    AddressSpace.holds(text, byteCount: textLength), let text = readable(text, textLength),
    let signature = writable(signature, capacity), let signatureLength, !overlap(signatureLength, signature)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringLength(signatureLength) { () throws(KeyboardError) in
    try signText(text, way: way, key: key, context: context, into: signature)
  }
}

@_cdecl("CustomKeyboard_verifyText") @implementation
public func CustomKeyboard_verifyText(
  _ way: CUSTOM_SIGNWAY, _ publicKey: UnsafePointer<UInt8>?, _ publicKeyLength: Int,
  _ context: UnsafePointer<UInt8>?, _ contextLength: Int, _ text: UnsafePointer<UInt8>?, _ textLength: Int,
  _ signature: UnsafePointer<UInt8>?, _ signatureLength: Int
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SigningWay(way), let publicKey = readable(publicKey, publicKeyLength),
    let context = readable(context, contextLength), AddressSpace.holds(text, byteCount: textLength),
    let text = readable(text, textLength), let signature = readable(signature, signatureLength)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answering { () throws(KeyboardError) in
    try verifyText(signature, of: text, way: way, publicKey: publicKey, context: context)
  }
}
