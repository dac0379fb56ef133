// A secret in a file, and a warning if others may read it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension SecretBytes {
  /// Reads all of a file, and warns on standard error if other users may read or change it.
  ///
  /// - Parameters:
  ///   - kind: what it is, for messages: "key file".
  ///   - isPublic: whether others may read it.
  mutating func read(file path: String, kind: String, isPublic: Bool = false) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("The \(kind) \(path) cannot be opened", .noInput) }
    defer { close(descriptor) }
    warnIfOthersMayUse(descriptor, path: path, kind: kind, isPublic: isPublic)
    try read(
      from: descriptor, name: path,
      tooLong: Failure("Give a \(kind) of at most \(capacity) bytes; \(path) is longer.", .data))
  }
}

private func warnIfOthersMayUse(_ descriptor: Int32, path: String, kind: String, isPublic: Bool) {
  var status = stat()
  guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
  guard status.st_mode & (isPublic ? 0o022 : 0o066) != 0 else { return }
  // Who changes a public key reads what is sealed for it.
  writeMessage(
    "keyboard: warning: other users may \(isPublic ? "" : "read or ")change the \(kind) \(path). This stops them:\n"
      + "  chmod \(isPublic ? "go-w" : "600") \(shellWord(path))\n")
}

/// Text as a shell reads it as one word.
func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
    case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
    default: false
    }
  }
  if isPlain { return text }
  return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
