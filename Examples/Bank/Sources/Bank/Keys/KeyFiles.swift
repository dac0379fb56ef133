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
    var open = [UInt8](repeating: 0, count: way.publicKeyLength)
    let secret = try SecretBytes(count: KeyFile.secretLength) { bytes in
      try open.withUnsafeMutableBytes { open in
        try generateKey(way.sealing, into: bytes.baseAddress!, publicKey: open.baseAddress)
      }
    }
    try open.withUnsafeBytes { open in try publicKey.write(open, mode: 0o644) }
    try privateKey.write(secret.bytes, mode: 0o600)
  }
}

extension KeyFile {
  func makeRandom() throws {
    let key = try SecretBytes(count: Self.secretLength) { bytes in
      guard getrandom(bytes.baseAddress!, bytes.count, 0) == bytes.count else {
        throw Failure("The system gives no random bytes.")
      }
    }
    try write(key.bytes, mode: 0o600)
  }
}
