// Strings that C passes, and results that it gets.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CKeyboardPlatform
import CKeyboardStack
import KeyboardArguments
import KeyboardCodes
import KeyboardFIDO
import KeyboardMemory
import KeyboardText

/// Bytes to read; nil for NULL, and for a length that no memory has.
func readable(_ text: UnsafePointer<CChar>?, _ length: Int) -> UnsafeRawBufferPointer? {
  text == nil ? nil : try? wholeText(text, length)
}

/// Lends a copy of a string, without its NUL, whose end is found while it is copied: another thread may change the
/// caller's bytes. Of a string that is longer than any that a function takes, it has one byte more than that.
func withString(_ text: UnsafePointer<CChar>, _ body: (UnsafeRawBufferPointer) -> Int32) -> Int32 {
  var words = InlineArray<128, UInt64>(repeating: 0)
  return withUnsafeMutableBytes(of: &words) { memory in
    let count = copy(text, from: 0, into: memory)
    guard count == memory.count else { return body(UnsafeRawBufferPointer(rebasing: memory[..<count])) }
    // JSON: memory of which a short text touches little.
    let capacity = JSONDocument.maximumSize + 1
    guard let pages = keyboard_map(capacity) else { return FidoResult(KeyboardError.memory).code }
    defer { keyboard_unmap(pages, capacity) }
    pages.copyMemory(from: memory.baseAddress!, byteCount: count)
    let all = UnsafeMutableRawBufferPointer(start: pages, count: capacity)
    return body(UnsafeRawBufferPointer(start: pages, count: copy(text, from: count, into: all)))
  }
}

/// - Returns: where the string ends, or the memory.
private func copy(_ text: UnsafePointer<CChar>, from start: Int, into memory: UnsafeMutableRawBufferPointer) -> Int {
  var count = start
  while count < memory.count {
    let byte = UInt8(bitPattern: text[count])
    guard byte != 0 else { break }
    memory[count] = byte
    count += 1
  }
  return count
}

/// The same for a string that may be NULL.
func withStringOrNull(_ text: UnsafePointer<CChar>?, _ body: (UnsafeRawBufferPointer?) -> Int32) -> Int32 {
  guard let text else { return body(nil) }
  return withString(text) { body($0) }
}

/// The answer for a pointer that is NULL, or to a space that runs past the end of memory.
var invalidParameter: Int32 {
  answering { () throws(FidoResult) in
    let cause = text(KeyboardError.argument(.null).sentence)
    throw FidoResult(code: FidoResult(CUSTOM_FIDO_INVALID_PARAMETER).code, cause: cause)
  }
}

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
