// A file that exists under its name only when all of it is written, and that replaces another one only if it may. When
// it is finished, file and name are on the disk: what relies on it comes after.
// SPDX-License-Identifier: Apache-2.0

/// A new file with a mode of its own, whatever the umask allows. If it is not finished, nothing is left of it.
package final class NewFile {
  private let path: String
  /// Where it is until it is finished: in the same folder.
  private let draft: String
  private let replaces: Bool
  private let descriptor: Int32
  private var isFinished = false

  /// - Parameter replaces: whether a file with this name is replaced. Anything but an ordinary file never is.
  package init(_ path: String, mode: mode_t, replacing replaces: Bool) throws(Failure) {
    var status = stat()
    if lstat(path, &status) == 0 {
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw Failure("Give the name of a new file: \(path) exists, and is not an ordinary file.", .data)
      }
      guard replaces else {
        throw Failure("Give the name of a new file, or --force: \(path) exists.", .data)
      }
    }
    (self.path, self.replaces) = (path, replaces)
    draft = "\(path).\(getpid()).new"
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode)
    guard descriptor >= 0 else { throw .system("The file \(path) cannot be made", .inputOutput) }
    guard fchmod(descriptor, mode) == 0 else {
      throw .system("The mode of the file \(path) cannot be set", .inputOutput)
    }
  }

  deinit {
    guard descriptor >= 0 else { return }
    close(descriptor)
    if !isFinished { unlink(draft) }
  }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
    try writeAll(bytes, to: descriptor, name: path)
  }

  /// Gives the file its name, and waits until a power cut leaves it.
  package func finish() throws(Failure) {
    guard fsync(descriptor) == 0 else { throw .system("Writing to \(path) failed", .inputOutput) }
    // `link` fails if another program has made the file meanwhile; `rename` replaces it.
    if replaces {
      guard rename(draft, path) == 0 else { throw .system("The file \(path) cannot be replaced", .inputOutput) }
    } else {
      guard link(draft, path) == 0 else { throw .system("The file \(path) cannot be made", .inputOutput) }
      unlink(draft)
    }
    isFinished = true
    try syncFolder(of: path)
  }
}
