// Memory of a workspace, handed out in pieces.
// SPDX-License-Identifier: Apache-2.0

/// Hands out memory from its beginning on, each piece aligned to 16.
package struct Pieces {
  private var next: UnsafeMutableRawPointer
  private let end: UnsafeMutableRawPointer

  package init(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    next = memory
    end = memory + byteCount
  }

  /// How much memory a piece takes.
  package static func room(_ byteCount: Int) -> Int { (byteCount + 15) & ~15 }

  @inline(never) @export(interface)
  package mutating func take(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let piece = next
    next += Self.room(byteCount)
    precondition(next <= end, "The workspace is too small.")
    return piece
  }
}
