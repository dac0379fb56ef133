// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed; and what C gets.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CKeyboardStack
import KeyboardCodes
import KeyboardMemory
import KeyboardVault

/// - Throws: `.argument` for NULL.
func given<Element>(_ pointer: UnsafePointer<Element>?) throws(KeyboardError) -> UnsafePointer<Element> {
  guard let pointer else { throw .argument(.null) }
  return pointer
}

/// - Throws: `.argument` for NULL.
func given<Element>(_ pointer: UnsafeMutablePointer<Element>?) throws(KeyboardError) -> UnsafeMutablePointer<Element> {
  guard let pointer else { throw .argument(.null) }
  return pointer
}

/// Bytes to read. A length that no memory has is cut to `Int.max`, which every function refuses as too long.
///
/// - Throws: `.argument` for NULL with a length.
func readable(_ pointer: UnsafePointer<UInt8>?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  guard pointer != nil || length == 0 else { throw .argument(.null) }
  return UnsafeRawBufferPointer(start: pointer, count: AddressSpace.holds(pointer, byteCount: length) ? length : .max)
}

/// A space to fill.
///
/// - Throws: `.argument` for NULL with a length, and for a space that runs past the end of memory.
func writable(
  _ pointer: UnsafeMutablePointer<UInt8>?, _ size: Int
) throws(KeyboardError) -> UnsafeMutableRawBufferPointer {
  guard pointer != nil || size == 0 else { throw .argument(.null) }
  guard AddressSpace.holds(pointer, byteCount: size) else { throw .argument(.pastMemory) }
  return UnsafeMutableRawBufferPointer(start: pointer, count: size)
}

/// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

/// Runs `body` and answers its code. What was wrong is kept for `CustomVault_cause`: every code but OK is answered
/// here.
@inline(never)
func answering(_ body: () throws(KeyboardError) -> Void) -> CUSTOM_KEYBOARD_RV {
  do throws(KeyboardError) {
    try body()
    return CUSTOM_KEYBOARD_OK
  } catch {
    keyboard_set_cause(Int32(VAULT_CAUSE), text(error.sentence))
    return CUSTOM_KEYBOARD_RV(error.code)
  }
}

/// Runs `body`, which fills a space from its beginning, and reports how far; if the space is too small, what is
/// needed.
func answeringLength(
  _ length: UnsafeMutablePointer<Int>?, in start: UnsafeMutablePointer<UInt8>?, _ size: Int,
  _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (length, space) = (try given(length), try writable(start, size))
    do throws(KeyboardError) {
      length.pointee = try body(space)
    } catch {
      if case .spaceTooSmall(let needed) = error { length.pointee = needed }
      throw error
    }
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
  answeringUncancelled { () throws(KeyboardError) in
    guard let each else { throw .argument(.null) }
    let list = try list()
    for i in 0..<list.count {
      guard each(context, list[i].account) == 0 else { break }
    }
  }
}
