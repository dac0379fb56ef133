// Sealed texts through the Swift interface.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import Testing

@testable import KeyboardCipher
@testable import KeyboardRSA
@testable import KeyboardSealing

private let challenge = Array("a challenge of the server".utf8)

/// A key of this way, and its public key; of SM4-GCM the key twice. Of RSA there are some, in a file.
private func keys(_ way: SealingWay, _ number: Int = 0) throws -> (secret: [UInt8], open: [UInt8]) {
  guard way != .rsa else { return try rsaKey(number) }
  var secret = [UInt8](repeating: 0, count: way.secretKeyLengths.upperBound)
  var open = [UInt8](repeating: 0, count: way.publicKeyLengths.upperBound)
  try secret.withUnsafeMutableBytes { secret in
    try open.withUnsafeMutableBytes { open in
      try generateKey(way, into: secret.baseAddress!, publicKey: way == .sm4GCM ? nil : open.baseAddress!)
    }
  }
  return (secret, way == .sm4GCM ? secret : open)
}

/// A line of rsa-keys.txt.
private func rsaKey(_ number: Int) throws -> (secret: [UInt8], open: [UInt8]) {
  let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  let url = tests.deletingLastPathComponent().appending(path: "Vectors/rsa-keys.txt")
  let lines = try String(contentsOf: url, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
  let fields = lines[number].split(separator: " ").suffix(2).map { digits in
    let digits = digits.map { UInt8($0.hexDigitValue!) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }
  return (fields[0], fields[1])
}

private func recipient(_ way: SealingWay, _ key: [UInt8]) throws -> Recipient {
  switch way {
  case .x25519: try .x25519(key.span)
  case .p256: try .p256(key.span)
  case .rsa: try .rsa(key.span)
  default: try .sm2(key.span)
  }
}

private func typed(_ password: String) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(Array(password.utf8).span)
  return keyboard
}

private func opened(_ text: [UInt8], _ way: SealingWay, _ key: [UInt8], _ context: [UInt8]) throws -> String {
  let password = try unseal(text.span, way: way, key: key.span, context: context.span)
  return password.withBytes { bytes in
    String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
  }
}

@Test(arguments: [SealingWay.x25519, .p256, .sm2, .rsa], ["", "kgcx879@", String(repeating: "é", count: 64)])
func whatIsSealedForARecipientOpensWithItsKey(way: SealingWay, password: String) throws {
  let (secret, open) = try keys(way)
  let keyboard = try typed(password)
  let bank = try recipient(way, open)
  let text = try keyboard.seal(for: bank, context: challenge.span)
  let again = try keyboard.seal(for: bank, context: challenge.span)
  #expect(text.bytes.count == way.textLengths.lowerBound && text.bytes != again.bytes)
  #expect(try opened(Array(text.bytes), way, secret, challenge) == password)
  #expect(try opened(Array(again.bytes), way, secret, challenge) == password)
  #expect(throws: KeyboardError.undecryptable) { try opened(Array(text.bytes), way, secret, []) }
  #expect(throws: KeyboardError.undecryptable) { try opened(Array(text.bytes.dropLast()), way, secret, challenge) }
  let other = try keys(way, 1).secret
  #expect(throws: KeyboardError.undecryptable) { try opened(Array(text.bytes), way, other, challenge) }
}

/// C programs test all the rest (Tests/C/unseal_batch.c).
@Test(arguments: SealingWay.allCases, [0, 1, 9])
func aBatchOpensEachTextOrSaysWhyNot(way: SealingWay, count: Int) throws {
  let (secret, open) = try keys(way)
  let sender = try Keyboard()
  try sender.setEncKey(open.span, sealing: way)
  try sender.setContext(challenge.span)
  try sender.open()
  try sender.input(Array("kgcx879@".utf8).span)
  var text = Array(try sender.getText().bytes)
  var clear = [UInt8](repeating: 0xee, count: 128 * count)
  try text.withUnsafeMutableBufferPointer { text in
    try challenge.withUnsafeBufferPointer { challenge in
      try clear.withUnsafeMutableBufferPointer { clear in
        var jobs = (0..<count).map { number in
          let isOther = number % 4 == 1
          return UnsealingJob(
            text: UnsafeBufferPointer(text), context: isOther ? .init(rebasing: challenge.dropLast()) : challenge,
            clear: .init(rebasing: clear[128 * number..<128 * number + (number % 4 == 2 ? 7 : 128)]))
        }
        try jobs.withUnsafeMutableBufferPointer { jobs in
          try secret.withUnsafeBytes { try unsealBatch(jobs, way: way, key: $0) }
          #expect(throws: KeyboardError.self) {
            try secret.withUnsafeBytes { try unsealBatch(jobs, way: way, key: .init(rebasing: $0.dropLast())) }
          }
        }
        for (number, job) in jobs.enumerated() {
          let errors = [nil, KeyboardError.undecryptable, .spaceTooSmall(needed: 8), nil]
          #expect(job.code == errors[number % 4]?.code ?? 0)
          #expect(job.clearLength == (number % 4 == 1 ? 0 : 8))
        }
      }
    }
  }
  for number in 0..<count {
    let isOpened = number % 4 == 0 || number % 4 == 3
    let password = isOpened ? Array("kgcx879@".utf8) : [UInt8](repeating: 0xee, count: 8)
    #expect(Array(clear[128 * number..<128 * number + 8]) == password)
    #expect(clear[128 * number + 8..<128 * (number + 1)].allSatisfy { $0 == 0xee })
  }
}

@Test(arguments: SealingWay.allCases)
func aReceivedPasswordLeavesUnderAnotherKey(way: SealingWay) throws {
  let (secret, open) = try keys(way)
  let sender = try Keyboard()
  try sender.setEncKey(open.span, sealing: way)
  try sender.setContext(challenge.span)
  try sender.open()
  try sender.input(Array("kgcx879@".utf8).span)
  let text = Array(try sender.getText().bytes)

  let server = try Keyboard()
  let key = Array("8907654329807654".utf8)
  try server.setEncKey(key.span, way: .sm4)
  try server.receive(text.span, way: way, key: secret.span, context: challenge.span)
  #expect(server.count == 8)
  #expect(try server.getText().hexadecimal == "0f413569eb66b50be0c1db9c518fb909", "the paper's row")
  #expect(throws: KeyboardError.operationDisabled) {
    try server.receive(text.span, way: way, key: secret.span, context: challenge.span)
  }
  let encrypted = Array(try server.getText().bytes)
  try server.close()
  try server.receive(encrypted.span, way: .sm4, key: key.span)
  #expect(server.count == 8)
}

@Test func aRecipientIsAKeyOfItsCurve() throws {
  let (_, point) = try keys(.p256)
  let (short, zero) = (Array(point.dropLast()), [UInt8](repeating: 0, count: 32))
  #expect(throws: KeyboardError.key) { _ = try Recipient.sm2(point.span) }
  #expect(throws: KeyboardError.key) { _ = try Recipient.p256(short.span) }
  #expect(throws: KeyboardError.key) { _ = try Recipient.x25519(zero.span) }
  let keyboard = try Keyboard()
  #expect(throws: KeyboardError.key) { try keyboard.setEncKey(point.span, sealing: .sm2) }
}

/// PEM of every length: too short, too long, and as long as the DER of a key of RSA.
@Test func aKeyInPEMIsNamedAsSuch() throws {
  func isPEM(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch KeyboardError.key(.pem) { return true } catch { return false }
  }
  let keyboard = try Keyboard()
  for length in [11, 24, 33, 65, 113, 178, 292, 451, 556, 800] {
    let text = Array("-----BEGIN PUBLIC KEY-----".utf8.prefix(length))
    let pem = text + [UInt8](repeating: 0x41, count: length - text.count)
    var altered = pem
    altered[5] = 0x62
    for way in SealingWay.allCases {
      #expect(isPEM { try keyboard.setEncKey(pem.span, sealing: way) }, "\(way), \(length) bytes")
      #expect(!isPEM { try keyboard.setEncKey(altered.span, sealing: way) })
    }
    #expect(isPEM { try keyboard.setEncKey(pem.span, way: .des) })
    #expect(isPEM { _ = try Recipient.x25519(pem.span) } && isPEM { _ = try Recipient.rsa(pem.span) })
  }
  let short = Array("-----BEGIN".utf8)
  #expect(!isPEM { try keyboard.setEncKey(short.span, sealing: .x25519) })
  #expect(KeyboardError.key(.pem).code == 1 && "\(KeyboardError.key(.pem))".contains("PEM"))
}

@Test(arguments: [SealingWay.sm4GCM, .rsa]) func waysWithoutPairsMakeNoPublicKey(way: SealingWay) throws {
  let secret = try keys(way).secret
  #expect { try publicKey(of: secret.span, way: way) } throws: { error in
    if case .argument(.noPublicKey) = error as? KeyboardError { return true } else { return false }
  }
}

/// The longest key there is, and the longest text, with a keyboard's slot around them.
@Test func aKeyboardHasRoomForEveryKeyOfRSA() throws {
  for (number, length) in [256, 256, 257, 257, 384, 512, 512].enumerated() {
    let (secret, open) = try keys(.rsa, number)
    let keyboard = try Keyboard()
    try keyboard.setEncKey(open.span, sealing: .rsa)
    let context = [UInt8](repeating: 3, count: 256)
    try keyboard.setContext(context.span)
    try keyboard.open()
    try keyboard.input(Array("kgcx879@".utf8).span)
    let text = Array(try keyboard.getText().bytes)
    #expect(text.count == length)
    #expect(try opened(text, .rsa, secret, context) == "kgcx879@")
  }
}
