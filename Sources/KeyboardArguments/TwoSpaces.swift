// Two spaces that a call fills from their beginnings, and where it reports how far.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes

/// No function of it takes a closure: with so many arguments a closure is passed on the stack, moved there through a
/// vector register, and a call that is refused would leave it in that register.
package struct TwoSpaces {
  package let first, second: UnsafeMutableRawBufferPointer
  private let firstLength, secondLength: UnsafeMutablePointer<Int>

  /// - Throws: `.argument` for what is missing or overlaps.
  @inline(never) @export(interface)
  package init(
    _ first: UnsafeMutablePointer<UInt8>?, _ firstSize: Int, _ firstLength: UnsafeMutablePointer<Int>?,
    _ second: UnsafeMutablePointer<UInt8>?, _ secondSize: Int, _ secondLength: UnsafeMutablePointer<Int>?
  ) throws(KeyboardError) {
    (self.first, self.second) = (try writable(first, firstSize), try writable(second, secondSize))
    (self.firstLength, self.secondLength) = (try given(firstLength), try given(secondLength))
    try keepApart(self.firstLength, self.first)
    try keepApart(self.firstLength, self.second)
    try keepApart(self.secondLength, self.first)
    try keepApart(self.secondLength, self.second)
    try keepApart(UnsafeRawBufferPointer(self.first), self.second)
    let place = UnsafeMutableRawBufferPointer(start: self.firstLength, count: MemoryLayout<Int>.size)
    try keepApart(self.secondLength, place)
  }

  /// Reports two lengths: those of the answers, or those that are needed.
  @inline(__always)
  package func report(_ lengths: (Int, Int)) { (firstLength.pointee, secondLength.pointee) = lengths }

  /// Whether both have room for two lengths.
  @inline(__always)
  package func haveRoom(for lengths: (Int, Int)) -> Bool { first.count >= lengths.0 && second.count >= lengths.1 }
}
