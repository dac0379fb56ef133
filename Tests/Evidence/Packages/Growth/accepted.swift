// Code of another package that uses our enumerations, and still compiles when a version adds a case.
// SPDX-License-Identifier: Apache-2.0
import CustomKeyboard

func sentence(_ error: KeyboardError) -> String {
  switch error {
  case .key(.missing): "no key"
  case .key: "key"
  case .operationDisabled(.open), .operationDisabled(.notOpen), .operationDisabled: "state"
  case .tooLong: "long"
  case .spaceTooSmall(let needed): "\(needed) bytes"
  case .argument(let cause): "argument, \(cause)"
  case .undecryptable, .memory, .random, .mismatch, .refused: error.description
  case .exists, .notFound, .locked, .damaged, .storage, .busy: error.description
  @unknown default: error.description
  }
}

func keyLength(_ way: EncryptionWay) -> Int? {
  switch way {
  case .des: 8
  case .tripleDES: 24
  case .sm4: 16
  @unknown default: nil
  }
}

func touch(_ keyboard: Keyboard) throws(KeyboardError) -> Bool {
  do throws(KeyboardError) {
    try keyboard.touch(x: 1, y: 1)
    return true
  } catch .argument(.outsideView) {
    return false
  } catch {
    if error == .operationDisabled { throw .argument }
    throw error
  }
}
