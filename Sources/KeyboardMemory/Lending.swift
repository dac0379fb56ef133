// The bytes of an array, which is never a secret. `Array.span` does the same from iOS 26 on.
// SPDX-License-Identifier: Apache-2.0

extension Array where Element == UInt8 {
  package func lend<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeBufferPointer { bytes throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
  }

  package mutating func lendMutable<Result, Failure: Error>(
    _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeMutableBufferPointer { bytes throws(Failure) in try body(UnsafeMutableRawBufferPointer(bytes)) }
  }
}
