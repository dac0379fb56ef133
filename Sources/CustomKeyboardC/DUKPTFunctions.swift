// The C functions of DUKPT. Conversion only.
// SPDX-License-Identifier: Apache-2.0

public import CCustomKeyboard
import CustomKeyboard
import KeyboardArguments
import KeyboardPIN

@_cdecl("CustomKeyboard_dukptInitialKey") @implementation
public func CustomKeyboard_dukptInitialKey(
  _ scheme: CUSTOM_DUKPT, _ baseKey: UnsafePointer<UInt8>?, _ baseKeyLength: Int, _ ksn: UnsafePointer<UInt8>?,
  _ ksnLength: Int, _ initialKey: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ initialKeyLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  make(.initialKey, scheme, baseKey, baseKeyLength, ksn, ksnLength, initialKey, capacity, initialKeyLength)
}

@_cdecl("CustomKeyboard_dukptKey") @implementation
public func CustomKeyboard_dukptKey(
  _ scheme: CUSTOM_DUKPT, _ baseKey: UnsafePointer<UInt8>?, _ baseKeyLength: Int, _ ksn: UnsafePointer<UInt8>?,
  _ ksnLength: Int, _ key: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ keyLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  make(.transactionKey, scheme, baseKey, baseKeyLength, ksn, ksnLength, key, capacity, keyLength)
}

@_cdecl("CustomKeyboard_dukptLoad") @implementation
public func CustomKeyboard_dukptLoad(
  _ device: UnsafeMutablePointer<CUSTOM_DUKPT_DEVICE>?, _ scheme: CUSTOM_DUKPT,
  _ initialKey: UnsafePointer<UInt8>?, _ initialKeyLength: Int, _ ksn: UnsafePointer<UInt8>?, _ ksnLength: Int
) -> CUSTOM_KEYBOARD_RV {
  var length = 0
  let bytes = UnsafeMutableRawPointer(device)?.assumingMemoryBound(to: UInt8.self)
  return make(
    .device, scheme, initialKey, initialKeyLength, ksn, ksnLength, bytes, DUKPTDevice.byteCount, &length)
}

@inline(never)
private func make(
  _ product: DUKPTProduct, _ scheme: CUSTOM_DUKPT, _ key: UnsafePointer<UInt8>?, _ keyLength: Int,
  _ ksn: UnsafePointer<UInt8>?, _ ksnLength: Int, _ output: UnsafeMutablePointer<UInt8>?, _ capacity: Int,
  _ outputLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(outputLength, in: output, capacity) { output throws(KeyboardError) in
    let (scheme, key) = (try DUKPTScheme(scheme), try readable(key, keyLength))
    return try makeDUKPT(product, scheme, of: key, for: try readable(ksn, ksnLength), into: output)
  }
}

@_cdecl("CustomKeyboard_dukptNext") @implementation
public func CustomKeyboard_dukptNext(
  _ device: UnsafeMutablePointer<CUSTOM_DUKPT_DEVICE>?, _ handle: CUSTOM_KEYBOARD, _ way: CUSTOM_ENCWAY,
  _ ksn: UnsafeMutablePointer<UInt8>?, _ capacity: Int, _ ksnLength: UnsafeMutablePointer<Int>?
) -> CUSTOM_KEYBOARD_RV {
  answering.length(ksnLength, in: ksn, capacity) { ksn throws(KeyboardError) in
    let format = try PINBlockFormat(way)
    let device = UnsafeMutableRawBufferPointer(try array(device, 1))
    try keepApart(try given(ksnLength), device)
    try keepApart(UnsafeRawBufferPointer(ksn), device)
    return try keyboard(handle).setNextKey(of: device.baseAddress!, for: format, number: ksn)
  }
}
