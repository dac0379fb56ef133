// Files of keys: hexadecimal digits and a newline, as `keyboard generate-key` writes them.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Glibc

struct KeyFile {
  /// In bytes, of every key but a setup of OPAQUE.
  static let secretLength = 32
  let path: String

  var exists: Bool { access(path, F_OK) == 0 }

  /// - Returns: a warning if others than the owner can read or write it.
  func exposure() -> String? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    guard status.st_mode & 0o077 == 0 else {
      let mode = String(status.st_mode & 0o777, radix: 8)
      return "\(path) has mode \(mode): other users can get at it. Run `chmod go= \(path)`."
    }
    guard status.st_uid == geteuid() || geteuid() == 0 else { return "\(path) belongs to another user." }
    return nil
  }

  // MARK: Read

  func readSecret(length: Int = secretLength) throws -> SecretBytes {
    var key = try SecretBytes(capacity: length)
    try key.extend { room in
      // The library goes on without locked memory, past the limit. A bank does not: locking it once more tells.
      guard mlock(room.baseAddress, room.count) == 0 else {
        throw Failure("The keys cannot be locked in memory: allow some with `ulimit -l`.")
      }
      return try read(into: room, lengths: [length])
    }
    return key
  }

  /// - Returns: the key, and the way that has keys of its length.
  func readPublic() throws -> ([UInt8], TextWay) {
    let lengths = TextWay.allCases.map(\.publicKeyLength)
    var key = [UInt8](repeating: 0, count: lengths.max()!)
    let count = try key.withUnsafeMutableBytes { bytes in try read(into: bytes, lengths: lengths) }
    return (Array(key.prefix(count)), TextWay(publicKeyLength: count)!)
  }

  /// - Parameters:
  ///   - key: as long as the longest of the lengths.
  ///   - lengths: those that the key may have, in bytes.
  /// - Returns: the one that it has.
  private func read(into key: UnsafeMutableRawBufferPointer, lengths: [Int]) throws -> Int {
    let digitCounts = lengths.map { "\(2 * $0)" }.joined(separator: " or ")
    let malformed = Failure("\(path) is not a key: it needs \(digitCounts) hexadecimal digits.")
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Failure("\(path) cannot be opened: \(String(cString: strerror(errno))).") }
    defer { close(file) }
    // One byte more than a key, its newline included: a longer file is not a key.
    return try withUnsafeTemporaryAllocation(byteCount: 2 * key.count + 2, alignment: 1) { digits in
      defer { wipe(digits) }
      var count = 0
      while count < digits.count {
        let got = Glibc.read(file, digits.baseAddress! + count, digits.count - count)
        guard got >= 0 else { throw Failure("\(path) cannot be read: \(String(cString: strerror(errno))).") }
        guard got > 0 else { break }
        count += got
      }
      if count < digits.count, count % 2 == 1, digits[count - 1] == UInt8(ascii: "\n") { count -= 1 }
      guard count % 2 == 0, lengths.contains(count / 2) else { throw malformed }
      for place in 0..<count / 2 {
        guard let high = value(digits[2 * place]), let low = value(digits[2 * place + 1]) else { throw malformed }
        key[place] = high << 4 | low
      }
      return count / 2
    }
  }

  private func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  // MARK: Write

  /// Makes the file, whole or not at all. It must not exist.
  func write(_ key: Span<UInt8>, mode: mode_t) throws {
    let part = path + ".new"
    unlink(part)
    let file = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
    guard file >= 0 else { throw Failure("\(part) cannot be made: \(String(cString: strerror(errno))).") }
    defer { close(file) }
    try withUnsafeTemporaryAllocation(byteCount: 2 * key.count + 1, alignment: 1) { digits in
      defer { wipe(digits) }
      for place in key.indices {
        digits[2 * place] = digit(key[place] >> 4)
        digits[2 * place + 1] = digit(key[place] & 15)
      }
      digits[2 * key.count] = UInt8(ascii: "\n")
      guard Glibc.write(file, digits.baseAddress!, digits.count) == digits.count, fchmod(file, mode) == 0,
        fsync(file) == 0, link(part, path) == 0
      else {
        let reason = String(cString: strerror(errno))
        unlink(part)
        throw Failure("\(path) cannot be written: \(reason).")
      }
    }
    unlink(part)
    // Before anything is stored under the key: its name is on the disk when its folder is.
    let end = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let folder = end.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if directory >= 0 { close(directory) } }
    guard directory >= 0, fsync(directory) == 0 else {
      throw Failure("\(path) cannot be written: \(String(cString: strerror(errno))).")
    }
  }

  private func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }
}

/// Zeroes memory, also if nobody reads it any more.
private func wipe(_ memory: UnsafeMutableRawBufferPointer) { explicit_bzero(memory.baseAddress!, memory.count) }
