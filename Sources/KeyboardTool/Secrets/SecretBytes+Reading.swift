// How the tool fills the library's locked memory: from files, pipes and keys, and between forms of text.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory
import KeyboardText

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SecretBytes {
  /// Room for a key in any form, a password or a text: a private key of RSA, 4096 bits, has 3.3 KB in PEM.
  package init() throws(Failure) { try self.init(holding: 8192) }

  /// - Throws: a failure that says what to do.
  package init(holding capacity: Int) throws(Failure) {
    do throws(KeyboardError) { try self.init(capacity: capacity) } catch { throw Failure(error) }
  }

  // MARK: Filling

  /// Adds bytes at the end.
  ///
  /// - Throws: a failure if there is no room for them.
  package mutating func add(_ source: some Sequence<UInt8>) throws(Failure) {
    do throws(KeyboardError) { for byte in source { try append(byte) } } catch { throw Failure(error) }
  }

  /// Puts bytes in front of these.
  package mutating func insert(_ prefix: [UInt8]) throws(Failure) {
    var whole = try SecretBytes(holding: capacity)
    try whole.add(prefix)
    try whole.add(bytes)
    swap(&self, &whole)
  }

  /// Removes the last character of UTF-8, and nothing if there is none.
  package mutating func removeLastCharacter() {
    var left = count
    while left > 0 {
      left -= 1
      if bytes[left] & 0xc0 != 0x80 { break }
    }
    keep(0..<left)
  }

  /// Reads to the end of a file or pipe.
  ///
  /// - Parameters:
  ///   - name: what is read, for messages.
  ///   - tooLong: what to say if there is no room for it.
  package mutating func read(
    from descriptor: Int32, name: String, tooLong: Failure = Failure(KeyboardError.tooLong)
  ) throws(Failure) {
    var added = 1
    while added > 0, count < capacity {
      try extend { memory throws(Failure) in
        added = try Self.read(descriptor, memory.baseAddress!, memory.count, name)
        return added
      }
    }
    var extra: UInt8 = 0
    if added > 0, try Self.read(descriptor, &extra, 1, name) > 0 { throw tooLong }
  }

  private static func read(
    _ descriptor: Int32, _ place: UnsafeMutableRawPointer, _ count: Int, _ name: String
  ) throws(Failure) -> Int {
    while true {
      #if canImport(Darwin)
        let read = Darwin.read(descriptor, place, count)
      #else
        let read = Glibc.read(descriptor, place, count)
      #endif
      if read >= 0 { return read }
      guard errno == EINTR else { throw .system("Reading \(name) failed", .inputOutput) }
    }
  }

  // MARK: Contents

  /// Whether there is nothing but white space.
  package var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

  package mutating func removeTrailingNewline() {
    for byte in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] where bytes.last == byte { keep(0..<count - 1) }
  }

  /// Keeps the first of two lines here, and gives the second to `other`. Neither has its newline then.
  ///
  /// - Returns: false if there are not two lines. Both are then of no use.
  package mutating func moveSecondLine(to other: inout SecretBytes) throws(Failure) -> Bool {
    removeTrailingNewline()
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return false }
    let second = bytes[(end + 1)...]
    guard !second.contains(UInt8(ascii: "\n")) else { return false }
    try other.add(second)
    keep(0..<end + 1)
    removeTrailingNewline()
    return true
  }

  /// Turns hexadecimal digits, with white space around them, into bytes, in place.
  ///
  /// - Throws: a failure that says what is wrong with `name`, but not with which digit.
  package mutating func decodeHexadecimal(name: String) throws(Failure) {
    let start = bytes.firstIndex { !Self.isSpace($0) } ?? count
    keep(start..<(bytes.lastIndex { !Self.isSpace($0) }.map { $0 + 1 } ?? start))
    let isRight = changeInPlace { text, place in Hexadecimal.decode(text, into: place) }
    keep(0..<(isRight ? count / 2 : 0))
    guard isRight else {
      throw Failure("Give \(name) in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else.", .data)
    }
  }

  /// Turns bytes into hexadecimal digits, in place. At most half the capacity may be used.
  package mutating func encodeHexadecimal() {
    let used = count
    extend { _ in used }
    _ = changeInPlace { text, place in
      Hexadecimal.encode(UnsafeRawBufferPointer(rebasing: text[..<used]), into: place)
      return true
    }
  }

  /// Lends the bytes, and their place to write to; true without bytes.
  package mutating func changeInPlace(_ body: (UnsafeRawBufferPointer, UnsafeMutableRawPointer) -> Bool) -> Bool {
    var span = mutableSpan
    return span.withUnsafeMutableBytes { place in
      guard let start = place.baseAddress, !place.isEmpty else { return true }
      return body(UnsafeRawBufferPointer(place), start)
    }
  }

  package static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
}
