// An app around the README's PINEntry: like a view and a person, it opens the keyboard, touches keys, sees the dots and
// gets the text. Tests/readme.sh builds it with the main actor as default isolation, and with warnings as errors.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Observation
import Synchronization

let key = Array("8907654329807654".utf8)
let entry = try PINEntry(key: key)

/// A view that shows the dots is redrawn when they change.
let redraws = Mutex(0)
func draw() {
  withObservationTracking {
    _ = entry.dots
  } onChange: {
    redraws.withLock { $0 += 1 }
  }
}

try entry.open()
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
let password = try decrypt(Array(entry.text!.bytes).span, way: .sm4, key: key.span)
password.withBytes { bytes in precondition(bytes.indices.map { bytes[$0] } == Array(pin.utf8)) }
print("the app's PIN was read back")
