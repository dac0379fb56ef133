// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed; and what C gets.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CKeyboardStack
import CustomKeyboard
import KeyboardMemory
import KeyboardPIN
import KeyboardRules

// MARK: - Answers

/// Runs `body` and answers its code. What was wrong is kept for `CustomKeyboard_cause`: every code but OK is answered
/// here.
@inline(never)
func answering(_ body: () throws(KeyboardError) -> Void) -> CUSTOM_KEYBOARD_RV {
  do throws(KeyboardError) {
    try body()
    return CUSTOM_KEYBOARD_OK
  } catch {
    keyboard_set_cause(Int32(KEYBOARD_CAUSE), text(error.sentence))
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
    try keepApart(length, space)
    do throws(KeyboardError) {
      length.pointee = try body(space)
    } catch {
      if case .spaceTooSmall(let needed) = error { length.pointee = needed }
      throw error
    }
  }
}

/// Runs `body`, which fills a space, and reports where the result is; if the space is too small, what is needed.
func answeringPlace(
  _ offset: UnsafeMutablePointer<Int>?, _ length: UnsafeMutablePointer<Int>?,
  in start: UnsafeMutablePointer<UInt8>?, _ size: Int,
  _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int>
) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in
    let (offset, length, space) = (try given(offset), try given(length), try writable(start, size))
    try keepApart(offset, space)
    try keepApart(length, space)
    do throws(KeyboardError) {
      let place = try body(space)
      offset.pointee = place.lowerBound
      length.pointee = place.count
    } catch {
      if case .spaceTooSmall(let needed) = error { length.pointee = needed }
      throw error
    }
  }
}

/// A static string as C has it: the compiler ends it with a NUL, and it is never freed.
func text(_ string: StaticString) -> UnsafePointer<CChar> {
  UnsafeRawPointer(string.utf8Start).assumingMemoryBound(to: CChar.self)
}

// MARK: - Arguments

/// - Throws: `.argument` for NULL.
func given<Element>(_ pointer: UnsafeMutablePointer<Element>?) throws(KeyboardError) -> UnsafeMutablePointer<Element> {
  guard let pointer else { throw .argument(.null) }
  return pointer
}

/// Bytes to read. NULL is for no bytes only.
///
/// - Returns: a length that no memory has (more than half the address space, or past its end) is cut to `Int.max`,
///   which every function refuses as too long without reading; those that take any length use `wholeText`.
/// - Throws: `.argument` for NULL with a length.
@inline(never)
func readable(_ pointer: UnsafePointer<UInt8>?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  guard pointer != nil || length == 0 else { throw .argument(.null) }
  return UnsafeRawBufferPointer(start: pointer, count: AddressSpace.holds(pointer, byteCount: length) ? length : .max)
}

/// The same, for what is read before its length is judged.
///
/// - Throws: `.argument` also for bytes that run past the end of memory.
@inline(never)
func inMemory(_ pointer: UnsafePointer<UInt8>?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  let bytes = try readable(pointer, length)
  guard bytes.isInMemory else { throw .argument(.pastMemory) }
  return bytes
}

/// The same, for a text that may have any length.
@inline(never)
func wholeText(_ pointer: UnsafePointer<UInt8>?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  guard AddressSpace.holds(pointer, byteCount: length) else { throw .argument(.pastMemory) }
  return try readable(pointer, length)
}

/// A space to fill. NULL is for no bytes only.
///
/// - Throws: `.argument` for NULL with a length, and for a space that runs past the end of memory.
@inline(never)
func writable(
  _ pointer: UnsafeMutablePointer<UInt8>?, _ size: Int
) throws(KeyboardError) -> UnsafeMutableRawBufferPointer {
  guard pointer != nil || size == 0 else { throw .argument(.null) }
  guard AddressSpace.holds(pointer, byteCount: size) else { throw .argument(.pastMemory) }
  return UnsafeMutableRawBufferPointer(start: pointer, count: size)
}

/// An array of the caller's. NULL is for no elements only.
///
/// - Throws: `.argument` for NULL with a count, and for an array that runs past the end of memory.
func array<Element>(
  _ elements: UnsafeMutablePointer<Element>?, _ count: Int
) throws(KeyboardError) -> UnsafeMutableBufferPointer<Element> {
  guard elements != nil || count == 0 else { throw .argument(.null) }
  let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
  guard !overflow, AddressSpace.holds(elements, byteCount: size) else { throw .argument(.pastMemory) }
  return UnsafeMutableBufferPointer(start: elements, count: count)
}

/// - Throws: `.argument` if the place for an answer is inside a space.
@inline(never)
func keepApart(
  _ answer: UnsafeMutablePointer<Int>, _ space: UnsafeMutableRawBufferPointer
) throws(KeyboardError) {
  let (place, start) = (UInt(bitPattern: answer), UInt(bitPattern: space.baseAddress))
  // Modulo 2⁶⁴, an address before the other one is a long way after it.
  let overlap =
    !space.isEmpty
    && (start &- place < UInt(MemoryLayout<Int>.size) || place &- start < UInt(bitPattern: space.count))
  guard !overlap else { throw .argument(.overlap) }
}

/// One that is too long is refused later, and only its first bytes are read.
///
/// - Throws: `.argument` if an input has a byte in a space.
@inline(never)
func keepApart(
  _ input: UnsafeRawBufferPointer, _ space: UnsafeMutableRawBufferPointer, longest: Int = .max
) throws(KeyboardError) {
  guard !input.limited(to: longest).overlaps(UnsafeRawBufferPointer(space)) else { throw .argument(.overlap) }
}

extension Way {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) {
    guard let known = Self(code: way.rawValue) else { throw .argument(.unknownWay) }
    self = known
  }
}

extension EncryptionWay {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) {
    guard let known = Self(code: way.rawValue) else { throw .argument(.ecbWay) }
    self = known
  }
}

extension SealingWay {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) {
    guard let known = Self(code: way.rawValue) else { throw .argument(.sealingWay) }
    self = known
  }
}

extension PINBlockFormat {
  init(_ way: CUSTOM_ENCWAY) throws(KeyboardError) {
    guard let known = Self(code: way.rawValue) else { throw .argument(.pinWay) }
    self = known
  }
}

extension SigningWay {
  init(_ way: CUSTOM_SIGNWAY) throws(KeyboardError) {
    guard let known = Self(code: way.rawValue) else { throw .argument(.signingWay) }
    self = known
  }
}

extension DUKPTScheme {
  init(_ scheme: CUSTOM_DUKPT) throws(KeyboardError) {
    guard let known = Self(code: scheme.rawValue) else { throw .argument(.scheme) }
    self = known
  }
}

extension PasscodeRule {
  init(_ rule: CUSTOM_KEYBOARD_RULE) throws(KeyboardError) {
    guard let code = UInt8(exactly: rule.rawValue), let known = Self(rawValue: code) else { throw .argument(.rule) }
    self = known
  }
}
