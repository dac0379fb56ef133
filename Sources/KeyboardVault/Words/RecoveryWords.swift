// Recovery words: entropy that a person can write down and type again. A checksum notices mistakes.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardMemory
import KeyboardSHA2

/// Words and what they mean, in locked memory that is wiped when this ends.
///
///     ├ words (24 × 8) ┼ places (24 × 8) ┼ entropy ┼ digest ┼ text ┼ SHA-256 ┼ scratch ┤
///
/// - Timing: depends on how many words there are and how long they are, and on other characters.
/// - Source: BIP-39.
struct RecoveryWords: ~Copyable {
  private let workspace: LargeWorkspace
  private(set) var count = 0
  private(set) var textSize = 0

  /// Bytes of the longest text, with its NUL.
  static var maximumTextSize: Int { 9 * WordReader.maximumCount }
  static var maximumEntropySize: Int { 32 }
  /// Bytes for what reads a keyboard, and for what makes a seed.
  static var scratchSize: Int { 1536 }

  init() throws(KeyboardError) {
    workspace = try LargeWorkspace(byteCount: 192 + 192 + 64 + 32 + 224 + SHA256.byteCount + Self.scratchSize)
  }

  /// Whether a fork has emptied the words since they were made: what was computed from them means nothing.
  var wasEmptied: Bool { workspace.wasEmptied }
  private var memory: UnsafeMutableRawPointer { workspace.memory }
  private var words: UnsafeMutablePointer<UInt64> { memory.assumingMemoryBound(to: UInt64.self) }
  private var places: UnsafeMutablePointer<UInt64> { (memory + 192).assumingMemoryBound(to: UInt64.self) }
  var entropy: UnsafeMutablePointer<UInt8> { (memory + 384).assumingMemoryBound(to: UInt8.self) }
  private var digest: UnsafeMutablePointer<UInt8> { (memory + 448).assumingMemoryBound(to: UInt8.self) }
  var text: UnsafeMutablePointer<UInt8> { (memory + 480).assumingMemoryBound(to: UInt8.self) }
  private var hashScratch: UnsafeMutableRawPointer { memory + 704 }
  var scratch: UnsafeMutableRawPointer { hashScratch + SHA256.byteCount }

  // MARK: Counts

  static func isPossible(_ count: Int) -> Bool { count % 3 == 0 && 12...24 ~= count }
  /// Bytes of entropy in so many words of 11 bits each. The bits that are left are a checksum.
  static func entropySize(words count: Int) -> Int { count / 3 * 4 }
  static func count(entropySize: Int) -> Int { entropySize / 4 * 3 }

  // MARK: Making

  /// Makes the words of the first `byteCount` bytes in `entropy`, and their text with its NUL.
  mutating func encode(byteCount: Int) throws(KeyboardError) {
    count = Self.count(entropySize: byteCount)
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in
      hash(byteCount)
      entropy[byteCount] = digest[0]
      for i in 0..<count {
        places[i] = place(i)
        words[i] = 0
      }
      WordList.forEach { index, word in
        for i in 0..<count { words[i] |= word & maskOfEquality(index, places[i]) }
      }
      textSize = writeText()
    }
  }

  /// The 11 bits of a word.
  private func place(_ index: Int) -> UInt64 {
    let (start, shift) = ((11 * index) >> 3, (11 * index) & 7)
    let bits = UInt32(entropy[start]) << 16 | UInt32(entropy[start + 1]) << 8 | UInt32(entropy[start + 2])
    return UInt64(bits >> UInt32(13 - shift) & 0x7ff)
  }

  private func hash(_ byteCount: Int) {
    let sha256 = SHA256(at: hashScratch)
    sha256.absorb(entropy, count: byteCount)
    sha256.finish(into: digest)
  }

  private func writeText() -> Int {
    var size = 0
    for i in 0..<count {
      var word = words[i]
      while word != 0 {
        text[size] = UInt8(truncatingIfNeeded: word)
        word >>= 8
        size += 1
      }
      text[size] = i + 1 < count ? 0x20 : 0
      size += 1
    }
    return size - 1
  }

  // MARK: Checking

  /// Reads a text: its words, their entropy and their text as it should be.
  ///
  /// - Parameter next: the text's next byte; nil at its end.
  /// - Throws: `.argument` if it is not UTF-8; `.refused` if a word is not on the list, or their number or checksum
  ///   is wrong.
  mutating func decode(_ next: () -> UInt8?) throws(KeyboardError) {
    var reader = WordReader(words: words)
    var isText = false
    // Not on a stack of its own, because the text is the caller's.
    try Residue.wiped { () throws(KeyboardError) in
      while let byte = next() { reader.read(byte) }
      isText = reader.end()
    }
    guard isText else { throw .argument(.notUTF8) }
    guard !reader.hasTooMany, Self.isPossible(reader.count) else { throw .refused(.wordCount) }
    guard reader.isPossible else { throw .refused(.unknownWord) }
    count = reader.count
    var (areOnList, isRight) = (false, false)
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in
      areOnList = findPlaces()
      isRight = areOnList && hasChecksum()
      if isRight { textSize = writeText() }
    }
    guard areOnList else { throw .refused(.unknownWord) }
    guard isRight else { throw .refused(.wordChecksum) }
  }

  private func findPlaces() -> Bool {
    for i in 0..<count { places[i] = .max }
    WordList.forEach { index, word in
      for i in 0..<count {
        let mask = maskOfEquality(word, words[i])
        places[i] = places[i] & ~mask | index & mask
      }
    }
    var all: UInt64 = 0
    for i in 0..<count { all |= places[i] }
    return all < WordList.count
  }

  /// Packs the places into `entropy`, and looks at what remains.
  private func hasChecksum() -> Bool {
    var (bits, held, size): (UInt64, UInt64, Int) = (0, 0, 0)
    for i in 0..<count {
      bits = bits << 11 | places[i]
      held += 11
      while held >= 8 {
        held -= 8
        entropy[size] = UInt8(truncatingIfNeeded: bits >> held)
        size += 1
      }
    }
    let byteCount = Self.entropySize(words: count)
    let checksumBits = UInt64(count / 3)
    // With 24 words the checksum is a whole byte, which is behind the entropy already.
    let checksum = held == 0 ? UInt64(entropy[byteCount]) : bits & (1 << held - 1)
    hash(byteCount)
    return UInt64(digest[0]) >> (8 - checksumBits) == checksum
  }
}
