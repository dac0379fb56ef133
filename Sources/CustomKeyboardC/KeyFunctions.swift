// The C functions for keys. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardMemory

@_cdecl("CustomKeyboard_publicKey") @implementation
public func CustomKeyboard_publicKey(
  _ way: CUSTOM_ENCWAY, _ privateKey: UnsafePointer<UInt8>?, _ privateLength: Int,
  _ publicKey: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ publicLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  guard let way = SealingWay(way), let secret = readable(privateKey, privateLength),
    let open = writable(publicKey, capacity), let publicLength, !overlap(publicLength, open)
  else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringLength(publicLength) { () throws(KeyboardError) in
    try makePublicKey(of: secret, way: way, into: open)
  }
}
