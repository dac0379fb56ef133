// The vault that the fuzzer changes: made by the library when the fuzzer begins.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CCustomVault
import Glibc
import Harness

/// A folder that nobody else may write into.
enum Disk {
  static let folder: String = {
    let place = getenv("FUZZ_FOLDER").map { String(cString: $0) } ?? "/tmp"
    var name = Array((place + "/vault.XXXXXX").utf8CString)
    guard mkdtemp(&name) != nil else { complain("there is no folder in \(place)") }
    return String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()

  static let path = folder + "/vault"

  static func remove() { for end in ["", "-wal", "-shm", "-journal"] { unlink(path + end) } }

  static func write(_ path: String, _ bytes: [UInt8]) {
    let file = open(path, O_CREAT | O_EXCL | O_WRONLY, 0o600)
    guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count, close(file) == 0 else {
      complain("\(path) cannot be written")
    }
  }

  static func read(_ path: String) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let file = open(path, O_RDONLY)
    let count = Glibc.read(file, &bytes, bytes.count)
    guard count > 0, close(file) == 0 else { complain("\(path) cannot be read") }
    return Array(bytes[..<count])
  }
}

enum Template {
  /// Also of the whole files among the stored inputs.
  static let key = Array("the key of the fuzzer's vaults..".utf8)
  /// All values that an item had, the last one last.
  static let items: [(String, [[UInt8]])] = [
    ("short", [[1, 2, 3], [4, 5]]), ("long", [[UInt8](repeating: 7, count: 5000), [UInt8](repeating: 8, count: 4500)]),
    ("once", [Array("a token".utf8)]),
  ]
  static let words = "legal winner thank year wave sausage worth useful legal winner thank yellow"

  /// One file without a WAL; then a file whose changes are in the WAL.
  static let (copy, file, wal): ([UInt8], [UInt8], [UInt8]) = {
    Disk.remove()
    var vault: CUSTOM_VAULT = 0
    require(CustomVault_open(&vault, Disk.path, key, key.count))
    var keyboard: CUSTOM_KEYBOARD = 0
    require(CustomKeyboard_create(&keyboard))
    require(CustomKeyboard_open(keyboard))
    require(CustomKeyboard_input(keyboard, key, 6))
    require(CustomVault_setPasscode(vault, "PIN", keyboard, nil))
    require(CustomVault_setPasscodeKey(vault, keyboard, nil, 0, nil))
    require(CustomKeyboard_destroy(keyboard))
    // After the passcode's key, which empties the WAL.
    for (account, values) in items {
      for (i, value) in values.enumerated() {
        require(
          i == 0
            ? CustomVault_addItem(vault, "s", account, "label", nil, value, value.count)
            : CustomVault_updateItem(vault, "s", account, nil, nil, value, value.count))
      }
    }
    require(CustomVault_keepWords(vault, "words", words))
    unlink(Disk.path + ".copy")
    require(CustomVault_backup(vault, Disk.path + ".copy"))
    let copy = Disk.read(Disk.path + ".copy")
    unlink(Disk.path + ".copy")
    // The vault's own file is read while it is open, because closing it would empty the WAL: the locks do not matter.
    let (file, wal) = (Disk.read(Disk.path), Disk.read(Disk.path + "-wal"))
    require(CustomVault_close(vault))
    return (copy, file, wal)
  }()

  private static func require(_ code: CUSTOM_KEYBOARD_RV, line: UInt = #line) {
    if code != CUSTOM_KEYBOARD_OK { complain("the template cannot be made: \(code.rawValue)", line: line) }
  }
}
