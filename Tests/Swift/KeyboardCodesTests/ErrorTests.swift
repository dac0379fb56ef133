// What an error tells the program and the user.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import Testing

/// Every cause, with the code that it belongs to.
private let causes: [(KeyboardError, UInt32)] = [
  (.key(.missing), 1), (.key(.length), 1), (.key(.value), 1), (.key(.context), 1), (.key(.noContext), 1),
  (.key(.pem), 1), (.key(.accountNumber), 1), (.key(.noAccountNumber), 1), (.key(.serialNumber), 1),
  (.key(.counter), 1), (.key(.pinKeyLength), 1), (.key(.singleDES), 1), (.key(.dukptKeyLength), 1),
  (.key(.vaultKeyLength), 1),
  (.operationDisabled(.open), 2), (.operationDisabled(.notOpen), 2), (.operationDisabled(.forked), 2),
  (.tooLong(.password), 3), (.tooLong(.ciphertext), 3), (.tooLong(.context), 3), (.tooLong(.pepper), 3),
  (.tooLong(.ruleText), 3), (.tooLong(.rules), 3), (.tooLong(.data), 3), (.tooLong(.capacity), 3),
  (.argument(.noKeyboard), 5), (.argument(.notUTF8), 5), (.argument(.outsideView), 5), (.argument(.noSuchKey), 5),
  (.argument(.maximumCount), 5), (.argument(.patternLayout), 5), (.argument(.nodes), 5), (.argument(.viewSize), 5),
  (.argument(.overlap), 5), (.argument(.blocks), 5), (.argument(.noCipher), 5), (.argument(.pastMemory), 5),
  (.argument(.verifier), 5), (.argument(.bcrypt), 5), (.argument(.otherVerifier), 5), (.argument(.argon2Variant), 5),
  (.argument(.argon2Version), 5), (.argument(.verifierKeyID), 5), (.argument(.verifierData), 5),
  (.argument(.verifierCosts), 5), (.argument(.verifierLengths), 5), (.argument(.verifierDigits), 5),
  (.argument(.verifierPepper), 5), (.argument(.ruleNumber), 5), (.argument(.ruleText), 5), (.argument(.pattern), 5),
  (.argument(.notGenerated), 5), (.argument(.noPublicKey), 5), (.argument(.salt), 5), (.argument(.keyLength), 5),
  (.argument(.costs), 5), (.argument(.noDevice), 5), (.argument(.deviceKey), 5), (.argument(.null), 5),
  (.argument(.ecbWay), 5), (.argument(.sealingWay), 5), (.argument(.signingWay), 5), (.argument(.pinWay), 5),
  (.argument(.unknownWay), 5), (.argument(.scheme), 5), (.argument(.layout), 5), (.argument(.rule), 5),
  (.argument(.noHandle), 5), (.argument(.emptyPath), 5), (.argument(.emptyName), 5), (.argument(.longName), 5),
  (.argument(.nul), 5), (.argument(.policy), 5), (.argument(.structureSize), 5), (.argument(.wordCount), 5),
  (.argument(.passphrase), 5), (.argument(.sameKeyboard), 5), (.argument(.nameOfSQLite), 5),
  (.refused(.rule), 10), (.refused(.noPIN), 10), (.refused(.receivedPIN), 10), (.refused(.usedUp), 10),
  (.refused(.nothingTyped), 10), (.refused(.triesCounted), 10), (.refused(.wordCount), 10),
  (.refused(.unknownWord), 10), (.refused(.wordChecksum), 10),
  (.storage(.longPath), 15), (.storage(.noFileName), 15), (.storage(.folder), 15), (.storage(.file), 15),
  (.storage(.leftovers), 15), (.storage(.readOnly), 15), (.storage(.moved), 15),
]

private let withoutCause: [KeyboardError] = [
  .key, .operationDisabled, .tooLong, .argument, .undecryptable, .memory, .random, .mismatch, .refused, .exists,
  .notFound, .locked, .damaged, .storage, .busy,
]

@Test func aCauseChangesTheMessageAndNotTheCode() throws {
  for (error, code) in causes {
    try #require(error.code == code)
    try #require(error.description != "\(KeyboardError.message(forCode: code))")
    try #require(error.description.hasSuffix("."))
  }
  #expect(Set(causes.map(\.0.description)).count == causes.count, "two causes with the same sentence")
}

/// The packages for Python and Java tell a wrong context from a wrong key by this word.
@Test func theSentencesOfAKeyHaveTheWordContextIfTheContextIsWrong() {
  let ofContext = causes.map(\.0).filter { $0 == .key && $0.description.contains("context") }
  #expect(
    Set(ofContext.map(\.debugDescription).map { $0.prefix { $0 != ":" } })
      == [
        "KeyboardError.key(.context)", "KeyboardError.key(.noContext)", "KeyboardError.key(.accountNumber)",
        "KeyboardError.key(.noAccountNumber)",
      ])
}

@Test func withoutACauseTheMessageIsThatOfC() throws {
  for error in withoutCause { try #require(error.description == "\(KeyboardError.message(forCode: error.code))") }
}

@Test func alertsShowTheMessage() throws {
  for error in withoutCause + causes.map(\.0) + [.spaceTooSmall(needed: 16)] {
    let shown: any Error = error
    try #require(shown.localizedDescription == error.description)
    try #require((shown as NSError).localizedDescription == error.description)
  }
}

/// What C answers becomes the error that was thrown below it: the case, and the cause that its sentence names.
@Test func anAnswerOfCIsTheErrorWithItsCause() throws {
  var all: [KeyboardError] = KeyboardError.KeyCause.allCases.map(KeyboardError.key)
  all += KeyboardError.StateCause.allCases.map(KeyboardError.operationDisabled)
  all += KeyboardError.LengthCause.allCases.map(KeyboardError.tooLong)
  all += KeyboardError.ArgumentCause.allCases.map(KeyboardError.argument)
  all += KeyboardError.RefusalCause.allCases.map(KeyboardError.refused)
  all += KeyboardError.StorageCause.allCases.map(KeyboardError.storage)
  try #require(all.count > causes.count)
  for error in all + withoutCause + [.spaceTooSmall(needed: 16)] {
    let sentence = UnsafeRawPointer(error.sentence.utf8Start).assumingMemoryBound(to: CChar.self)
    let again = KeyboardError(code: error.code, cause: sentence, needed: 16)
    try #require(again.debugDescription == error.debugDescription)
  }
  let other = "nothing of the table".withCString { KeyboardError(code: KeyboardError.argument.code, cause: $0) }
  #expect(other.debugDescription == KeyboardError.argument.debugDescription)
}

@Test func theMessageOfASpaceTooSmallHasTheNumberOfBytes() {
  #expect(KeyboardError.spaceTooSmall(needed: 144).description.contains("144 bytes"))
}

@Test func debugDescriptionsBeginWithTheCase() throws {
  let names: [(KeyboardError, String)] = [
    (.key, "key"), (.key(.missing), "key(.missing)"),
    (.operationDisabled, "operationDisabled"), (.operationDisabled(.notOpen), "operationDisabled(.notOpen)"),
    (.tooLong, "tooLong"), (.tooLong(.ciphertext), "tooLong(.ciphertext)"),
    (.spaceTooSmall(needed: 8), "spaceTooSmall(needed: 8)"),
    (.argument, "argument"), (.argument(.outsideView), "argument(.outsideView)"),
    (.undecryptable, "undecryptable"), (.memory, "memory"), (.random, "random"),
    (.mismatch, "mismatch"), (.refused, "refused"), (.exists, "exists"), (.notFound, "notFound"), (.locked, "locked"),
    (.damaged, "damaged"), (.storage, "storage"), (.busy, "busy"), (.key(.pem), "key(.pem)"),
  ]
  for (error, name) in names {
    try #require(String(reflecting: error) == "KeyboardError.\(name): \(error.description)")
  }
}

@Test func errorsAreEqualByCodeAndTellCausesApartByPattern() throws {
  for (error, code) in causes {
    for other in withoutCause { try #require((error == other) == (other.code == code)) }
  }
  #expect(KeyboardError.spaceTooSmall(needed: 8) != .spaceTooSmall(needed: 16))
  #expect(KeyboardError.spaceTooSmall(needed: 8) != .argument)

  #expect(caught(.argument(.outsideView)) == "outside the view")
  #expect(caught(.argument(.noSuchKey)) == "an argument")
  #expect(caught(.argument) == "an argument")
  #expect(caught(.spaceTooSmall(needed: 24)) == "24 bytes")
  #expect(caught(.key(.missing)) == "something else")
}

/// Catches errors as a caller does.
private func caught(_ error: KeyboardError) -> String {
  do throws(KeyboardError) {
    throw error
  } catch .argument(.outsideView) {
    return "outside the view"
  } catch .argument {
    return "an argument"
  } catch .spaceTooSmall(let needed) {
    return "\(needed) bytes"
  } catch {
    return "something else"
  }
}
