// What is sealed about an item, apart from its data.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardText

/// A view of an item's meta:
///
///     0         8          16       24         28
///     ├ created ┼ modified ┼ length ┼ 4 counts ┼ service ┼ account ┼ label ┼ kind ┤
///
/// Numbers are little-endian. A count is that of a string's bytes; the strings have no NUL.
struct Meta {
  let memory: UnsafeMutableRawPointer

  enum Name: Int {
    case service, account, label, kind
  }

  private static var headerSize: Int { 28 }
  static var maximumSize: Int { headerSize + 4 * 255 }

  var created: Int64 {
    get { number(at: 0) }
    nonmutating set { set(newValue, at: 0) }
  }
  var modified: Int64 {
    get { number(at: 8) }
    nonmutating set { set(newValue, at: 8) }
  }
  var dataSize: Int64 {
    get { number(at: 16) }
    nonmutating set { set(newValue, at: 16) }
  }

  private func number(at offset: Int) -> Int64 {
    Int64(littleEndian: memory.loadUnaligned(fromByteOffset: offset, as: Int64.self))
  }
  private func set(_ number: Int64, at offset: Int) {
    memory.storeBytes(of: number.littleEndian, toByteOffset: offset, as: Int64.self)
  }

  func count(of name: Name) -> Int { Int(memory.load(fromByteOffset: 24 + name.rawValue, as: UInt8.self)) }

  /// How many bytes the meta has.
  var size: Int { Self.headerSize + count(of: .service) + count(of: .account) + count(of: .label) + count(of: .kind) }

  /// Whether a meta of `count` bytes has all that its counts say.
  func isWhole(count: Int) -> Bool { count >= Self.headerSize && count == size }

  subscript(name: Name) -> UnsafeRawBufferPointer {
    var offset = Self.headerSize
    for other in 0..<name.rawValue { offset += Int(memory.load(fromByteOffset: 24 + other, as: UInt8.self)) }
    return UnsafeRawBufferPointer(start: memory + offset, count: count(of: name))
  }

  /// Writes the strings; each overlaps nothing of this meta.
  func setNames(
    _ service: UnsafeRawBufferPointer, _ account: UnsafeRawBufferPointer, _ label: UnsafeRawBufferPointer,
    _ kind: UnsafeRawBufferPointer
  ) {
    var offset = Self.headerSize
    var index = 24
    func put(_ text: UnsafeRawBufferPointer) {
      memory.storeBytes(of: UInt8(text.count), toByteOffset: index, as: UInt8.self)
      if let start = text.baseAddress { (memory + offset).copyMemory(from: start, byteCount: text.count) }
      index += 1
      offset += text.count
    }
    put(service)
    put(account)
    put(label)
    put(kind)
  }
}

/// A string of the caller's, as C has it.
///
/// - Source: RFC 3629 §3.
enum NameText {
  /// Copies a string once, and checks the copy.
  ///
  /// - Parameters:
  ///   - shortest: the fewest bytes that are allowed.
  ///   - memory: 256 bytes.
  /// - Returns: how many bytes it has.
  /// - Throws: `.argument` if it is too short, longer than 255 bytes or not UTF-8.
  static func copy(
    _ text: UnsafePointer<CChar>, shortest: Int, into memory: UnsafeMutableRawPointer
  ) throws(KeyboardError) -> Int {
    let bytes = memory.assumingMemoryBound(to: UInt8.self)
    var count = 0
    while true {
      let byte = UInt8(bitPattern: text[count])
      guard byte != 0 else { break }
      guard count < 255 else { throw .argument(.longName) }
      bytes[count] = byte
      count += 1
    }
    bytes[count] = 0
    guard count >= shortest else { throw .argument(.emptyName) }
    let whole = UnsafeRawBufferPointer(start: bytes, count: count)
    guard UTF8Text.scalarCount(whole) != nil else { throw .argument(.notUTF8) }
    return count
  }
}
