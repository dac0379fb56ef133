// How the vault's library answers.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CKeyboardStack
import KeyboardArguments
import KeyboardCodes
import KeyboardMemory
import KeyboardVault

/// What was wrong is kept for `CustomVault_cause`.
let answering = Answers(of: Int32(VAULT_CAUSE))

/// As `answering`, for a body that calls the caller's functions, whose cancellation points must not end the thread, or
/// that gives the caller a handle, which nobody could close if the thread ended before.
func answeringUncancelled(_ body: () throws(KeyboardError) -> Void) -> CUSTOM_KEYBOARD_RV {
  answering { () throws(KeyboardError) in try Residue.wholeWithFiles(body) }
}

/// Names each entry of a list, until the caller's function answers something other than 0.
func naming(
  _ each: (@convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>) -> Int32)?,
  _ context: UnsafeMutableRawPointer?, _ list: () throws(KeyboardError) -> VaultList
) -> CUSTOM_KEYBOARD_RV {
  answeringUncancelled { () throws(KeyboardError) in
    guard let each else { throw .argument(.null) }
    let list = try list()
    for i in 0..<list.count {
      guard each(context, list[i].account) == 0 else { break }
    }
  }
}
