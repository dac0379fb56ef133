// Calls on recovery words, with a vault and without one.
// SPDX-License-Identifier: Apache-2.0

package import CCustomKeyboard
package import KeyboardCodes
import KeyboardMemory

/// Recovery words without a vault.
package enum WordCalls {
  package static var seedSize: Int { WordSeed.size }
  /// Room for any words, with their NUL.
  package static var textCapacity: Int { RecoveryWords.maximumTextSize }

  /// Runs a call. It needs no vault, but fails in a forked child as all other calls do: there is one rule for the whole
  /// library.
  private static func whole<Result>(_ body: () throws(KeyboardError) -> Result) throws(KeyboardError) -> Result {
    try VaultHandle.whole { () throws(KeyboardError) in
      guard !ForkMark.isInChild else { throw .operationDisabled(.forked) }
      return try body()
    }
  }

  /// Draws words.
  ///
  /// - Returns: how many bytes their text has; a NUL follows.
  /// - Throws: `.argument` for a count that is not 12, 15, 18, 21 or 24; `.spaceTooSmall` with the room that any words
  ///   of this count need; `.memory`, `.random`.
  package static func generate(
    _ count: Int, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    try whole { () throws(KeyboardError) in
      guard RecoveryWords.isPossible(count) else { throw .argument(.wordCount) }
      guard space.count >= 9 * count else { throw .spaceTooSmall(needed: 9 * count) }
      return try RecoveryWords.used { words throws(KeyboardError) in
        let size = RecoveryWords.entropySize(words: count)
        try SystemRandomness().fill(UnsafeMutableRawBufferPointer(start: words.entropy, count: size))
        try words.encode(byteCount: size)
        return try words.copyText(to: space)
      }
    }
  }

  /// - Parameter space: nil if only the verdict is wanted.
  /// - Returns: how many bytes the text has as it should be; a NUL follows.
  /// - Throws: `.argument` if it is not UTF-8; `.refused`; `.spaceTooSmall`, `.memory`.
  package static func check(
    _ text: UnsafePointer<CChar>, into space: UnsafeMutableRawBufferPointer?
  ) throws(KeyboardError) -> Int {
    try whole { () throws(KeyboardError) in
      try RecoveryWords.used { words throws(KeyboardError) in
        try words.decode(text)
        guard let space else { return words.textSize }
        return try words.copyText(to: space)
      }
    }
  }

  /// - Parameters:
  ///   - passphrase: printable ASCII, ended by a NUL. It is read once.
  ///   - seed: gets `seedSize` bytes.
  /// - Throws: `.argument` for another passphrase; `.refused`; `.memory`.
  package static func makeSeed(
    _ text: UnsafePointer<CChar>, passphrase: UnsafePointer<CChar>?, into seed: UnsafeMutableRawPointer
  ) throws(KeyboardError) {
    try whole { () throws(KeyboardError) in
      try RecoveryWords.used { words throws(KeyboardError) in
        let computation = try words.makeSeed(of: text, passphrase: passphrase)
        try words.checkIsThere()
        seed.copyMemory(from: computation.seed, byteCount: seedSize)
      }
    }
  }
}

extension RecoveryWords {
  /// Runs what needs words, for a call that does not hold signals back: a handler may fork in the middle, and its child
  /// goes on from there.
  ///
  /// - Throws: `.operationDisabled` in that child, where no verdict means anything; what `body` throws.
  fileprivate static func used<Result>(
    _ body: (inout RecoveryWords) throws(KeyboardError) -> Result
  ) throws(KeyboardError) -> Result {
    var words = try RecoveryWords()
    let result: Result
    do throws(KeyboardError) {
      result = try body(&words)
    } catch {
      try words.checkIsThere()
      throw error
    }
    try words.checkIsThere()
    return result
  }

  /// - Throws: `.operationDisabled` if a fork has emptied the words: zeros are 24 words, too, and have a seed.
  fileprivate func checkIsThere() throws(KeyboardError) {
    guard !wasEmptied else { throw .operationDisabled(.forked) }
  }

  /// - Throws: `.argument` for the passphrase or words that are not UTF-8; `.refused`.
  fileprivate mutating func makeSeed(
    of text: UnsafePointer<CChar>, passphrase: UnsafePointer<CChar>?
  ) throws(KeyboardError) -> WordSeed {
    var refusal: KeyboardError?
    do throws(KeyboardError) { try decode(text) } catch { refusal = error }
    let key = UnsafeRawBufferPointer(start: self.text, count: textSize)
    var isPrintable = true
    var computation = try Residue.wiped { () throws(KeyboardError) in
      let computation = WordSeed(of: key, at: scratch)
      var next = passphrase
      while let byte = next?.pointee, byte != 0 {
        isPrintable = isPrintable && 0x20...0x7e ~= UInt8(bitPattern: byte)
        computation.absorb(UInt8(bitPattern: byte))
        next = next.map { $0 + 1 }
      }
      return computation
    }
    guard isPrintable else { throw .argument(.passphrase) }
    if let refusal { throw refusal }
    try Residue.wiped(.ownStack) { () throws(KeyboardError) in computation.finish() }
    return computation
  }

  /// Reads a string of the caller's, once.
  mutating func decode(_ text: UnsafePointer<CChar>) throws(KeyboardError) {
    var next = text
    try decode {
      let byte = UInt8(bitPattern: next.pointee)
      next += 1
      return byte == 0 ? nil : byte
    }
  }

  /// - Returns: how many bytes the text has without its NUL.
  /// - Throws: `.spaceTooSmall`, counting the NUL; `.operationDisabled` as `checkIsThere`.
  func copyText(to space: UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int {
    guard space.count > textSize else { throw .spaceTooSmall(needed: textSize + 1) }
    try checkIsThere()
    space.baseAddress!.copyMemory(from: text, byteCount: textSize + 1)
    return textSize
  }

  /// Reads what is typed. It comes from the keyboard sealed, and is opened in locked memory of the vault's.
  ///
  /// - Throws: `.argument`, `.operationDisabled`, `.refused`; `.memory`, `.random`.
  mutating func decode(_ typed: TypedText) throws(KeyboardError) {
    let clear = (scratch + 256).assumingMemoryBound(to: UInt8.self)
    let size = try typed.read(into: clear, scratch: scratch)
    var next = 0
    try decode {
      guard next < size else { return nil }
      next += 1
      return clear[next - 1]
    }
  }
}

// MARK: - Words in a vault

/// What a vault keeps of words: 33 bytes, however many words they are.
///
///     ├ bytes of entropy (1) ┼ entropy, then zeros (32) ┤
extension OpenVault {
  private var wordsSize: Int { 1 + RecoveryWords.maximumEntropySize }

  /// The words are gone before the file is waited for; their entropy waits in locked memory.
  ///
  /// - Throws: `.exists`.
  func keep(_ words: consuming RecoveryWords, as name: UnsafeRawBufferPointer) throws(KeyboardError) {
    let size = RecoveryWords.entropySize(words: words.count)
    data.initializeMemory(as: UInt8.self, repeating: 0, count: wordsSize)
    data.storeBytes(of: UInt8(size), as: UInt8.self)
    (data + 1).copyMemory(from: words.entropy, byteCount: size)
    _ = consume words
    try add(to: .words, none, name, label: none, kind: none, dataSize: wordsSize)
  }

  /// - Throws: `.notFound`.
  func read(_ words: inout RecoveryWords, of name: UnsafeRawBufferPointer) throws(KeyboardError) {
    let count = try read(from: .words, none, name)
    let size = Int(data.load(as: UInt8.self))
    guard count == wordsSize, size % 4 == 0, 16...RecoveryWords.maximumEntropySize ~= size else { throw .damaged }
    words.entropy.update(from: (data + 1).assumingMemoryBound(to: UInt8.self), count: size)
    try words.encode(byteCount: size)
  }
}

extension VaultHandle {
  /// - Throws: `.argument`, `.refused`, `.exists`.
  package func keepWords(_ name: UnsafePointer<CChar>, _ text: UnsafePointer<CChar>) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      var words = try RecoveryWords()
      try words.decode(text)
      try vault.keep(words, as: name)
    }
  }

  package func keepTypedWords(_ name: UnsafePointer<CChar>, _ keyboard: CUSTOM_KEYBOARD) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      let typed = TypedText(keyboard: keyboard)
      try typed.checkIsOpen()
      var words = try RecoveryWords()
      try words.decode(typed)
      try vault.keep(words, as: name)
    }
  }

  /// - Returns: how many bytes the text has; a NUL follows.
  /// - Throws: `.notFound`, `.spaceTooSmall`.
  package func readWords(
    _ name: UnsafePointer<CChar>, into space: UnsafeMutableRawBufferPointer
  ) throws(KeyboardError) -> Int {
    try using { vault throws(KeyboardError) in
      let name = try vault.copyName(name)
      var words = try RecoveryWords()
      try vault.read(&words, of: name)
      return try words.copyText(to: space)
    }
  }

  package func deleteWords(_ name: UnsafePointer<CChar>) throws(KeyboardError) {
    try using { vault throws(KeyboardError) in
      try vault.delete(from: .words, vault.none, try vault.copyName(name))
    }
  }

  package func listWords() throws(KeyboardError) -> VaultList {
    // What cannot be copied cannot be a closure's result.
    var list: VaultList?
    try using { vault throws(KeyboardError) in list = try vault.list(.words, service: nil) }
    return list.take()!
  }
}
