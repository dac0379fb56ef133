// Holds the tool's secrets in locked memory that is wiped, never in a String, an Array or a buffer of stdio.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardMemory

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Up to `size` bytes of locked memory between guard pages, which is wiped when this ends.
struct SecretBytes: ~Copyable {
  private let memory: UnsafeMutableRawPointer
  private let size: Int
  private(set) var count = 0

  /// A private key of RSA, 4096 bits, has 3.3 KB in PEM.
  static var capacity: Int { 8192 }

  init(capacity size: Int = Self.capacity) throws(Failure) {
    guard let memory = SecureRegion.map(byteCount: size) else { throw Failure(KeyboardError.memory) }
    (self.memory, self.size) = (memory, size)
  }

  deinit {
    wipe(memory, byteCount: size)
    SecureRegion.unmap(memory, byteCount: size)
  }

  var bytes: UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(start: memory, count: count) }

  /// Lends the bytes to the library.
  func withSpan<Result: ~Copyable>(
    _ body: (Span<UInt8>) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    try body(UnsafeRawBufferPointer(bytes).bindMemory(to: UInt8.self).span)
  }

  // MARK: Filling

  /// - Returns: false if it is full.
  mutating func append(_ byte: UInt8) -> Bool {
    guard count < size else { return false }
    memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
    count += 1
    return true
  }

  /// Removes the last character of UTF-8, and nothing if there is none.
  mutating func removeLastCharacter() {
    while count > 0 {
      count -= 1
      let byte = memory.load(fromByteOffset: count, as: UInt8.self)
      wipe(memory + count, byteCount: 1)
      if byte & 0xc0 != 0x80 { return }
    }
  }

  /// Lets the library write, and keeps the place that it answers.
  mutating func fill(
    _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Range<Int>
  ) throws(KeyboardError) {
    count = 0
    let range = try body(UnsafeMutableRawBufferPointer(start: memory, count: size))
    count = size
    keep(range)
  }

  /// Moves a part to the beginning, and wipes everything else.
  mutating func keep(_ range: Range<Int>) {
    let used = count
    memmove(memory, memory + range.lowerBound, range.count)
    count = range.count
    wipe(memory + count, byteCount: used - count)
  }

  /// Puts bytes in front of these, as far as there is room.
  mutating func insert(_ prefix: [UInt8]) {
    precondition(count + prefix.count <= size)
    memmove(memory + prefix.count, memory, count)
    memory.copyMemory(from: prefix, byteCount: prefix.count)
    count += prefix.count
  }

  /// Reads to the end of a file or pipe.
  ///
  /// - Parameters:
  ///   - name: what is read, for messages.
  ///   - tooLong: what to say if there is no room for it.
  mutating func read(
    from descriptor: Int32, name: String, tooLong: Failure = Failure(KeyboardError.tooLong)
  ) throws(Failure) {
    while true {
      var extra: UInt8 = 0
      let left = size - count
      let read =
        left > 0 ? Self.read(descriptor, memory + count, left) : Self.read(descriptor, &extra, 1)
      if read == 0 { return }
      guard read > 0 else { throw .system("Reading \(name) failed", .inputOutput) }
      guard left > 0 else { throw tooLong }
      count += read
    }
  }

  private static func read(_ descriptor: Int32, _ place: UnsafeMutableRawPointer, _ count: Int) -> Int {
    while true {
      #if canImport(Darwin)
        let read = Darwin.read(descriptor, place, count)
      #else
        let read = Glibc.read(descriptor, place, count)
      #endif
      if read >= 0 || errno != EINTR { return read }
    }
  }

  // MARK: Contents

  /// Whether there is nothing but white space.
  var isBlank: Bool { bytes.allSatisfy(Self.isSpace) }

  mutating func removeTrailingNewline() {
    for byte in [UInt8(ascii: "\n"), UInt8(ascii: "\r")] where count > 0 && bytes[count - 1] == byte { count -= 1 }
  }

  /// Turns hexadecimal digits, with white space around them, into bytes, in place.
  ///
  /// - Throws: a failure that says what is wrong with `name`, but not with which digit.
  mutating func decodeHexadecimal(name: String) throws(Failure) {
    while count > 0, Self.isSpace(bytes[count - 1]) { count -= 1 }
    var start = 0
    while start < count, Self.isSpace(bytes[start]) { start += 1 }
    let digits = count - start
    var isRight = digits % 2 == 0
    for index in 0..<digits / 2 {
      let place = start + 2 * index
      guard let high = Self.digit(bytes[place]), let low = Self.digit(bytes[place + 1]) else {
        isRight = false
        break
      }
      bytes[index] = high << 4 | low
    }
    let used = count
    count = isRight ? digits / 2 : 0
    wipe(memory + count, byteCount: used - count)
    guard isRight else {
      throw Failure("Give \(name) in pairs of hexadecimal digits, 0 to 9 and a to f, and nothing else.", .data)
    }
  }

  /// Turns bytes into hexadecimal digits, in place, from the last byte on. At most half the capacity may be used.
  mutating func encodeHexadecimal() {
    precondition(2 * count <= size)
    let used = count
    count = 2 * used
    for index in (0..<used).reversed() {
      let byte = bytes[index]
      bytes[2 * index] = Self.hexadecimalDigit(byte >> 4)
      bytes[2 * index + 1] = Self.hexadecimalDigit(byte & 15)
    }
  }

  private static func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }

  static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }

  static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
