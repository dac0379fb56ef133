// What is typed, for a caller that is not the server: one rule, a key, a text for another recipient. Nothing of it is
// kept in the keyboard.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCipher
package import KeyboardCodes
import KeyboardMemory
package import KeyboardRules

extension KeyboardHandle {
  /// - Throws: `.operationDisabled` unless the keyboard is open.
  func checkOpen() throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.checkOpen() }
  }

  /// - Returns: whether the rule refuses what is typed.
  package func isRefused(
    by kind: PasscodeRule, number: Int, text: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    try call { state throws(KeyboardError) in try state.isRefused(by: kind, number: number, text: text) }
  }

  /// Makes a key of what is typed.
  ///
  /// - Throws: `.argument` for lengths of salt and key and for the costs, `.operationDisabled`, `.tooLong` for the
  ///   pepper, `.memory`, in this order.
  package func deriveKey(
    salt: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer, memorySize: UInt32, passCount: UInt32,
    into key: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) {
    let derivation = try KeyDerivation(memorySize: memorySize, passCount: passCount)
    guard KeyDerivation.saltCounts ~= salt.count else { throw .argument(.salt) }
    guard KeyDerivation.keyCounts ~= key.count else { throw .argument(.keyLength) }
    try checkOpen()
    guard pepper.count <= maximumPepperLength else { throw .tooLong(.pepper) }
    try lendingPassword { password throws(KeyboardError) in
      try derivation.derive(from: password, salt: salt, pepper: pepper, into: key)
    } undo: {
      wipe(key.baseAddress!, byteCount: key.count)
    }
  }

  /// A sealed text of what is typed, for a recipient that is named only here.
  ///
  /// - Parameter key: not yet checked.
  /// - Throws: `.operationDisabled`, `.tooLong` for the context, `.key`, `.spaceTooSmall`, in this order; `.memory`,
  ///   `.random`.
  package func sealTyped(
    _ way: SealingWay, for key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    try checkOpen(context: context)
    guard way.publicKeyLengths.contains(key.count) else { throw .noKey(key, because: .length) }
    // Any bytes of the right length are a key of SM4.
    guard way.origin != .shared else { return try seal(way, for: key, context: context, into: space) }
    way.bind()
    return try Residue.contained(.deep) { () throws(KeyboardError) in
      // The copy is checked, and used: the caller's bytes may change meanwhile.
      try withCopy(of: key) { copy throws(KeyboardError) in
        guard way.isPublicKey(copy) else { throw .noKey(copy, because: .value) }
        return try seal(way, for: copy, context: context, into: space)
      }
    }
  }
}

// MARK: - A recipient whose key is checked once

extension KeyboardHandle {
  /// The lengths of keys that `deriveKey` makes.
  static var keyCounts: ClosedRange<Int> { KeyDerivation.keyCounts }

  /// - Throws: `.key` unless these bytes are a public key of the way.
  static func checkPublicKey(_ key: UnsafeRawBufferPointer, of way: SealingWay) throws(KeyboardError) {
    guard way.publicKeyLengths.contains(key.count) else { throw .noKey(key, because: .length) }
    guard way.isPublicKey(key) else { throw .noKey(key, because: .value) }
  }

  /// As `sealTyped`, for a key that `checkPublicKey` has found to be one.
  func seal(
    _ way: SealingWay, forChecked key: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    try checkOpen(context: context)
    return try seal(way, for: key, context: context, into: space)
  }

  private func checkOpen(context: UnsafeRawBufferPointer) throws(KeyboardError) {
    try checkOpen()
    guard context.count <= maximumContextLength else { throw .tooLong(.context) }
  }

  private func seal(
    _ way: SealingWay, for recipient: UnsafeRawBufferPointer, context: UnsafeRawBufferPointer,
    into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Range<Int> {
    try Residue.whole { () throws(KeyboardError) in
      try withLock { state throws(KeyboardError) in
        try state.seal(way, for: recipient, context: context, into: space)
      }
    }
  }
}

extension KeyboardState {
  /// - Throws: `.operationDisabled` unless the keyboard is open.
  func checkOpen() throws(KeyboardError) {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
  }

  /// - Throws: `.argument` for a rule that does not exist, `.operationDisabled`, `.tooLong`, `.memory`, in this order.
  func isRefused(
    by kind: PasscodeRule, number: Int, text: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    func checkWithoutMemory() throws(KeyboardError) {
      try checkingState { () throws(KeyboardError) -> Void in
        try Residue.wiped(.deep) { () throws(KeyboardError) -> Void in
          try RuleList.check(kind, number: number, text: text, scratch: nil)
        }
      }
      try checkOpen()
    }
    let workspace = try make(
      { () throws(KeyboardError) -> Workspace in
        try Workspace(.batch, using: RuleList.byteCountOfOne + maximumPasswordLength)
      }, orCheck: checkWithoutMemory)
    let list = try checkingState { () throws(KeyboardError) -> RuleList in
      try RuleList.one(kind, number: number, text: text, at: workspace.memory)
    }
    let passcode = workspace.memory + RuleList.byteCountOfOne
    let length = try copyPassword(into: passcode)
    let broken = list.firstBroken(
      by: UnsafeRawBufferPointer(start: passcode, count: length), characterCount: characterCount,
      scratch: RuleList.scratch(at: workspace.memory))
    return broken != nil
  }

  /// Runs a check of a rule. Whether the keyboard is open is told after `.argument`, and before `.tooLong`.
  private func checkingState<Result>(
    _ body: () throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    do throws(KeyboardError) { return try body() } catch {
      if case .tooLong = error { try checkOpen() }
      throw error
    }
  }
}
