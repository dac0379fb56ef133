// What the snippets of the pages take as given: names that they use and do not declare. snippets.py compiles each
// snippet together with this file.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardFIDO
import KeyboardVault

let key: [UInt8] = Array(repeating: 0, count: 32)
let (publicKey, serverPublicKey, privateKey) = (key, key, key)
let (challenge, pepper, salt, text, token, next) = (key, key, key, key, key, key)
let (request, ke1, ke3, record, account) = (key, key, key, key, key)
let (x, y) = (1.5, 2.5)
let keyboard = try! Keyboard()
let (first, second, received) = (keyboard, keyboard, keyboard)
let vault = try! Vault(path: "/home/kim/.bank/vault", key: key.span)
let client = try! FIDOClient(vault: vault, facetID: "ios:bundle-id:com.example.bank")
let bank = try! Recipient.x25519(publicKey.span)
let rules: PasscodeRules = [.digits]
let view = View()

/// Something that shows a keyboard.
@MainActor final class View {
  var count = 0
  var text: EncryptedText?
  nonisolated init() {}
  nonisolated func draw(_ label: String, _ x: Double, _ y: Double, _ width: Double, _ height: Double) {}
  func showUntilTyped(_ keyboard: Keyboard) async {}
}

func show(_ sentence: String) {}
func use(_ secret: Span<UInt8>) {}
func unlock(_ key: borrowing SecretBytes) {}
func send(_ text: EncryptedText) {}
@Sendable func send(_ message: [UInt8]) async throws -> [UInt8] { message }
@Sendable func send(_ message: FIDOMessage) async throws -> FIDOAnswer { FIDOAnswer(status: 200) }
func readKey(into room: UnsafeMutableRawBufferPointer) throws -> Range<Int> { room.indices }
