// base64url against Foundation's Base64, and what is refused.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardFIDO
import Testing

@Suite struct Base64URLTests {
  private func encode(_ bytes: [UInt8]) -> String {
    var text = [UInt8](repeating: 0, count: Base64URL.encodedSize(bytes.count))
    bytes.withUnsafeBytes { bytes in text.withUnsafeMutableBytes { Base64URL.encode(bytes, into: $0.baseAddress!) } }
    return String(decoding: text, as: UTF8.self)
  }

  private func decode(_ text: String, capacity: Int = 4096) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: capacity + 1)
    let count = Array(text.utf8).withUnsafeBytes { text in
      bytes.withUnsafeMutableBytes { Base64URL.decode(text, into: $0.baseAddress!, capacity: capacity) }
    }
    return count.map { Array(bytes[..<$0]) }
  }

  @Test func agreesWithFoundation() {
    for count in 1..<200 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255) }
      let theirs = Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
        .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
      #expect(encode(bytes) == theirs)
      #expect(decode(theirs) == bytes)
      #expect(decode(theirs, capacity: count) == bytes)
      #expect(decode(theirs, capacity: count - 1) == nil)
    }
  }

  /// RFC 4648 §10, without padding.
  @Test(arguments: [("Zg", "f"), ("Zm8", "fo"), ("Zm9v", "foo"), ("Zm9vYg", "foob"), ("Zm9vYmFy", "foobar"), ("", "")])
  func decodesTheExamples(_ source: String, _ clear: String) { #expect(decode(source) == Array(clear.utf8)) }

  @Test(arguments: ["Z", "Zg==", "Zg=", "Zh", "Zm9", "Z+8v", "Z/8v", "Zm9v Yg", "Zm9v\n", "Zm9vY", "Zé"])
  func refuses(_ source: String) {
    #expect(decode(source) == nil)
    #expect(!Array(source.utf8).withUnsafeBytes { Base64URL.isText($0, of: 0...100) })
  }

  @Test func knowsTheSizeWithoutDecoding() {
    let text = Array("Zm9vYg".utf8)
    #expect(text.withUnsafeBytes { Base64URL.isText($0, of: 4...4) })
    #expect(!text.withUnsafeBytes { Base64URL.isText($0, of: 5...9) })
    #expect(!text.withUnsafeBytes { Base64URL.isText($0, of: 1...3) })
  }
}
