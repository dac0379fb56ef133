// The oblivious pseudorandom function of OPAQUE: OPRF(ristretto255, SHA-512) in base mode (RFC 9497). A client learns
// the function of a password under a server's key; the server learns nothing, and the client not the key.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
package import KeyboardMemory
package import KeyboardSHA2

/// The computations of both ends, in memory that the caller wipes.
///
/// - Timing: depends on the lengths, and on nothing else that a password or a key decides.
/// - Source: RFC 9497 §3.3.1, §4.1; RFC 9380 §5.3.1.
package struct OPRF {
  /// For SHA-512; between two hashes, others may use it.
  let hash: UnsafeMutableRawPointer
  private let digest: UnsafeMutableRawPointer
  /// What `expand` gives: 64 bytes.
  package let uniform: UnsafeMutableRawPointer

  package init(in pieces: inout Pieces) {
    hash = pieces.take(SHA512.byteCount)
    digest = pieces.take(SHA512.digestSize)
    uniform = pieces.take(SHA512.digestSize)
  }

  // MARK: Hashing to the group

  /// expand_message_xmd for one digest, which is all that ristretto255 takes. Leaves it in `uniform`.
  ///
  /// - Parameters:
  ///   - domain: the domain separation tag.
  ///   - count: how many of its bytes will be used: they depend on it.
  ///   - message: absorbs the message.
  /// - Source: RFC 9380 §5.3.1.
  @inline(never)
  package func expand(domain: StaticString, count: UInt16 = 64, _ message: (SHA512) -> Void) {
    // A block of zeros first.
    uniform.initializeMemory(as: UInt8.self, repeating: 0, count: SHA512.digestSize)
    let first = SHA512(at: hash)
    for _ in 0..<SHA512.blockSize / SHA512.digestSize { first.absorb(uniform, count: SHA512.digestSize) }
    message(first)
    first.absorb(count)
    first.absorb(UInt8(0))
    absorb(domain, first)
    first.finish(into: digest)
    let second = SHA512(at: hash)
    second.absorb(digest, count: SHA512.digestSize)
    second.absorb(UInt8(1))
    absorb(domain, second)
    second.finish(into: uniform)
  }

  private func absorb(_ domain: StaticString, _ sha512: SHA512) {
    sha512.absorb(domain)
    sha512.absorb(UInt8(truncatingIfNeeded: domain.utf8CodeUnitCount))
  }

  /// A private key that a seed determines, of the OPRF or of a key exchange.
  ///
  /// - Parameters:
  ///   - seed: 32 bytes.
  ///   - scalar: gets 32 bytes, from 1 to the order less 1.
  /// - Timing: depends on how often 0 comes out, once in 2²⁵² seeds.
  /// - Source: RFC 9497 §3.2.1.
  @inline(never)
  package func deriveKey(_ seed: UnsafeRawPointer, info: StaticString, into scalar: UnsafeMutableRawPointer) {
    var counter: UInt8 = 0
    repeat {
      expand(domain: "DeriveKeyPairOPRFV1-\0-ristretto255-SHA512") { sha512 in
        sha512.absorb(seed, count: Ristretto255.scalarSize)
        sha512.absorb(UInt16(truncatingIfNeeded: info.utf8CodeUnitCount))
        sha512.absorb(info)
        sha512.absorb(counter)
      }
      counter &+= 1
    } while Ristretto255.reduce(uniform, into: scalar) == 0
  }

  // MARK: The client

  /// Blinds a password.
  ///
  /// - Parameters:
  ///   - blind: 32 bytes, from 1 to the order less 1.
  ///   - element: gets 32 bytes. They are the identity's for a password that hashes to it; nobody knows one.
  /// - Source: RFC 9497 §3.3.1, Blind.
  package func blind(
    _ password: UnsafeRawBufferPointer, by blind: UnsafeRawPointer, into element: UnsafeMutableRawPointer
  ) {
    expand(domain: "HashToGroup-OPRFV1-\0-ristretto255-SHA512") { $0.absorb(password) }
    _ = Ristretto255.multiply(blind, mapped: uniform, into: element)
  }

  /// Takes the blind back from what the server has answered, and hashes what comes out with the password.
  ///
  /// - Parameters:
  ///   - evaluated: an element, 32 bytes.
  ///   - output: gets 64 bytes.
  /// - Returns: all ones if `evaluated` is accepted; otherwise 0, and the output means nothing.
  /// - Source: RFC 9497 §3.3.1, Finalize.
  package func finalize(
    _ password: UnsafeRawBufferPointer, blind: UnsafeRawPointer, evaluated: UnsafeRawPointer,
    into output: UnsafeMutableRawPointer
  ) -> UInt64 {
    Ristretto255.invert(blind, into: uniform)
    let isElement = Ristretto255.multiply(uniform, evaluated, into: digest)
    let sha512 = SHA512(at: hash)
    sha512.absorb(UInt16(truncatingIfNeeded: password.count))
    sha512.absorb(password)
    sha512.absorb(UInt16(truncatingIfNeeded: Ristretto255.elementSize))
    sha512.absorb(digest, count: Ristretto255.elementSize)
    sha512.absorb("Finalize")
    sha512.finish(into: output)
    return isElement
  }
}
