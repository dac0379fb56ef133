// One rule that is checked once and kept nowhere.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes

extension RuleList {
  /// Bytes of memory that `one` needs, at a multiple of 8. The caller wipes it.
  package static var byteCountOfOne: Int { listSize + textSize + scratchByteCount }

  private static var listSize: Int { (headerSize + ruleHeaderSize + longestText + 7) & ~7 }
  private static var textSize: Int { longestText }

  /// Makes a list of one rule.
  ///
  /// - Parameters:
  ///   - number, text: as `add` has them. The text is copied before it is looked at, because another thread may change
  ///     it; one that is too long is only looked at.
  ///   - memory: `byteCountOfOne` bytes, all zero.
  /// - Throws: as `add`.
  package static func one(
    _ kind: PasscodeRule, number: Int, text: UnsafeRawBufferPointer, at memory: UnsafeMutableRawPointer
  ) throws(KeyboardError) -> RuleList {
    var text = text
    if let start = text.baseAddress, text.count <= longestText {
      let copy = memory + listSize
      copy.copyMemory(from: start, byteCount: text.count)
      text = UnsafeRawBufferPointer(start: copy, count: text.count)
    }
    let list = RuleList(at: memory)
    try list.add(kind, number: number, text: text, scratch: scratch(at: memory))
    return list
  }

  /// Where `firstBroken` may work on a list that `one` has made.
  package static func scratch(at memory: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer {
    memory + listSize + textSize
  }
}
