// JSON in memory of its own.
// SPDX-License-Identifier: Apache-2.0

import Foundation
package import KeyboardText

/// A document with a text in it. `root` shows its memory, so a test keeps it to the end: `defer { keep(parsed) }`.
package final class Parsed {
  private let memory = UnsafeMutableRawPointer.allocate(byteCount: JSONDocument.byteCount, alignment: 16)
  package private(set) var root: JSON?

  package init(_ text: String) { root = parse(Array(text.utf8)) }
  package init(bytes: [UInt8]) { root = parse(bytes) }
  deinit { memory.deallocate() }

  private func parse(_ bytes: [UInt8]) -> JSON? {
    memset(memory, 0xa5, JSONDocument.byteCount)
    return bytes.withUnsafeBytes { JSONDocument(at: memory).parse(copying: $0) }
  }
}

package func keep(_ parsed: Parsed) { withExtendedLifetime(parsed) {} }

package func text(_ bytes: UnsafeRawBufferPointer?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
