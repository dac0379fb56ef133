// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import KeyboardCodes
import KeyboardMemory
import KeyboardVault

/// Bytes to read; nil for NULL with a length. A length that no memory has is cut to `Int.max`, which every function
/// refuses as too long.
func readable(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> UnsafeRawBufferPointer? {
  guard pointer != nil || length == 0 else { return nil }
  return UnsafeRawBufferPointer(start: pointer, count: AddressSpace.holds(pointer, byteCount: length) ? length : .max)
}

/// A space to fill; nil for NULL with a length, and for a space that runs past the end of memory.
func writable(_ pointer: UnsafeMutablePointer<UInt8>?, _ size: Int) -> UnsafeMutableRawBufferPointer? {
  guard pointer != nil || size == 0, AddressSpace.holds(pointer, byteCount: size) else { return nil }
  return UnsafeMutableRawBufferPointer(start: pointer, count: size)
}

/// Runs `body` and answers its code.
func answering(_ body: () throws(KeyboardError) -> Void) -> CUSTOM_KEYBOARD_RV {
  do throws(KeyboardError) {
    try body()
    return CUSTOM_KEYBOARD_OK
  } catch {
    return CUSTOM_KEYBOARD_RV(error.code)
  }
}

/// Runs `body`, which fills a space from its beginning, and reports how far; if the space is too small, what is
/// needed.
func answeringLength(
  _ length: UnsafeMutablePointer<Int>, _ body: () throws(KeyboardError) -> Int
) -> CUSTOM_KEYBOARD_RV {
  do throws(KeyboardError) {
    length.pointee = try body()
    return CUSTOM_KEYBOARD_OK
  } catch {
    if case .spaceTooSmall(let needed) = error { length.pointee = needed }
    return CUSTOM_KEYBOARD_RV(error.code)
  }
}

/// As `answering`, for a body that calls the caller's functions, whose cancellation points must not end the thread, or
/// that gives the caller a handle, which nobody could close if the thread ended before.
func answeringUncancelled(_ body: () throws(KeyboardError) -> Void) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try Residue.wholeWithFiles(body) }
}

/// Names each entry of a list, until the caller's function answers something other than 0.
func naming(
  _ each: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> Int32)?,
  _ context: UnsafeMutableRawPointer?, _ list: () throws(KeyboardError) -> VaultList
) -> CUSTOM_KEYBOARD_RV {
  guard let each else { return CUSTOM_KEYBOARD_ARGUMENT }
  return answeringUncancelled { () throws(KeyboardError) in
    let list = try list()
    for i in 0..<list.count {
      guard each(context, list[i].account) == 0 else { break }
    }
  }
}
