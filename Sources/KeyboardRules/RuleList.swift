// The rules of one keyboard, in memory that the caller gives: they are personal data, birthdays and telephone numbers.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes
import KeyboardText

/// Up to 16 rules, in the order of adding: a view of `byteCount` bytes. If all are zero, there is no rule. The owner of
/// the memory wipes it.
///
///     ├─ count (1) ─┼─ unused (1) ─┼─ end (2) ─┼─ rule ─┼─ rule ─┼─ … ─┤ end
///
///     a rule:  ├─ kind (1) ─┼─ number (1) ─┼─ text's length (2) ─┼─ text ─┤
///
/// A date is kept as yyyymmdd, a telephone number as its digits.
package struct RuleList {
  /// The most rules.
  package static var capacity: Int { 16 }
  /// The longest text of a rule, in bytes.
  package static var longestText: Int { 256 }
  /// Bytes of memory.
  package static var byteCount: Int { headerSize + capacity * (ruleHeaderSize + longestText) }
  /// Bytes of memory that `add` and `firstBroken` need for the time of a call, at a multiple of 8. The caller wipes it.
  package static var scratchByteCount: Int { Scalars.byteCount + PatternMemory.byteCount }

  static var headerSize: Int { 4 }
  static var ruleHeaderSize: Int { 4 }

  private let memory: UnsafeMutableRawPointer

  package init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  /// How many rules there are.
  package var count: Int { Int(memory.load(as: UInt8.self)) }

  private var end: Int {
    let end = Int(memory.load(fromByteOffset: 2, as: UInt16.self))
    return end == 0 ? Self.headerSize : end
  }

  /// A rule as it is stored.
  struct Rule {
    let kind: PasscodeRule
    let number: Int
    let text: UnsafeRawBufferPointer
  }

  /// Adds a rule at the end.
  ///
  /// - Parameters:
  ///   - number: of the rules that have one; 0 for the others.
  ///   - text: of the rules that have one, UTF-8 of at most 256 bytes; empty for the others.
  ///   - scratch: `scratchByteCount` bytes.
  /// - Throws: `.argument`: a number out of range, a number or text that the rule does not have, a text that is
  ///   missing, not UTF-8, no date, no pattern, or has fewer digits than `number`. Then `.tooLong`: a text over 256
  ///   bytes, or more than 16 rules. The list is then as it was.
  package func add(
    _ kind: PasscodeRule, number: Int = 0, text: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0),
    scratch: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    try Self.check(kind, number: number, text: text, scratch: scratch)
    guard count < Self.capacity else { throw .tooLong(.rules) }
    store(kind, number, text)
  }

  /// Checks a new rule. `Int.max` bytes of text are not read: no memory has so many.
  ///
  /// - Parameter scratch: nil if there is no memory: a pattern is then looked at on the stack, as deep as `.deep` goes.
  /// - Throws: `.argument`, then `.tooLong` for the text, as `add`.
  package static func check(
    _ kind: PasscodeRule, number: Int, text: UnsafeRawBufferPointer, scratch: UnsafeMutableRawPointer?
  ) throws(KeyboardError) {
    guard kind.numbers ~= number else { throw .argument(.ruleNumber) }
    guard kind.hasText != text.isEmpty else { throw .argument(.ruleText) }
    guard text.count != .max else { throw .tooLong(.ruleText) }
    guard UTF8Text.scalarCount(text) != nil else { throw .argument(.ruleText) }
    switch kind {
    case .date:
      guard PersonalData.isDate(text) else { throw .argument(.ruleText) }
    case .phone:
      guard PersonalData.digitCount(text) >= number else { throw .argument(.ruleText) }
    case .match, .notMatch:
      let fault =
        if let scratch { try Pattern.fault(in: text, scratch: scratch) } else { try Pattern.fault(in: text) }
      guard fault == nil else { throw .argument(.pattern) }
    default: break
    }
    guard text.count <= longestText else { throw .tooLong(.ruleText) }
  }

  private func store(_ kind: PasscodeRule, _ number: Int, _ text: UnsafeRawBufferPointer) {
    let isDigitsOnly = kind == .date || kind == .phone
    let rule = memory + end
    var length = 0
    for byte in text where !isDigitsOnly || isDigit(UInt32(byte)) {
      rule.storeBytes(of: byte, toByteOffset: Self.ruleHeaderSize + length, as: UInt8.self)
      length += 1
    }
    rule.storeBytes(of: kind.rawValue, as: UInt8.self)
    rule.storeBytes(of: UInt8(number), toByteOffset: 1, as: UInt8.self)
    rule.storeBytes(of: UInt16(length), toByteOffset: 2, as: UInt16.self)
    memory.storeBytes(of: UInt16(end + Self.ruleHeaderSize + length), toByteOffset: 2, as: UInt16.self)
    memory.storeBytes(of: UInt8(count + 1), as: UInt8.self)
  }

  /// Finds the first rule, in the order of adding, that refuses the passcode.
  ///
  /// - Parameters:
  ///   - passcode: UTF-8 of at most 128 bytes, in locked memory.
  ///   - characterCount: how many characters the keyboard counts in it.
  ///   - scratch: `scratchByteCount` bytes of locked memory.
  /// - Returns: its index, or nil if no rule refuses.
  /// - Timing: depends on the passcode, and on the rules.
  package func firstBroken(
    by passcode: UnsafeRawBufferPointer, characterCount: Int, scratch: UnsafeMutableRawPointer
  ) -> Int? {
    let check = RuleCheck(passcode, characterCount: characterCount, scratch: scratch)
    var offset = Self.headerSize
    for index in 0..<count {
      let header = memory + offset
      guard let kind = PasscodeRule(rawValue: header.load(as: UInt8.self)) else { break }
      let length = Int(header.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      let text = UnsafeRawBufferPointer(start: header + Self.ruleHeaderSize, count: length)
      offset += Self.ruleHeaderSize + length
      let rule = Rule(kind: kind, number: Int(header.load(fromByteOffset: 1, as: UInt8.self)), text: text)
      if check.refuses(rule) { return index }
    }
    return nil
  }
}
