// The C functions for keys. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments

@_cdecl("CustomKeyboard_publicKey") @implementation
public func CustomKeyboard_publicKey(
  _ way: CUSTOM_ENCWAY, _ privateKey: UnsafePointer<UInt8>?, _ privateLength: Int,
  _ publicKey: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ publicLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(publicLength, in: publicKey, capacity) { publicKey throws(KeyboardError) in
    let way = try SealingWay(way)
    return try makePublicKey(of: try readable(privateKey, privateLength), way: way, into: publicKey)
  }
}
