// The terms of OPAQUE for a call, and their bounds.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
package import KeyboardHashes
import KeyboardStretching

/// What both ends have alike, and what a guess costs: bytes where the caller has them.
package struct LentTerms {
  package var context, client, server: UnsafeRawBufferPointer
  /// For the client only.
  package var costs: Argon2id

  /// Nothing but the costs that Rust's opaque-ke has.
  package init() {
    (context, client, server) = (OPAQUE.none, OPAQUE.none, OPAQUE.none)
    costs = .standard
  }

  /// - Parameters:
  ///   - context: 0 … 256 bytes.
  ///   - client, server: the identities, 0 … 255 bytes; none is the public key.
  ///   - memorySize: in KiB.
  ///   - passCount, laneCount: with a memory of 0 also 0: the costs of a new verifier.
  /// - Throws: `.argument` for costs that no verifier may have. Lengths are checked by `checkLengths`.
  package init(
    context: UnsafeRawBufferPointer, client: UnsafeRawBufferPointer, server: UnsafeRawBufferPointer,
    memorySize: UInt32, passCount: UInt32, laneCount: UInt32
  ) throws(KeyboardError) {
    (self.context, self.client, self.server) = (context, client, server)
    costs = try Argon2id(memorySize: memorySize, passCount: passCount, laneCount: laneCount)
  }

  /// - Throws: `.tooLong`.
  package func checkLengths() throws(KeyboardError) {
    guard context.count <= maximumContextLength else { throw .tooLong(.context) }
    guard client.count <= OPAQUE.longestIdentity, server.count <= OPAQUE.longestIdentity
    else { throw .tooLong(.identity) }
  }
}
