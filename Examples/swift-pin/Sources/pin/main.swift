// A PIN pad in a terminal: the keys are shuffled after each digit, the PIN becomes ciphertext, and a server decrypts
// it.
//
//     swift run pin 5 1 9 12        presses these places of the pad; they are counted from 1, row by row
//
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

let key = Array("8907654329807654".utf8)  // the server has it, too
let places = CommandLine.arguments.dropFirst().compactMap(Int.init)

let keyboard = try Keyboard()
try keyboard.setEncKey(key.span, way: .sm4)
try keyboard.setLayout(.pin, shuffle: .eachKey, maximumCount: 4)

// The app is told how many digits there are, never which.
keyboard.setTextField { count in print("PIN: " + String(repeating: "•", count: count)) }

// The PIN is complete: take the ciphertext, wipe the PIN, send.
keyboard.setOKAction { keyboard in
  do {
    let text = try keyboard.getText()
    try keyboard.close()
    print("to the server: \(text.hexadecimal)")
    try serve(Array(text.bytes))
  } catch {
    print(error)
  }
}

try keyboard.open()
for place in places {
  guard let keys = try? keyboard.keys() else { break }  // closed: the PIN was complete
  draw(keys)
  guard keys.indices.contains(place - 1) else { continue }
  let key = keys[place - 1]
  try keyboard.touch(x: key.x + key.width / 2, y: key.y + key.height / 2)  // where the finger was
}

/// Four rows of three. An app draws each key in its frame: `x`, `y`, `width`, `height`.
func draw(_ keys: [KeyboardKey]) {
  for row in 1...4 {
    print(keys.filter { $0.grid.row == row }.map { "[\($0.label.isEmpty ? " " : $0.label)]" }.joined(separator: " "))
  }
}

/// The other end, which needs the key and no keyboard. The password is in locked memory until it is released.
@Sendable func serve(_ text: [UInt8]) throws(KeyboardError) {
  let password = try decrypt(text.span, way: .sm4, key: Array("8907654329807654".utf8).span)
  password.withBytes { bytes in print("the server has a PIN of \(bytes.count) digits") }
}
