// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import KeyboardFIDO
import KeyboardMemory

/// Bytes to read; nil for NULL, and for a length that no memory has.
func readable(_ text: UnsafePointer<CChar>?, _ length: Int) -> UnsafeRawBufferPointer? {
  guard let text, AddressSpace.holds(text, byteCount: length) else { return nil }
  return UnsafeRawBufferPointer(start: text, count: length)
}

/// The bytes of a string, without its NUL.
func string(_ text: UnsafePointer<CChar>?) -> UnsafeRawBufferPointer? {
  guard let text else { return nil }
  var count = 0
  while text[count] != 0 { count += 1 }
  return UnsafeRawBufferPointer(start: text, count: count)
}

/// A space to fill; nil for NULL with a length, and for a space that runs past the end of memory.
func writable(_ pointer: UnsafeMutablePointer<CChar>?, _ size: Int) -> UnsafeMutableRawBufferPointer? {
  guard pointer != nil || size == 0, AddressSpace.holds(pointer, byteCount: size) else { return nil }
  return UnsafeMutableRawBufferPointer(start: pointer, count: size)
}

let invalidParameter = Int32(CUSTOM_FIDO_INVALID_PARAMETER.rawValue)

/// Runs `body` and answers its result.
func answering(_ body: () throws(FidoResult) -> FidoResult) -> Int32 {
  do throws(FidoResult) { return try body().code } catch { return error.code }
}

/// The same for a body that calls the caller's functions, whose cancellation points must not end the thread, or that
/// gives the caller a handle, which nobody could destroy if the thread ended before.
func answeringUncancelled(_ body: () throws(FidoResult) -> FidoResult) -> Int32 {
  Residue.uncancelled { answering(body) }
}

/// Runs `body` and answers 0 if it succeeds.
func succeeding(_ body: () throws(FidoResult) -> Void) -> Int32 {
  answering { () throws(FidoResult) in
    try body()
    return FidoResult(CUSTOM_FIDO_SUCCESS)
  }
}
