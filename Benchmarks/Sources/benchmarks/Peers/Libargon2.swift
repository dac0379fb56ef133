// libargon2 with a pepper, in one lane and on one thread. It gets its memory from malloc, and wipes it after each hash.
// SPDX-License-Identifier: Apache-2.0

import CArgon2

/// A passcode and a pepper, to be hashed under the costs that the library's verifiers have.
struct Libargon2 {
  static let name = "libargon2, one thread"
  /// Of Argon2: libargon2 does not tell its own.
  static let version = "v1.3"

  static let saltSize = 16
  static let hashSize = 32
  /// What a verifier with these costs begins with.
  static let costs = "$argon2id$v=19$m=19456,t=2,p=1$"

  let passcode: Bytes
  let passcodeCount: Int
  let pepper: Bytes
  let pepperCount: Int
  let salt = allocate(saltSize)
  let hash = allocate(hashSize)

  init(passcode: [UInt8], pepper: [UInt8]) {
    (self.passcode, passcodeCount) = (allocate(passcode), passcode.count)
    (self.pepper, pepperCount) = (allocate(pepper), pepper.count)
  }

  /// Makes the hash under `salt` and compares it with another, in constant time.
  func matches(_ other: UnsafePointer<CChar>) -> Bool {
    var context = context
    return argon2_verify_ctx(&context, other, Argon2_id) == ARGON2_OK.rawValue
  }

  private var context: argon2_context {
    var context = argon2_context()
    (context.out, context.outlen) = (hash, UInt32(Self.hashSize))
    (context.pwd, context.pwdlen) = (passcode, UInt32(passcodeCount))
    (context.salt, context.saltlen) = (salt, UInt32(Self.saltSize))
    (context.secret, context.secretlen) = (pepper, UInt32(pepperCount))
    (context.m_cost, context.t_cost) = (19_456, 2)
    (context.lanes, context.threads) = (1, 1)
    context.version = UInt32(ARGON2_VERSION_13.rawValue)
    return context
  }
}
