// The codes in Swift are those of the header.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import KeyboardCodes
import Testing

private let errors: [(KeyboardError, CUSTOM_KEYBOARD_RV, UInt32)] = [
  (.key, CUSTOM_KEYBOARD_ERR, 1),
  (.operationDisabled, CUSTOM_KEYBOARD_OP_DISABLE, 2),
  (.tooLong, CUSTOM_KEYBOARD_MAXLEN, 3),
  (.spaceTooSmall(needed: 16), CUSTOM_KEYBOARD_SPACE, 4),
  (.argument, CUSTOM_KEYBOARD_ARGUMENT, 5),
  (.undecryptable, CUSTOM_KEYBOARD_UNDECRYPTABLE, 6),
  (.memory, CUSTOM_KEYBOARD_MEMORY, 7),
  (.random, CUSTOM_KEYBOARD_RANDOM, 8),
  (.mismatch, CUSTOM_KEYBOARD_MISMATCH, 9),
  (.refused, CUSTOM_KEYBOARD_REFUSED, 10),
  (.exists, CUSTOM_KEYBOARD_EXISTS, 11),
  (.notFound, CUSTOM_KEYBOARD_NOT_FOUND, 12),
  (.locked, CUSTOM_KEYBOARD_LOCKED, 13),
  (.damaged, CUSTOM_KEYBOARD_DAMAGED, 14),
  (.storage, CUSTOM_KEYBOARD_STORAGE, 15),
  (.busy, CUSTOM_KEYBOARD_BUSY, 16),
]

@Test func everyErrorHasItsCode() throws {
  for (error, rv, number) in errors {
    try #require(error.code == rv.rawValue, "number \(number)")
    try #require(error.code == number)
  }
  #expect(Set(errors.map(\.0.code)) == Set(1...16), "no code is left out, and none belongs to two errors")
}

@Test func everyCodeHasASentenceOfItsOwn() {
  let sentences = (UInt32(0)...17).map { "\(KeyboardError.message(forCode: $0))" }
  #expect(Set(sentences).count == 18)
  #expect(sentences.allSatisfy { $0.hasSuffix(".") })
  #expect(KeyboardError.message(forCode: 17).description == KeyboardError.message(forCode: .max).description)
}

@Test func everyAlgorithmHasItsCode() throws {
  #expect(EncryptionWay.allCases.map(\.code) == [0, 1, 2])
  #expect(EncryptionWay.des.code == CUSTOM_ENCWAY_DES.rawValue)
  #expect(EncryptionWay.tripleDES.code == CUSTOM_ENCWAY_3DES.rawValue)
  #expect(EncryptionWay.sm4.code == CUSTOM_ENCWAY_SM4.rawValue)
  for way in EncryptionWay.allCases { try #require(EncryptionWay(code: way.code) == way, "\(way)") }
  for code in [3, 4, 255, UInt32.max] { try #require(EncryptionWay(code: code) == nil, "\(code)") }
}

@Test func everyWayOfSigningHasItsCode() throws {
  #expect(SigningWay.allCases.map(\.code) == [0, 1, 2])
  #expect(SigningWay.p256.code == CUSTOM_SIGNWAY_P256.rawValue)
  #expect(SigningWay.sm2.code == CUSTOM_SIGNWAY_SM2.rawValue)
  for way in SigningWay.allCases { try #require(SigningWay(code: way.code) == way, "\(way)") }
  #expect(SigningWay.rsa.code == CUSTOM_SIGNWAY_RSA.rawValue)
  for code in [3, 4, 255, UInt32.max] { try #require(SigningWay(code: code) == nil, "\(code)") }
}

@Test func everyFormatOfPINBlocksHasItsCode() throws {
  #expect(PINBlockFormat.allCases.map(\.code) == [9, 10, 11, 12])
  #expect(PINBlockFormat.format4.code == CUSTOM_ENCWAY_PIN4.rawValue)
  for format in PINBlockFormat.allCases { try #require(PINBlockFormat(code: format.code) == format, "\(format)") }
  for code in [0, 8, 13, UInt32.max] { try #require(PINBlockFormat(code: code) == nil, "\(code)") }
}

@Test func everySchemeOfDUKPTHasItsCode() throws {
  #expect(DUKPTScheme.allCases.map(\.code) == [0, 1, 2, 3, 4, 5])
  #expect(DUKPTScheme.aesThreeKeyTripleDES.code == CUSTOM_DUKPT_AES_3TDEA.rawValue)
  for scheme in DUKPTScheme.allCases { try #require(DUKPTScheme(code: scheme.code) == scheme, "\(scheme)") }
  for code in [6, 255, UInt32.max] { try #require(DUKPTScheme(code: code) == nil, "\(code)") }
}
