// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CKeyboardStack
import KeyboardCodes
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

/// The answer for a pointer that is NULL, or to a space that runs past the end of memory.
var invalidParameter: Int32 {
  answering { () throws(FidoResult) in
    let cause = text(KeyboardError.argument(.null).sentence)
    throw FidoResult(code: FidoResult(CUSTOM_FIDO_INVALID_PARAMETER).code, cause: cause)
  }
}

/// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
func text(_ string: StaticString) -> UnsafePointer<CChar> { FidoResult.text(string) }

/// Runs `body` and answers its result. What was wrong is kept for `CustomFido_cause`.
@inline(never)
func answering(_ body: () throws(FidoResult) -> FidoResult) -> Int32 {
  let result: FidoResult
  do throws(FidoResult) { result = try body() } catch { result = error }
  if !result.isSuccess { keyboard_set_cause(Int32(FIDO_CAUSE), result.cause) }
  return result.code
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
