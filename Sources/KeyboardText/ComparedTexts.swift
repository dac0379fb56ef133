// Texts that are compared with others. Nothing secret is.
// SPDX-License-Identifier: Apache-2.0

extension UnsafeRawBufferPointer {
  package func equals(_ text: StaticString) -> Bool {
    equals(UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// - Timing: depends on both texts. Nothing secret is compared with it.
  package func equals(_ other: UnsafeRawBufferPointer) -> Bool {
    guard count == other.count else { return false }
    for i in 0..<count where self[i] != other[i] { return false }
    return true
  }

  package func begins(with text: StaticString) -> Bool {
    count >= text.utf8CodeUnitCount
      && UnsafeRawBufferPointer(rebasing: self[..<text.utf8CodeUnitCount]).equals(text)
  }
}
