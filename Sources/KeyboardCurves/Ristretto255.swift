// ristretto255: a group of prime order on the Edwards curve of Curve25519. (RFC 9496)
//
// Scalars are read through their pointers, 64 bits at a time.
//
// SPDX-License-Identifier: Apache-2.0

/// The group ristretto255, and numbers modulo its order.
///
/// Everything works on the caller's memory, at any address; an output may be an input. The functions leave secrets in
/// registers and on the stack, which the caller wipes.
///
/// - Timing: constant; no branch and no address depends on a scalar, an element or what is mapped.
/// - Source: RFC 9496; scalars as in RFC 9497 §4.1.
package enum Ristretto255 {
  /// Bytes of an encoded element.
  package static var elementSize: Int { 32 }
  /// Bytes of a scalar, little-endian.
  package static var scalarSize: Int { 32 }
  /// Bytes that an element or a scalar is made of, so that it is uniform.
  package static var uniformSize: Int { 64 }

  // MARK: - Elements

  /// Multiplies an element by a scalar.
  ///
  /// - Parameters:
  ///   - scalar: `scalarSize` bytes, below the order.
  ///   - element: `elementSize` bytes.
  ///   - output: `elementSize` bytes. All zero if the element is not accepted.
  /// - Returns: all ones if `element` is the one encoding of an element and not the identity; otherwise 0.
  /// - Timing: constant.
  /// - Source: RFC 9496 §4.3.1, §4.3.2.
  @inline(never) @export(interface)
  package static func multiply(
    _ scalar: UnsafeRawPointer, _ element: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> UInt64 {
    let one = opaqueOne()
    let (point, isElement) = decode(element, one)
    let encoded = encode(point.multiplied(by: Limbs(littleEndian: scalar)), one) & isElement
    encoded.store(littleEndian: output)
    return isElement
  }

  /// Multiplies the generator by a scalar: the public key of a private key.
  ///
  /// - Parameters:
  ///   - scalar: `scalarSize` bytes, below the order.
  ///   - output: `elementSize` bytes.
  /// - Timing: constant.
  /// - Source: RFC 9496 §4.3.2.
  @inline(never) @export(interface)
  package static func multiplyGenerator(_ scalar: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    encode(EdwardsPoint.multiplyBase(Limbs(littleEndian: scalar)), opaqueOne()).store(littleEndian: output)
  }

  /// Maps uniform bytes to a uniform element, and multiplies it by a scalar.
  ///
  /// - Parameters:
  ///   - scalar: `scalarSize` bytes, below the order; 1 for the element itself.
  ///   - uniform: `uniformSize` bytes.
  ///   - output: `elementSize` bytes.
  /// - Returns: all ones if the element is not the identity, which no known bytes map to; otherwise 0.
  /// - Timing: constant.
  /// - Source: RFC 9496 §4.3.4.
  @inline(never) @export(interface)
  package static func multiply(
    _ scalar: UnsafeRawPointer, mapped uniform: UnsafeRawPointer, into output: UnsafeMutableRawPointer
  ) -> UInt64 {
    let one = opaqueOne()
    var point = map(Field25519(bytes: uniform), one)
    point.add(EdwardsAddend(map(Field25519(bytes: uniform + 32), one)))
    let encoded = encode(point.multiplied(by: Limbs(littleEndian: scalar)), one)
    encoded.store(littleEndian: output)
    return ~maskIfZero(encoded.joined, one)
  }

  /// Whether `elementSize` bytes are the one encoding of an element, and not the identity.
  ///
  /// - Timing: constant up to the answer.
  /// - Source: RFC 9496 §4.3.1.
  @inline(never) @export(interface)
  package static func isAcceptable(element: UnsafeRawPointer) -> Bool { decode(element, opaqueOne()).isElement != 0 }

  // MARK: - Scalars

  /// Whether `scalarSize` bytes are a number from 1 to the order less 1.
  ///
  /// - Timing: constant up to the answer.
  @inline(never) @export(interface)
  package static func isAcceptable(scalar: UnsafeRawPointer) -> Bool {
    let number = Limbs(littleEndian: scalar)
    return number.isBelow(AnyModulus.order25519.prime) & ~maskIfZero(number.joined, opaqueOne()) != 0
  }

  /// Reduces uniform bytes modulo the order.
  ///
  /// - Parameters:
  ///   - uniform: `uniformSize` bytes, little-endian.
  ///   - scalar: gets `scalarSize` bytes.
  /// - Returns: all ones if the scalar is not 0.
  /// - Timing: constant.
  /// - Source: RFC 9496 §4.4.
  @inline(never) @export(interface)
  package static func reduce(_ uniform: UnsafeRawPointer, into scalar: UnsafeMutableRawPointer) -> UInt64 {
    let order = AnyModulus.order25519
    // Both halves are times R. The upper one counts R = 2²⁵⁶ times, and so is multiplied by it once more.
    let low = AnyElement(Limbs(littleEndian: uniform), order)
    let high = AnyElement(AnyElement(Limbs(littleEndian: uniform + 32), order).limbs, order)
    let number = (low + high).number
    number.store(littleEndian: scalar)
    return ~maskIfZero(number.joined, opaqueOne())
  }

  /// 1/scalar modulo the order.
  ///
  /// - Parameters:
  ///   - scalar: `scalarSize` bytes, below the order. 0 gives 0.
  ///   - output: `scalarSize` bytes.
  /// - Timing: constant.
  @inline(never) @export(interface)
  package static func invert(_ scalar: UnsafeRawPointer, into output: UnsafeMutableRawPointer) {
    let inverse = AnyElement(Limbs(littleEndian: scalar), .order25519).inverted()
    inverse.number.store(littleEndian: output)
  }
}
