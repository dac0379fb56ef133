// A pattern and a text, both from the fuzzer: the library must call the same patterns malformed as the reference, and
// find the others where the reference finds them.
// SPDX-License-Identifier: Apache-2.0

import Harness
import KeyboardRulesSources

/// What patterns are made of. One byte is one piece.
private let pieces = [
  "a", "b", "1", "é", "😀", "\n", "_", "-", "]", "}", ",", "0", "2", "(", ")", "(?:", "(?=", "(?!", "|", "*", "+", "?",
  "*?", "+?", "??",
  "{2}", "{0,2}", "{1,}", "{2,3}?", "{0}", "{", ".", "^", "$", "[", "[^", "[a-b]", "[^a]", "\\d", "\\w", "\\s", "\\D",
  "\\W", "\\S", "\\1",
  "\\2", "\\3", "\\", "\\.", "(a)", "(b|)", "(?:a|b)*", "a*", ".*", "(.)", "{3,1}", "\\b", "(?<",
]

private let characters = ["a", "b", "1", "é", "😀", "\n", "_", "-", "]", " ", "0"]

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPattern(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let reader = Reader(start, count)
  let text = (0..<reader.number(below: 24)).map { _ in reader.one(of: characters) }.joined()
  var pattern = ""
  while !reader.isAtEnd { pattern += reader.one(of: pieces) }
  guard pattern.utf8.count <= 256 else { return 0 }

  let list = Block(RuleList.byteCount)
  let scratch = Block(RuleList.scratchByteCount)
  let bytes = Block(Array(pattern.utf8))
  // One byte too many, if a fault is planted.
  let excess = Plant.overrun && !pattern.isEmpty ? 1 : 0
  let given = UnsafeRawBufferPointer(start: bytes.start, count: bytes.count + excess)
  let reference = PatternReference(pattern)
  let isFaulty = (try? Pattern.fault(in: given, scratch: scratch.start)) != .some(nil)
  expect(isFaulty == (reference == nil), "\(pattern.debugDescription): malformed \(isFaulty)")
  guard let reference, !pattern.isEmpty else { return 0 }

  let rules = RuleList(at: list.start)
  try! rules.add(.match, text: given, scratch: scratch.start)
  try! rules.add(.notMatch, text: given, scratch: scratch.start)
  let passcode = Block(Array(text.utf8))
  let broken = rules.firstBroken(
    by: UnsafeRawBufferPointer(start: passcode.start, count: passcode.count), characterCount: 0,
    scratch: scratch.start)
  guard var isFound = reference.isFound(in: text), broken != nil else { return 0 }
  if Plant.answer && pattern.contains("(?=") { isFound.toggle() }
  // A search that is exhausted breaks the first rule too, and the reference is exhausted much earlier.
  expect((broken == 1) == isFound, "\(pattern.debugDescription) in \(text.debugDescription): found \(isFound)")
  return 0
}

/// Memory of exactly this size, so that the sanitizer sees a byte too many.
private final class Block {
  let start: UnsafeMutableRawPointer
  let count: Int

  init(_ count: Int) {
    self.count = count
    start = .allocate(byteCount: count, alignment: 8)
    start.initializeMemory(as: UInt8.self, repeating: 0, count: count)
  }

  convenience init(_ bytes: [UInt8]) {
    self.init(bytes.count)
    for (index, byte) in bytes.enumerated() { start.storeBytes(of: byte, toByteOffset: index, as: UInt8.self) }
  }

  deinit { start.deallocate() }
}
