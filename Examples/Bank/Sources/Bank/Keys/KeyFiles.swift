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
  /// There only while a master key is replaced.
  let secondMasterKey: KeyFile
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
    case (true, false), (false, true):
      let (there, missing) = privateKey.exists ? (privateKey, publicKey) : (publicKey, privateKey)
      throw Failure(
        """
        \(there.path) is there, but not the other half of the pair, \(missing.path). Put it back, from the backup of \
        the keys or from another server. If it is lost, remove \(there.path), too: a new pair is made, and people who \
        are just logging in must begin again.
        """)
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
