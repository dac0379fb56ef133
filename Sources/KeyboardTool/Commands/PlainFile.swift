// Reads files that hold no secrets.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal

/// Reads all of a file. Not for secrets.
func readFile(_ path: String) throws(Failure) -> [UInt8] {
  let descriptor = open(path, O_RDONLY | O_CLOEXEC)
  guard descriptor >= 0 else { throw .system("The file \(path) cannot be opened", .noInput) }
  defer { close(descriptor) }
  return try readAll(descriptor, name: path)
}

/// Reads to the end. Not for secrets.
func readAll(_ descriptor: Int32, name: String) throws(Failure) -> [UInt8] {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = read(descriptor, &buffer, buffer.count)
    if count < 0 && errno == EINTR { continue }
    guard count >= 0 else { throw .system("Reading \(name) failed", .inputOutput) }
    guard count > 0 else { return bytes }
    bytes.append(contentsOf: buffer[..<count])
  }
}
