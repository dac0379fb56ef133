// Where the keys are, and how they are made.
// SPDX-License-Identifier: Apache-2.0

import CBankSystem
import CustomKeyboard
import Glibc

struct KeyFiles {
  let recipient: RecipientFiles
  /// Both files, or neither: they are there only while a key is replaced.
  let second: RecipientFiles
  let masterKey: KeyFile
}

/// A pair of keys for sealed texts.
struct RecipientFiles {
  let privateKey: KeyFile
  let publicKey: KeyFile

  var isThere: Bool { privateKey.exists || publicKey.exists }

  func makeIfMissing(_ way: TextWay) throws {
    switch (privateKey.exists, publicKey.exists) {
    case (true, true): break
    case (false, false): try make(way)
    case (true, false): throw Failure("\(privateKey.path) is there, but not its public key \(publicKey.path).")
    case (false, true): throw Failure("\(publicKey.path) is there, but not its private key \(privateKey.path).")
    }
  }

  private func make(_ way: TextWay) throws {
    let pair = try generateKey(way.sealing)
    try publicKey.write(pair.publicKey.span, mode: 0o644)
    try privateKey.write(pair.secretKey.span, mode: 0o600)
  }
}

extension KeyFile {
  func makeRandom() throws {
    var key = try SecretBytes(capacity: Self.secretLength)
    try key.extend { room in
      guard getrandom(room.baseAddress!, room.count, 0) == room.count else {
        throw Failure("The system gives no random bytes.")
      }
      return room.count
    }
    try write(key.span, mode: 0o600)
  }
}
