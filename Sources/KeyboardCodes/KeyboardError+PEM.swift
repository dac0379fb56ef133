// A key as text is the mistake that people make most often with keys: the error names it.
// SPDX-License-Identifier: Apache-2.0

extension KeyboardError {
  /// The error for bytes that are not a key.
  ///
  /// - Parameters:
  ///   - bytes: what was given. Its beginning is read, if it is as long as that of PEM.
  ///   - cause: what is wrong with the bytes, if they are not PEM.
  /// - Timing: depends on how many bytes are those that PEM begins with, and so on nothing of a key.
  package static func noKey(_ bytes: UnsafeRawBufferPointer, because cause: KeyCause) -> KeyboardError {
    isPEM(bytes) ? .key(.pem) : .key(cause)
  }

  /// More than any key in PEM has. A length above it is a mistake, and nothing is read there.
  private static var longestPEM: Int { 1 << 16 }

  /// Whether the bytes begin as RFC 7468 has it.
  private static func isPEM(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let beginning: StaticString = "-----BEGIN "
    let count = beginning.utf8CodeUnitCount
    guard bytes.count >= count, bytes.count <= longestPEM else { return false }
    for i in 0..<count where bytes[i] != beginning.utf8Start[i] { return false }
    return true
  }
}
