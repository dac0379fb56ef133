// What a keyboard says of its passcode: whether rules refuse it, and whether another keyboard has the same.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardRules

extension KeyboardState {
  /// The rules, in memory of their own, which is there while there are rules.
  private var rules: RuleList? { header.pointee.rules.map { RuleList(at: $0) } }

  /// - Throws: `.argument`, `.tooLong`, `.memory`; the rules are then as they were.
  func addRule(_ kind: PasscodeRule, number: Int, text: UnsafeRawBufferPointer) throws(KeyboardError) {
    func check(_ text: UnsafeRawBufferPointer, scratch: UnsafeMutableRawPointer?) throws(KeyboardError) {
      try RuleList.check(kind, number: number, text: text, scratch: scratch)
      guard (self.rules?.count ?? 0) < RuleList.capacity else { throw .tooLong(.rules) }
    }
    let given = text
    func checkWithoutMemory() throws(KeyboardError) {
      try Residue.wiped(.deep) { () throws(KeyboardError) -> Void in try check(given, scratch: nil) }
    }
    let workspace = try make(
      { () throws(KeyboardError) -> Workspace in
        try Workspace(.batch, using: RuleList.longestText + RuleList.scratchByteCount)
      }, orCheck: checkWithoutMemory)
    // Another thread may change the text, so what is checked and kept is a copy. A longer one is not kept.
    var text = text
    if let start = text.baseAddress, text.count <= RuleList.longestText {
      workspace.memory.copyMemory(from: start, byteCount: text.count)
      text = UnsafeRawBufferPointer(start: workspace.memory, count: text.count)
    }
    let scratch = workspace.memory + RuleList.longestText
    try check(text, scratch: scratch)
    guard let memory = header.pointee.rules ?? SecureRegion.map(byteCount: RuleList.byteCount) else { throw .memory }
    let rules = RuleList(at: memory)
    defer {
      header.pointee.rules = memory
      if rules.count == 0 { clearRules() }
    }
    try rules.add(kind, number: number, text: text, scratch: scratch)
  }

  /// Wipes the rules: they may be birthdays and telephone numbers.
  func clearRules() {
    guard let memory = header.pointee.rules else { return }
    header.pointee.rules = nil
    wipe(memory, byteCount: RuleList.byteCount)
    SecureRegion.unmap(memory, byteCount: RuleList.byteCount)
  }

  func firstBrokenRule() throws(KeyboardError) -> Int? {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    guard let rules else { return nil }
    let workspace = try Workspace(.batch, using: maximumPasswordLength + RuleList.scratchByteCount)
    let length = try copyPassword(into: workspace.memory)
    return rules.firstBroken(
      by: UnsafeRawBufferPointer(start: workspace.memory, count: length), characterCount: characterCount,
      scratch: workspace.memory + maximumPasswordLength)
  }

  /// - Returns: the password's length.
  func copyPassword(into memory: UnsafeMutableRawPointer) throws(KeyboardError) -> Int {
    guard header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    let length = Int(header.pointee.passwordLength)
    password.unmask(count: length, into: memory)
    return length
  }

  /// - Timing: depends on the lengths, and on nothing that is typed, up to the verdict.
  func hasSamePassword(as other: KeyboardState) throws(KeyboardError) -> Bool {
    guard header.pointee.isOpen, other.header.pointee.isOpen else { throw .operationDisabled(.notOpen) }
    let length = Int(header.pointee.passwordLength)
    guard Int(other.header.pointee.passwordLength) == length else { return false }
    return password.isEqual(to: other.password, count: length)
  }
}
