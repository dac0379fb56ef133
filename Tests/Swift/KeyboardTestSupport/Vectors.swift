// Vectors of Tests/Vectors: a line each, with fields of hexadecimal digits; and memory between guards.
// SPDX-License-Identifier: Apache-2.0

import Foundation

public typealias Bytes = [UInt8]

extension Bytes {
  /// Reads pairs of hexadecimal digits; spaces and ends of lines are ignored.
  public init(hexadecimal text: some StringProtocol) {
    let digits = text.utf8.filter { $0 > 0x20 }.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue!) }
    precondition(digits.count % 2 == 0)
    self = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  /// With one bit changed.
  public func flipped(_ bit: Int) -> Bytes {
    var copy = self
    copy[bit / 8] ^= 1 << (bit % 8)
    return copy
  }
}

/// A file of vectors that is not as a test expects it.
struct VectorFault: Error {
  let what: String
}

/// The fields of every line that is not a comment. `-` is an empty field.
///
/// - Throws: if there is no such file, or it does not have `count` lines of `fields` fields.
public func vectors(_ file: String, count: Int, fields: Int) throws -> [[Substring]] {
  // Tests, above Swift and the target's folder.
  let tests = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
  let text = try String(contentsOf: tests.appending(path: "Vectors/\(file)"), encoding: .utf8)
  let lines = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { $0.split(separator: " ") }
  guard lines.count == count else { throw VectorFault(what: "\(file) has \(lines.count) lines, not \(count)") }
  guard lines.allSatisfy({ $0.count == fields }) else {
    throw VectorFault(what: "\(file): not \(fields) fields a line")
  }
  return lines
}

/// The bytes of a field.
public func bytes(_ field: Substring) -> Bytes { field == "-" ? [] : Bytes(hexadecimal: field) }

/// Memory between guards. It is not zero at first.
public final class GuardedMemory {
  private let memory: UnsafeMutableRawBufferPointer
  private static let filler: UInt8 = 0xa5
  private static let guardSize = 64

  public init(_ byteCount: Int) {
    memory = .allocate(byteCount: byteCount + 2 * Self.guardSize, alignment: 64)
    // Not Swift's function, which takes seconds in debug builds: there are vectors with 256 MiB.
    memset(memory.baseAddress!, Int32(Self.filler), memory.count)
  }

  deinit { memory.deallocate() }

  public var start: UnsafeMutableRawPointer { memory.baseAddress! + Self.guardSize }
  public var bytes: Bytes { Bytes(memory[Self.guardSize..<memory.count - Self.guardSize]) }
  public var isIntact: Bool {
    let end = memory.count - Self.guardSize
    return memory[..<Self.guardSize].allSatisfy { $0 == Self.filler } && memory[end...].allSatisfy { $0 == Self.filler }
  }
}
