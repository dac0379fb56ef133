// What C passes, as Swift needs it: pointers that may be NULL, and sizes that Swift reads as signed.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardMemory

/// - Throws: `.argument` for NULL.
package func given<Element>(_ pointer: UnsafePointer<Element>?) throws(KeyboardError) -> UnsafePointer<Element> {
  guard let pointer else { throw .argument(.null) }
  return pointer
}

/// - Throws: `.argument` for NULL.
package func given<Element>(
  _ pointer: UnsafeMutablePointer<Element>?
) throws(KeyboardError) -> UnsafeMutablePointer<Element> {
  guard let pointer else { throw .argument(.null) }
  return pointer
}

/// Bytes to read. NULL is for no bytes only.
///
/// - Returns: a length that no memory has (more than half the address space, or past its end) is cut to `Int.max`,
///   which every function refuses as too long without reading; those that take any length use `wholeText`.
/// - Throws: `.argument` for NULL with a length.
@inline(never) @export(interface)
package func readable(_ pointer: UnsafeRawPointer?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  guard pointer != nil || length == 0 else { throw .argument(.null) }
  return UnsafeRawBufferPointer(start: pointer, count: AddressSpace.holds(pointer, byteCount: length) ? length : .max)
}

/// The same, for what is read before its length is judged.
///
/// - Throws: `.argument` also for bytes that run past the end of memory.
@inline(never) @export(interface)
package func inMemory(_ pointer: UnsafeRawPointer?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  let bytes = try readable(pointer, length)
  guard bytes.isInMemory else { throw .argument(.pastMemory) }
  return bytes
}

/// The same, for a text that may have any length.
@inline(never) @export(interface)
package func wholeText(_ pointer: UnsafeRawPointer?, _ length: Int) throws(KeyboardError) -> UnsafeRawBufferPointer {
  guard AddressSpace.holds(pointer, byteCount: length) else { throw .argument(.pastMemory) }
  return try readable(pointer, length)
}

/// A space to fill. NULL is for no bytes only.
///
/// - Throws: `.argument` for NULL with a length, and for a space that runs past the end of memory.
@inline(never) @export(interface)
package func writable(
  _ pointer: UnsafeMutableRawPointer?, _ size: Int
) throws(KeyboardError) -> UnsafeMutableRawBufferPointer {
  guard pointer != nil || size == 0 else { throw .argument(.null) }
  guard AddressSpace.holds(pointer, byteCount: size) else { throw .argument(.pastMemory) }
  return UnsafeMutableRawBufferPointer(start: pointer, count: size)
}

/// An array of the caller's. NULL is for no elements only.
///
/// - Throws: `.argument` for NULL with a count, and for an array that runs past the end of memory.
package func array<Element>(
  _ elements: UnsafeMutablePointer<Element>?, _ count: Int
) throws(KeyboardError) -> UnsafeMutableBufferPointer<Element> {
  guard elements != nil || count == 0 else { throw .argument(.null) }
  let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
  guard !overflow, AddressSpace.holds(elements, byteCount: size) else { throw .argument(.pastMemory) }
  return UnsafeMutableBufferPointer(start: elements, count: count)
}

/// - Throws: `.argument` if the place for an answer is inside a space.
@inline(never) @export(interface)
package func keepApart(
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
@inline(never) @export(interface)
package func keepApart(
  _ input: UnsafeRawBufferPointer, _ space: UnsafeMutableRawBufferPointer, longest: Int = .max
) throws(KeyboardError) {
  guard !input.limited(to: longest).overlaps(UnsafeRawBufferPointer(space)) else { throw .argument(.overlap) }
}
