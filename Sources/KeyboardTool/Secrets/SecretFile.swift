// A secret in a file, and a warning if others may read it.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

extension SecretBytes {
  /// Reads all of a file, and warns on standard error if other users may read or change it.
  ///
  /// - Parameters:
  ///   - kind: what it is, for messages: "key file".
  ///   - isPublic: whether others may read it.
  package mutating func read(file path: String, kind: String, isPublic: Bool = false) throws(Failure) {
    try read(path, kind: kind) { mode in
      guard mode & (isPublic ? 0o022 : 0o066) != 0 else { return }
      // An attacker who replaces a public key can read what is sealed for it.
      writeMessage(
        "keyboard: warning: other users may \(isPublic ? "" : "read or ")change the \(kind) \(path). This stops them:\n"
          + "  chmod \(isPublic ? "go-w" : "600") \(shellWord(path))\n")
    }
  }

  /// Reads all of a file that nobody else may read or change.
  ///
  /// - Parameters:
  ///   - kind: what it is, for messages: "key file".
  ///   - name: what is in it: "the key".
  /// - Throws: a failure if others may use it.
  package mutating func read(privateFile path: String, kind: String, name: String) throws(Failure) {
    try read(path, kind: kind) { mode throws(Failure) in
      guard mode & 0o077 != 0 else { return }
      throw Failure(
        "Keep \(name) to yourself: other users may use the \(kind) \(path). This stops them:\n"
          + "  chmod 600 \(shellWord(path))", .data)
    }
  }

  /// - Parameter judge: gets the rights of the open file, whatever its name names by now. Pipes have none.
  private mutating func read(
    _ path: String, kind: String, judging judge: (mode_t) throws(Failure) -> Void
  ) throws(Failure) {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .system("The \(kind) \(path) cannot be opened", .noInput) }
    defer { close(descriptor) }
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { try judge(status.st_mode) }
    try read(
      from: descriptor, name: path,
      tooLong: Failure("Give a \(kind) of at most \(capacity) bytes; \(path) is longer.", .data))
  }
}

/// Text as a shell reads it as one word.
package func shellWord(_ text: String) -> String {
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
