// Vectors of Tests/Vectors: a line each, with fields of hexadecimal digits.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

typealias Bytes = [UInt8]

/// The fields of every line that is no comment. `-` is an empty field.
func vectors(_ file: String, count: Int, fields: Int) throws -> [[Substring]] {
  let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  let url = tests.deletingLastPathComponent().appending(path: "Vectors").appending(path: file)
  let text = try String(contentsOf: url, encoding: .utf8)
  let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
  try #require(lines.count == count, "\(file)")
  try #require(lines.allSatisfy { $0.count == fields }, "\(file)")
  return lines
}

func bytes(_ field: Substring) -> Bytes {
  guard field != "-" else { return [] }
  let digits = field.map { UInt8($0.hexDigitValue!) }
  precondition(digits.count % 2 == 0)
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// Memory between guards. It is not zero at first.
final class GuardedMemory {
  private let memory: UnsafeMutableRawBufferPointer
  private static let filler: UInt8 = 0xa5

  init(_ byteCount: Int) {
    memory = .allocate(byteCount: byteCount + 64, alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: Self.filler)
  }

  deinit { memory.deallocate() }

  var start: UnsafeMutableRawPointer { memory.baseAddress! + 32 }
  var bytes: Bytes { Bytes(memory[32..<memory.count - 32]) }
  var isIntact: Bool { (memory.prefix(32) + memory.suffix(32)).allSatisfy { $0 == Self.filler } }
}

/// So many bytes of memory.
func read(_ pointer: UnsafeRawPointer, _ count: Int) -> Bytes {
  Bytes(UnsafeRawBufferPointer(start: pointer, count: count))
}

extension Bytes {
  /// With one bit changed.
  func flipped(_ bit: Int) -> Bytes {
    var copy = self
    copy[bit / 8] ^= 1 << (bit % 8)
    return copy
  }
}
