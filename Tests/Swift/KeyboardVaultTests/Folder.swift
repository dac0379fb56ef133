// A folder of a test's own, in which a vault may be; keyboards on which something is typed.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation

/// It is removed when the test is over.
final class Folder: Sendable {
  let path: String
  var vault: String { path + "/vault" }

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "vault-\(UUID())").path
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// An open keyboard on which a text is typed.
func typing(_ text: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(bytes(text).span)
  return keyboard
}

/// A keyboard that is not open.
func closedKeyboard() throws -> Keyboard { try Keyboard() }
