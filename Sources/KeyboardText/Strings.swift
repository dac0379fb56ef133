// Digits and Base64 of what is public: ciphertexts, signatures, contexts. Strings and arrays are not wiped.
// SPDX-License-Identifier: Apache-2.0

// The C libraries do without strings.
#if !hasFeature(Embedded)
  extension Hexadecimal {
    /// Two lower-case digits for each byte.
    package static func string(of bytes: ArraySlice<UInt8>) -> String {
      var digits = [UInt8](repeating: 0, count: 2 * bytes.count)
      digits.withUnsafeMutableBytes { digits in
        if let start = digits.baseAddress { bytes.withUnsafeBytes { encode($0, into: start) } }
      }
      return String(decoding: digits, as: UTF8.self)
    }

    /// The bytes of digits, in pairs and nothing else; nil for anything else.
    package static func bytes(of text: some StringProtocol) -> [UInt8]? {
      var bytes = Array(text.utf8)
      let isRight = bytes.withUnsafeMutableBytes { bytes in
        bytes.isEmpty || decode(UnsafeRawBufferPointer(bytes), into: bytes.baseAddress!)
      }
      return isRight ? Array(bytes[..<(bytes.count / 2)]) : nil
    }
  }

  extension Base64 {
    package func string(of bytes: [UInt8]) -> String {
      var text = [UInt8](repeating: 0, count: Self.characterCount(byteCount: bytes.count))
      text.withUnsafeMutableBytes { text in
        if let start = text.baseAddress { bytes.withUnsafeBytes { encode($0, into: start) } }
      }
      return String(decoding: text, as: UTF8.self)
    }
  }
#endif
