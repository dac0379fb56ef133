// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CustomKeyboard
import KeyboardMemory

/// Bytes to read. NULL is for no bytes only.
///
/// - Returns: nil for NULL with a length. A length that no memory has (more than half the address space, or past its
///   end) is cut to `Int.max`, which every function refuses as too long without reading; those that take any length
///   check it first.
@inline(never)
func readable(_ pointer: UnsafePointer<UInt8>?, _ length: Int) -> UnsafeRawBufferPointer? {
  guard pointer != nil || length == 0 else { return nil }
  return UnsafeRawBufferPointer(start: pointer, count: AddressSpace.holds(pointer, byteCount: length) ? length : .max)
}

/// A space to fill. NULL is for no bytes only.
///
/// - Returns: nil for NULL with a length, and for a space that runs past the end of memory.
func writable(_ pointer: UnsafeMutablePointer<UInt8>?, _ size: Int) -> UnsafeMutableRawBufferPointer? {
  guard pointer != nil || size == 0, AddressSpace.holds(pointer, byteCount: size) else { return nil }
  return UnsafeMutableRawBufferPointer(start: pointer, count: size)
}

/// Whether memory can have so many elements here.
func areInMemory<Element>(_ elements: UnsafeMutablePointer<Element>?, count: Int) -> Bool {
  let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
  return !overflow && AddressSpace.holds(elements, byteCount: size)
}

/// Whether the place for an answer is inside a space.
func overlap(_ answer: UnsafeMutablePointer<Int>, _ space: UnsafeMutableRawBufferPointer) -> Bool {
  let (place, start) = (UInt(bitPattern: answer), UInt(bitPattern: space.baseAddress))
  // Modulo 2⁶⁴, an address before the other one is a long way after it.
  return !space.isEmpty
    && (start &- place < UInt(MemoryLayout<Int>.size) || place &- start < UInt(bitPattern: space.count))
}

/// Whether two buffers have a byte in common.
func overlap(_ one: UnsafeMutableRawBufferPointer, _ other: UnsafeMutableRawBufferPointer) -> Bool {
  let (first, second) = (UInt(bitPattern: one.baseAddress), UInt(bitPattern: other.baseAddress))
  return !one.isEmpty && !other.isEmpty
    && (second &- first < UInt(bitPattern: one.count) || first &- second < UInt(bitPattern: other.count))
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

/// Runs `body`, which fills a space, and reports where the result is; if the space is too small, what is needed.
///
/// - Parameter space: neither answer may be inside it.
func answeringPlace(
  _ offset: UnsafeMutablePointer<Int>, _ length: UnsafeMutablePointer<Int>, in space: UnsafeMutableRawBufferPointer,
  _ body: () throws(KeyboardError) -> Range<Int>
) -> CUSTOM_KEYBOARD_RV {
  guard !overlap(offset, space), !overlap(length, space) else { return CUSTOM_KEYBOARD_ARGUMENT }
  do throws(KeyboardError) {
    let place = try body()
    offset.pointee = place.lowerBound
    length.pointee = place.count
    return CUSTOM_KEYBOARD_OK
  } catch {
    if case .spaceTooSmall(let needed) = error { length.pointee = needed }
    return CUSTOM_KEYBOARD_RV(error.code)
  }
}

extension Way {
  init?(_ way: CUSTOM_ENCWAY) { self.init(code: way.rawValue) }
}

extension EncryptionWay {
  init?(_ way: CUSTOM_ENCWAY) { self.init(code: way.rawValue) }
}

extension SealingWay {
  init?(_ way: CUSTOM_ENCWAY) { self.init(code: way.rawValue) }
}

extension SigningWay {
  init?(_ way: CUSTOM_SIGNWAY) { self.init(code: way.rawValue) }
}
