// What getText answers where the caller brings no space of his own: the paper's signature (§3.1).

public import KeyboardCodes

/// A ciphertext at a random offset in 1024 random bytes. No secret: it may be copied and sent.
public struct EncryptedText: Sendable {
  /// All of the space, the ciphertext and what it stands among.
  public let space: [UInt8]

  /// Where the ciphertext stands in it.
  public let range: Range<Int>

  /// The ciphertext.
  public var bytes: ArraySlice<UInt8> { space[range] }

  /// The ciphertext in lower-case hexadecimal digits, as the paper prints it.
  public var hexadecimal: String {
    let digits = Array("0123456789abcdef".utf8)
    let characters = bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: characters, as: UTF8.self)
  }
}

extension Keyboard {
  /// Encrypts what was typed, into a space of its own.
  ///
  /// - Throws: `.operationDisabled` while not up, `.key` if none is set, `.memory`, `.random`.
  /// - Timing: depends on the lengths only (SM4); DES and 3DES look up tables.
  /// - Source: the paper, §3.1.
  public func getText() throws(KeyboardError) -> EncryptedText {
    var space = [UInt8](repeating: 0, count: suggestedSpaceSize)
    var span = space.mutableSpan
    let range = try getText(into: &span)
    return EncryptedText(space: space, range: range)
  }
}
