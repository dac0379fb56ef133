// Memory of a workspace, handed out in pieces.
// SPDX-License-Identifier: Apache-2.0

/// Hands out memory from its beginning on, each piece aligned to 16.
package struct Pieces {
  private var next: UnsafeMutableRawPointer
  private let end: UnsafeMutableRawPointer

  /// - Parameter byteCount: left out for memory that is as large as the static function says.
  package init(_ memory: UnsafeMutableRawPointer, byteCount: Int = Int(Int32.max)) {
    next = memory
    end = memory + byteCount
  }

  /// How much memory a piece takes.
  package static func size(_ byteCount: Int) -> Int { (byteCount + 15) & ~15 }

  @inline(never) @export(interface)
  package mutating func take(_ byteCount: Int) -> UnsafeMutableRawPointer {
    let piece = next
    next += Self.size(byteCount)
    precondition(next <= end, "The workspace is too small.")
    return piece
  }

  /// How much memory a layout takes: no sum is written beside it, which could be another one.
  ///
  /// - Parameter layOut: takes its pieces, and touches none of them: nothing is there.
  @inline(__always)
  package static func byteCount(_ layOut: (inout Pieces) -> Void) -> Int {
    let start = UnsafeMutableRawPointer(bitPattern: 64).unsafelyUnwrapped
    var pieces = Pieces(start)
    layOut(&pieces)
    return pieces.next - start
  }
}
