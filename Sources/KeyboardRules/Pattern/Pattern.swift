// The two things that are done with a pattern: it is looked at, and it is looked for.
// SPDX-License-Identifier: Apache-2.0

package import KeyboardCodes

/// Patterns of the rules `match` and `notMatch`: UTF-8 of at most 256 bytes.
package enum Pattern {
  /// Finds out what is wrong with a pattern.
  ///
  /// - Parameter scratch: `RuleList.scratchByteCount` bytes.
  /// - Returns: the offset in bytes of the first part that is not well-formed, or nil if there is none.
  /// - Throws: `.tooLong`: over 256 bytes.
  /// - C: `CustomKeyboard_checkPattern`.
  package static func fault(
    in pattern: UnsafeRawBufferPointer, scratch: UnsafeMutableRawPointer
  ) throws(KeyboardError) -> Int? {
    guard pattern.count <= PatternMemory.longestPattern else { throw .tooLong(.ruleText) }
    do throws(PatternFault) {
      _ = try PatternParser.parse(pattern, into: PatternMemory(at: scratch))
      return nil
    } catch {
      return error.position
    }
  }

  /// The same on the stack, for a call that has no memory.
  @inline(never)
  package static func fault(in pattern: UnsafeRawBufferPointer) throws(KeyboardError) -> Int? {
    var words = InlineArray<896, UInt64>(repeating: 0)
    return try withUnsafeMutableBytes(of: &words) { memory throws(KeyboardError) in
      precondition(memory.count >= PatternParser.byteCount)
      return try fault(in: pattern, scratch: memory.baseAddress!)
    }
  }

  /// Looks for a pattern anywhere in the text.
  ///
  /// - Parameter pattern: well-formed; if not, the search is exhausted at once.
  static func search(_ pattern: UnsafeRawBufferPointer, in text: Scalars, memory: PatternMemory) -> PatternResult {
    do throws(PatternFault) {
      let referencedGroups = try PatternParser.parse(pattern, into: memory)
      return PatternMatcher.search(text, memory, referencedGroups: referencedGroups)
    } catch {
      return .exhausted
    }
  }
}
