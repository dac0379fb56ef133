// The terms of a call where a step computes: copied, and with the public keys in place of identities.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory

extension LentTerms {
  /// Copies everything, so that another thread cannot change it any more.
  func copied(in pieces: inout Pieces) -> LentTerms {
    func copy(_ bytes: UnsafeRawBufferPointer, room: Int) -> UnsafeRawBufferPointer {
      let piece = pieces.take(room)
      if let start = bytes.baseAddress { piece.copyMemory(from: start, byteCount: bytes.count) }
      return UnsafeRawBufferPointer(start: piece, count: bytes.count)
    }
    var terms = self
    terms.context = copy(context, room: maximumContextLength)
    terms.client = copy(client, room: OPAQUE.longestIdentity)
    terms.server = copy(server, room: OPAQUE.longestIdentity)
    return terms
  }

  /// An identity, which is by default the public key.
  static func identity(_ given: UnsafeRawBufferPointer, orKey key: UnsafeRawPointer) -> UnsafeRawBufferPointer {
    given.isEmpty ? UnsafeRawBufferPointer(start: key, count: OPAQUE.elementSize) : given
  }
}
