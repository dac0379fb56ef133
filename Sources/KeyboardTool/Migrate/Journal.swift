// How much of the written files counts: what was committed before the program was killed, or the power failed.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal
import KeyboardText

/// A small file beside the output:
///
///     0      a line that says what it is, one with the SHA-256 of the settings, one with a salt, and one with a value
///            that tells other keys and peppers
///     256    the last commit or the one before, in a line: seven numbers, a digest of all that is committed, and a
///            check of the line
///     512    the other one
///     768    16 bytes for each committed line of a refused row without an id: the row's fingerprint
///
/// Commits are written to the two places in turn, and the files' contents and the fingerprints are on the disk before.
/// So at every moment one place is whole, and all that it says is true.
final class Journal {
  struct Commit: Equatable {
    /// Lengths of the two files in bytes.
    var doneBytes = 0
    var refusedBytes = 0
    var doneRows = 0
    var refusedRows = 0
    /// Whether all rows of the table are in them.
    var isLast = false
    var fingerprintCount = 0
    /// The digest of what the two files had, and of the fingerprints.
    var digest = "-"
  }

  private static let magic = "keyboard migrate 2\n"
  private static let places = [256, 512]
  private static let size = 768

  let path: String
  let descriptor: Int32
  private var number = 0
  private(set) var last = Commit()
  /// Whether an earlier run made it.
  let isOld: Bool
  let fingerprint: RowFingerprint
  /// The fingerprints of earlier runs, one after the other.
  private(set) var earlierFingerprints: ArraySlice<UInt8> = []
  private let fingerprintHash = RunningHash()

  /// Opens the journal of an earlier run, or makes one.
  ///
  /// - Parameters:
  ///   - settings: what must not change between runs.
  ///   - makeFingerprint: for a salt. Other secrets make other fingerprints.
  init(_ path: String, settings: String, makeFingerprint: ([UInt8]) throws -> RowFingerprint) throws {
    self.path = path
    descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw Failure.system("The journal \(path) cannot be opened", .inputOutput) }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      throw Failure("Wait for the other `keyboard migrate` that writes these files: it has locked \(path).", .system)
    }
    let found = try readAll(descriptor, name: path)
    let digest = RunningHash.digest(of: settings)
    let magic = Array(Self.magic.utf8)
    // A run that was killed before its first commit may have left a part of it.
    isOld = found.count >= Self.size
    guard isOld else {
      guard magic.prefix(found.count).elementsEqual(found.prefix(magic.count)) else { throw Self.isForeign(path) }
      let salt = (0..<16).map { _ in UInt8.random(in: 0...255) }
      var header = magic + Array("\(digest)\n\(Hexadecimal.string(of: salt[...]))\n".utf8)
      fingerprint = try makeFingerprint(salt)
      header += Array("\(checkValue)\n".utf8)
      header += Array(repeating: UInt8(ascii: " "), count: Self.places[0] - 1 - header.count) + [UInt8(ascii: "\n")]
      try write(header, at: 0)
      // The file has its whole size only when its last place is there.
      for place in Self.places { try write(line(number: 0), at: place) }
      try sync()
      try syncFolder(of: path)
      return
    }
    guard found.starts(with: magic) else { throw Self.isForeign(path) }
    let lines = String(decoding: found[..<Self.places[0]], as: UTF8.self).split(separator: "\n")
    guard lines.count >= 4, let salt = Hexadecimal.bytes(of: lines[2]) else { throw Self.isDamaged(path) }
    guard lines[1] == digest else {
      throw Failure(
        "Give the same options as before, or remove \(path) and begin anew: an earlier run had others.", .data)
    }
    fingerprint = try makeFingerprint(salt)
    guard lines[3] == checkValue else {
      throw Failure("Give the same key and pepper as before: an earlier run had others.", .data)
    }
    let commits = Self.places.compactMap { Self.commit(in: found[$0..<$0 + 256]) }
    guard let newest = commits.max(by: { $0.0 < $1.0 }) else { throw Self.isDamaged(path) }
    (number, last) = newest
    let end = Self.size + last.fingerprintCount * RowFingerprint.byteCount
    guard found.count >= end else { throw Self.isDamaged(path) }
    earlierFingerprints = found[Self.size..<end]
    fingerprintHash.absorb(earlierFingerprints)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Tells other keys and peppers.
  private var checkValue: String { Hexadecimal.string(of: fingerprint.make(of: Array("check".utf8))[...]) }

  /// Writes fingerprints behind the first `count`. They count from the next commit on.
  func add(fingerprints: [UInt8], behind count: Int) throws(Failure) {
    guard !fingerprints.isEmpty else { return }
    try write(fingerprints, at: Self.size + count * RowFingerprint.byteCount)
    fingerprintHash.absorb(fingerprints[...])
  }

  /// The digest of the two files and the fingerprints.
  func digest(done: RunningHash, refused: RunningHash) -> String {
    RunningHash.digest(of: "\(done.digest) \(refused.digest) \(fingerprintHash.digest)")
  }

  /// Makes a commit: the two files are on the disk already.
  func commit(_ commit: Commit) throws(Failure) {
    // The system may write two parts of a file in any order.
    if commit.fingerprintCount > last.fingerprintCount { try sync() }
    last = commit
    number += 1
    try write(line(number: number), at: Self.places[number % 2])
    try sync()
  }

  /// Removes the journal: the files have their names.
  func remove() { unlink(path) }

  // MARK: Lines

  private func line(number: Int) -> [UInt8] {
    let numbers = [
      number, last.doneBytes, last.refusedBytes, last.doneRows, last.refusedRows, last.isLast ? 1 : 0,
      last.fingerprintCount,
    ]
    let text = (numbers.map(String.init) + [last.digest]).joined(separator: " ")
    let line = "\(text) \(RunningHash.digest(of: text))"
    return Array(line.utf8) + Array(repeating: UInt8(ascii: " "), count: 255 - line.utf8.count) + [UInt8(ascii: "\n")]
  }

  private static func commit(in line: ArraySlice<UInt8>) -> (Int, Commit)? {
    let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard words.count == 9, words[8] == RunningHash.digest(of: words[..<8].joined(separator: " ")) else { return nil }
    let numbers = words[..<7].compactMap { Int($0) }
    guard numbers.count == 7 else { return nil }
    let commit = Commit(
      doneBytes: numbers[1], refusedBytes: numbers[2], doneRows: numbers[3], refusedRows: numbers[4],
      isLast: numbers[5] == 1, fingerprintCount: numbers[6], digest: String(words[7]))
    return (numbers[0], commit)
  }

  // MARK: The file

  private func write(_ bytes: [UInt8], at offset: Int) throws(Failure) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress! + written, $0.count - written, off_t(offset + written))
      }
      if count < 0 && errno == EINTR { continue }
      // If there is room for a part only, the next call says why.
      guard count > 0 else { throw .system("Writing to \(path) failed", .inputOutput) }
      written += count
    }
  }

  private func sync() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw .system("Writing to \(path) failed", .inputOutput) }
  }

  private static func isForeign(_ path: String) -> Failure {
    Failure("Give another --out: \(path) exists, and is not the journal of an earlier run.", .data)
  }

  private static func isDamaged(_ path: String) -> Failure {
    Failure("Remove \(path) and begin anew: it was altered.", .data)
  }
}
