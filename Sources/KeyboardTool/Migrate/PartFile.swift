// One of the two files that a migration writes.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// A file under a name for the time until it is whole.
final class PartFile {
  private let path: String
  let partPath: String
  private let header: [UInt8]
  private let isWhole: Bool
  let descriptor: Int32
  private(set) var byteCount: Int
  /// The hash of the bytes that count.
  let hash = RunningHash()

  /// - Parameters:
  ///   - byteCount: how much of it counts.
  ///   - isWhole: whether it may have its own name already.
  init(_ path: String, header: String, byteCount: Int, isWhole: Bool) throws(Failure) {
    (self.path, self.header, self.byteCount, self.isWhole) = (path, Array(header.utf8), byteCount, isWhole)
    partPath = path + ".part"
    let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC
    if isWhole {
      let name = access(partPath, F_OK) == 0 ? partPath : path
      descriptor = open(name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { throw .system("The file \(name) cannot be opened", .inputOutput) }
    } else {
      if access(path, F_OK) == 0 { throw Failure("Give the name of a new file: \(path) exists.", .data) }
      descriptor = open(partPath, byteCount == 0 ? flags | O_CREAT : flags, 0o600)
      guard descriptor >= 0 else { throw .system("The file \(partPath) cannot be opened", .inputOutput) }
    }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) >= byteCount else {
      throw Failure("Restore \(partPath), or begin anew with other names: it is shorter than it was.", .data)
    }
    try hashContents()
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// All the names that a file takes in the course of a migration.
  static func names(_ path: String) -> [String] { [path, path + ".part"] }

  private func hashContents() throws(Failure) {
    var (place, buffer) = (0, [UInt8](repeating: 0, count: 1 << 18))
    while place < byteCount {
      let count = pread(descriptor, &buffer, min(buffer.count, byteCount - place), off_t(place))
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .system("Reading \(partPath) failed", .inputOutput) }
      hash.absorb(buffer[..<count])
      place += count
    }
  }

  /// Removes what does not count.
  func truncate() throws(Failure) {
    guard !isWhole else { return }
    guard ftruncate(descriptor, off_t(byteCount)) == 0, lseek(descriptor, 0, SEEK_END) >= 0 else {
      throw .system("Writing to \(partPath) failed", .inputOutput)
    }
  }

  func write(_ lines: [UInt8]) throws(Failure) {
    let bytes = byteCount == 0 ? header + lines : lines
    guard !bytes.isEmpty else { return }
    let failure: Failure? = bytes.withUnsafeBytes { bytes in
      do throws(Failure) {
        try writeAll(bytes, to: descriptor, name: partPath)
        return nil
      } catch { return error }
    }
    if let failure { throw failure }
    hash.absorb(bytes[...])
    byteCount += bytes.count
  }

  func sync() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw .system("Writing to \(partPath) failed", .inputOutput) }
  }

  /// Gives it its name, if an earlier run has not.
  func finish() throws(Failure) {
    // Without the part file, an earlier run has given the name already.
    guard access(partPath, F_OK) == 0 else { return }
    // `link` replaces nothing. If it fails because an earlier run was stopped after it, both are one file.
    guard link(partPath, path) == 0 || errno == EEXIST && isFile(path, partPath) else {
      throw .system("The file \(path) cannot be made", .inputOutput)
    }
    // The journal goes after this, and then nothing tells that the file is to have this name.
    try syncFolder(of: path)
    unlink(partPath)
  }

  /// Whether two names are one file's.
  private func isFile(_ path: String, _ other: String) -> Bool {
    var (one, two) = (stat(), stat())
    return stat(path, &one) == 0 && stat(other, &two) == 0 && one.st_ino == two.st_ino && one.st_dev == two.st_dev
  }
}
