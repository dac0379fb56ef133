// What is done with a passcode without showing it: rules, comparison, verifiers.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCipher
package import KeyboardCodes
import KeyboardMemory
package import KeyboardRules

// MARK: - Rules

extension KeyboardHandle {
  package func addRule(
    _ kind: PasscodeRule, number: Int, text: UnsafeRawBufferPointer
  ) throws(KeyboardError) {
    try call { state throws(KeyboardError) in try state.addRule(kind, number: number, text: text) }
  }

  package func clearRules() throws(KeyboardError) {
    try call { state in state.clearRules() }
  }

  /// - Returns: the index, in the order of adding, of the first rule that refuses what is typed.
  package func firstBrokenRule() throws(KeyboardError) -> Int? {
    try call { state throws(KeyboardError) in try state.firstBrokenRule() }
  }
}

extension KeyboardHandle {
  /// - Returns: the place of the first fault, in bytes, or nil.
  package static func fault(inPattern pattern: UnsafeRawBufferPointer) throws(KeyboardError) -> Int? {
    try Residue.whole { () throws(KeyboardError) in
      try Residue.wiped { () throws(KeyboardError) -> Int?? in
        guard pattern.count <= RuleList.longestText else { throw .tooLong(.ruleText) }
        let workspace: Workspace
        do throws(KeyboardError) {
          workspace = try Workspace(.batch, using: RuleList.longestText + RuleList.scratchByteCount)
        } catch {
          let fault = try Residue.wiped(.deep) { () throws(KeyboardError) in try Pattern.fault(in: pattern) }
          guard let fault else { throw error }
          return .some(fault)
        }
        // Another thread may change the pattern, so a copy is looked at.
        if let start = pattern.baseAddress { workspace.memory.copyMemory(from: start, byteCount: pattern.count) }
        let fault: Int?
        do throws(KeyboardError) {
          fault = try Pattern.fault(
            in: UnsafeRawBufferPointer(start: workspace.memory, count: pattern.count),
            scratch: workspace.memory + RuleList.longestText)
        } catch {
          guard workspace.wasEmptied else { throw error }
          return nil
        }
        return workspace.wasEmptied ? nil : .some(fault)
      }
    }
  }
}

// MARK: - Comparison

extension KeyboardHandle {
  /// Whether the same is typed in both.
  package func hasSamePassword(as other: KeyboardHandle) throws(KeyboardError) -> Bool {
    // Locked in the order of their numbers, so that two threads never wait for each other.
    let (first, second) = slot.rawValue < other.slot.rawValue ? (self, other) : (other, self)
    return try first.call { one throws(KeyboardError) in
      guard first.slot != second.slot else { return try one.hasSamePassword(as: one) }
      return try second.withLock { two throws(KeyboardError) in try one.hasSamePassword(as: two) }
    }
  }
}

// MARK: - Verifiers

extension KeyboardHandle {
  /// - Parameter output: gets the verifier, without a NUL.
  /// - Returns: the verifier's length.
  /// - Throws: `.spaceTooSmall` with the length.
  package func makeVerifier(
    pepper: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    try checkOpen()
    guard pepper.count <= maximumPepperLength else { throw .tooLong(.pepper) }
    guard output.count >= Verifier.length else { throw .spaceTooSmall(needed: Verifier.length) }
    return try lendingPassword { password throws(KeyboardError) in
      try Verifier.make(of: password, pepper: pepper, into: output.baseAddress!) ? Verifier.length : nil
    } undo: {
      wipe(output.baseAddress!, byteCount: Verifier.length)
    }
  }

  /// The longest string that `checkVerifier` accepts.
  package static var longestVerifier: Int { Verifier.longestLength }

  /// - Returns: whether what is typed is the verifier's password.
  package func checkVerifier(
    _ verifier: UnsafeRawBufferPointer, pepper: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Bool {
    // A malformed verifier is refused in every state.
    try Verifier.checkForm(verifier, pepper: pepper)
    try checkOpen()
    guard pepper.count <= maximumPepperLength else { throw .tooLong(.pepper) }
    return try lendingPassword { password throws(KeyboardError) in
      try Verifier.check(verifier, password: password, pepper: pepper)
    }
  }

  /// Runs a long computation on what is typed. The keyboard is locked only while a copy is read, and the copy is wiped
  /// before the lock is given back: when another thread's `close` or `destroy` returns, no memory has the password.
  ///
  /// - Parameters:
  ///   - body: answers nil if a fork emptied its memory: this is then the child, whose keyboards are idle.
  ///   - undo: wipes what `body` has written, if a fork has come just then.
  func lendingPassword<Result>(
    _ body: (PasswordLender) throws(KeyboardError) -> Result?, undo: () -> Void = {}
  ) throws(KeyboardError) -> Result {
    try Residue.whole { () throws(KeyboardError) in
      let workspace = try Workspace()
      let result = try body { read throws(KeyboardError) in
        try Residue.wiped { () throws(KeyboardError) in
          try withLock { state throws(KeyboardError) in
            let length = try state.copyPassword(into: workspace.memory)
            read(UnsafeRawBufferPointer(start: workspace.memory, count: length))
            wipe(workspace.memory, byteCount: length)
          }
        }
      }
      guard let result, !workspace.wasEmptied else {
        undo()
        throw .operationDisabled(.notOpen)
      }
      return result
    }
  }
}
