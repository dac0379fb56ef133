// An app around the README's PINEntry: like a view and a person, it opens the keyboard, touches keys, sees the dots and
// gets the text. Tests/Tree/readme.sh builds it with the main actor as default isolation, and with warnings as errors.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Observation
import Synchronization

// The key pair of RFC 9180, A.1: the recipient's.
let secretKey = bytes("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8")
let publicKey = bytes("3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d")
let challenge = Array("a challenge of 16 bytes or more".utf8)
let entry = try PINEntry(serverPublicKey: publicKey)

func bytes(_ hexadecimal: String) -> [UInt8] {
  let digits = Array(hexadecimal)
  return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
}

/// A view that shows the dots is redrawn when they change.
let redraws = Mutex(0)
func draw() {
  withObservationTracking {
    _ = entry.dots
  } onChange: {
    redraws.withLock { $0 += 1 }
  }
}

try entry.open(challenge: challenge)
precondition(entry.keys.count == 12 && entry.dots == "" && entry.text == nil)

let pin = "402991"
for (typed, digit) in pin.enumerated() {
  draw()
  let key = entry.keys.first { $0.label == String(digit) }!
  try entry.touch(x: key.x + key.width / 2, y: key.y + key.height / 2)
  precondition(entry.dots == String(repeating: "•", count: typed + 1), "the dots change before touch returns")
  precondition(redraws.withLock { $0 } == typed + 1)
}

do {
  try entry.touch(x: -1, y: 0)
  preconditionFailure("a point outside the view was accepted")
} catch KeyboardError.argument {
  precondition(entry.dots.count == pin.count)
}

// The sixth digit completed the input.
let text = Array(entry.text!.bytes)
let password = try unseal(text.span, way: .x25519, key: secretKey.span, context: challenge.span)
password.withBytes { bytes in precondition(bytes.indices.map { bytes[$0] } == Array(pin.utf8)) }
print("the app's PIN was read back")
