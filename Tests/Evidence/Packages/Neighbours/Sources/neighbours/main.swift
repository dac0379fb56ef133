// Encrypts a password with the keyboard, passes it through the types of the other packages, and decrypts it on the
// other side.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CustomKeyboard
import NIOCore
import SystemPackage

let key = Array("8907654329807654".utf8)
let keyboard = try Keyboard()
try keyboard.setEncKey(key.span, way: .sm4)
try keyboard.open()
try keyboard.input(Array("kgcx879@".utf8).span)
let text = try keyboard.getText()
try keyboard.close()

// swift-nio: the message that a server receives.
var message = ByteBuffer(bytes: text.bytes)
// swift-crypto: the digest that the server logs.
let digest = SHA256.hash(data: text.bytes)
precondition(digest == SHA256.hash(data: Array(message.readableBytesView)))
// swift-system: the path of the log.
let log = FilePath("/var/log/passwords").appending(digest.prefix(4).map { String($0, radix: 16) }.joined())
precondition(log.components.count == 4)

let received = message.readBytes(length: message.readableBytes)!
let password = try decrypt(received.span, way: .sm4, key: key.span)
password.withBytes { bytes in precondition(bytes.indices.map { bytes[$0] } == Array("kgcx879@".utf8)) }
print(text.hexadecimal)
