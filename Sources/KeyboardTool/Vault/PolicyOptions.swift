// When a passcode of a vault is locked.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeyboardVault

struct PolicyOptions: ParsableArguments {
  @Option(help: "How many wrong tries lock it, 1 to 1000; 5 by default.")
  var tries: Int?

  @Option(help: "How many seconds it is locked, 1 to 2147483647; 300 by default.")
  var lockSeconds: Int?

  @Option(help: "After how many locks only a reset unlocks it; 0, the default, for no maximum.")
  var maximumLocks: Int?

  func validate() throws {
    guard (1...1000).contains(tries ?? 5) else { throw ValidationError("Give --tries from 1 to 1000.") }
    guard (1...0x7fff_ffff).contains(lockSeconds ?? 300) else {
      throw ValidationError("Give --lock-seconds from 1 to 2147483647.")
    }
    guard (0...0xffff_ffff).contains(maximumLocks ?? 0) else {
      throw ValidationError("Give --maximum-locks from 0 to 4294967295.")
    }
  }

  var isWhole: Bool { tries != nil && lockSeconds != nil && maximumLocks != nil }

  var policy: Vault.PasscodePolicy {
    var policy = Vault.PasscodePolicy()
    policy.triesToLock = tries ?? policy.triesToLock
    policy.lockSeconds = lockSeconds ?? policy.lockSeconds
    policy.maximumLocks = maximumLocks ?? policy.maximumLocks
    return policy
  }
}
