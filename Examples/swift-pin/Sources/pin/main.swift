// A PIN pad in a terminal: the keys are shuffled after each digit, the PIN is sealed, and a server receives it.
//
//     swift run pin 5 1 9 12        presses these places of the pad; they are counted from 1, row by row
//
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard

let places = CommandLine.arguments.dropFirst().compactMap(Int.init)
let server = try Server()
let (publicKey, challenge) = (server.publicKey, server.challenge)  // what an app gets over the network

let keyboard = try Keyboard()
try keyboard.setEncKey(publicKey.span, sealing: .x25519)
try keyboard.setContext(challenge.span)
try keyboard.setLayout(.pin, shuffle: .eachKey, maximumCount: 4)

// The app is told how many digits there are, never which.
keyboard.setTextField { count in print("PIN: " + String(repeating: "•", count: count)) }

// The PIN is complete: take the sealed text, wipe the PIN, send.
keyboard.setOKAction { [server] keyboard in
  do {
    let text = try keyboard.getText()
    try keyboard.close()
    print("to the server: \(text.hexadecimal)")
    try server.receive(Array(text.bytes))
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

/// The other end. The PIN is in a keyboard there, too, which can check it: no memory of the server's own has it.
final class Server: Sendable {
  let publicKey: [UInt8]
  private let secretKey: SecretBytes
  /// Fresh for each login: it must not be used twice.
  let challenge = (0..<16).map { _ in UInt8.random(in: 0...255) }

  init() throws(KeyboardError) {
    let pair = try generateKey(.x25519)
    publicKey = pair.publicKey
    secretKey = pair.secretKey
  }

  func receive(_ text: [UInt8]) throws(KeyboardError) {
    let (received, challenge) = (try Keyboard(), challenge)
    try secretKey.withSpan { key throws(KeyboardError) in
      try received.receive(text.span, way: .x25519, key: key, context: challenge.span)
    }
    print("the server has a PIN of \(received.count) digits")
  }
}
