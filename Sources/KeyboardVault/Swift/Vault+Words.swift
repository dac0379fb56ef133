// Recovery words (BIP-39, English), for Swift: kept in a vault, or used without one.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import CustomKeyboard

  extension Vault {
    /// Recovery words without a vault: 12, 15, 18, 21 or 24 words of BIP-39's English list, which are 16, 20, 24, 28 or
    /// 32 bytes of entropy and a checksum. They are read in either case, with any of Unicode's white space between, and
    /// made in small letters with one space between two.
    public enum Words {
      /// Draws new words.
      ///
      /// - Parameter count: 12, 15, 18, 21 or 24.
      /// - Throws: `.argument` for another count; `.memory`, `.random`.
      /// - Timing: does not depend on which words are drawn, apart from their lengths.
      /// - C: `CustomVault_generateWords`.
      public static func generate(count: Int = 12) throws(KeyboardError) -> SecretBytes {
        try text { space throws(KeyboardError) in try WordCalls.generate(count, into: space) }
      }

      /// Checks words.
      ///
      /// - Parameter words: UTF-8.
      /// - Returns: the words as they should be written.
      /// - Throws: `.argument` if they are not UTF-8, or have a NUL inside; `.refused` for words that are not on the
      ///   list, another number of them, or a wrong checksum: a word was mistaken, or words changed places; `.memory`.
      /// - Timing: depends on how many words there are and how long they are, and on other characters.
      /// - C: `CustomVault_checkWords`.
      @discardableResult
      public static func check(_ words: Span<UInt8>) throws(KeyboardError) -> SecretBytes {
        let words = try SecretBytes.cText(words)
        return try text { space throws(KeyboardError) in try WordCalls.check(words.cString, into: space) }
      }

      /// Makes the 64 bytes that wallets derive their keys from.
      ///
      /// - Parameters:
      ///   - words: as for `check`.
      ///   - passphrase: printable ASCII; nothing for none.
      /// - Throws: `.argument` for another passphrase, and what `check` throws.
      /// - Timing: about 10 ms; depends on the lengths of both.
      /// - C: `CustomVault_wordsSeed`.
      public static func makeSeed(
        of words: Span<UInt8>, passphrase: Span<UInt8> = Span()
      ) throws(KeyboardError) -> SecretBytes {
        try makeSeed(of: SecretBytes.cText(words), passphrase: SecretBytes.cText(passphrase))
      }

      /// As the other `makeSeed`, without holding up the caller's executor.
      public nonisolated(nonsending) static func makeSeed(
        of words: Span<UInt8>, passphrase: Span<UInt8> = Span()
      ) async throws(KeyboardError) -> SecretBytes {
        let words = try SecretBytes.cText(words)
        let passphrase = try SecretBytes.cText(passphrase)
        return try await Vault.working(on: Vault.makeQueue()) { () throws(KeyboardError) in
          try makeSeed(of: words, passphrase: passphrase)
        }
      }

      private static func makeSeed(
        of words: borrowing SecretBytes, passphrase: borrowing SecretBytes
      ) throws(KeyboardError) -> SecretBytes {
        var seed = try SecretBytes(capacity: WordCalls.seedSize)
        let (words, passphrase) = (words.cString, passphrase.cString)
        try seed.fill { space throws(KeyboardError) in
          try WordCalls.makeSeed(words, passphrase: passphrase, into: space.baseAddress!)
          return space.indices
        }
        return seed
      }

      /// - Parameter body: gets room for any words and their NUL, and returns how many bytes they have without it.
      fileprivate static func text(
        _ body: (UnsafeMutableRawBufferPointer) throws(KeyboardError) -> Int
      ) throws(KeyboardError) -> SecretBytes {
        var text = try SecretBytes(capacity: WordCalls.textCapacity)
        try text.fill { space throws(KeyboardError) in 0..<(try body(space)) }
        return text
      }
    }

    // MARK: In a vault

    /// Checks words, and keeps them.
    ///
    /// - Parameters:
    ///   - name: 1 … 255 bytes.
    ///   - words: as for `Words.check`.
    /// - Throws: `.argument` for the name or words that are not UTF-8; `.refused` as `Words.check`; `.exists`;
    ///   `.mismatch` if another process has changed the key; `.damaged`, `.storage`, `.busy`, `.memory`, `.random`.
    /// - Timing: as `Words.check`.
    /// - C: `CustomVault_keepWords`.
    public func keepWords(_ name: String, words: Span<UInt8>) throws(KeyboardError) {
      try keepWords(name, SecretBytes.cText(words))
    }

    private func keepWords(_ name: String, _ words: borrowing SecretBytes) throws(KeyboardError) {
      let words = words.cString
      try name.withName { name throws(KeyboardError) in try handle.keepWords(name, words) }
    }

    /// Checks the words that are typed on a keyboard, and keeps them: they are in locked memory only. The 128 bytes of
    /// a keyboard hold any 12 words, but not any 15.
    ///
    /// - Parameter keyboard: open.
    /// - Throws: `.operationDisabled` while the keyboard is not open, and what the other `keepWords` throws.
    /// - Timing: as `Words.check`.
    /// - C: `CustomVault_keepTypedWords`.
    public func keepWords(_ name: String, typedOn keyboard: Keyboard) throws(KeyboardError) {
      try withExtendedLifetime(keyboard) { () throws(KeyboardError) in
        try name.withName { name throws(KeyboardError) in try handle.keepTypedWords(name, keyboard.handle) }
      }
    }

    /// Reads words that are kept.
    ///
    /// - Returns: the words, in small letters with one space between two, in locked memory.
    /// - Throws: `.argument` for the name; `.notFound`; else as `read`.
    /// - Timing: depends on how many words there are and how long they are.
    /// - C: `CustomVault_readWords`.
    public func readWords(_ name: String) throws(KeyboardError) -> SecretBytes {
      try Words.text { space throws(KeyboardError) in
        try name.withName { name throws(KeyboardError) in try handle.readWords(name, into: space) }
      }
    }

    /// Deletes words.
    ///
    /// - Throws: `.argument`, `.notFound`, and as `delete`.
    /// - C: `CustomVault_deleteWords`.
    public func deleteWords(_ name: String) throws(KeyboardError) {
      try name.withName { name throws(KeyboardError) in try handle.deleteWords(name) }
    }

    /// Every name that words have, in the order of their bytes.
    ///
    /// - Throws: as `items`.
    /// - C: `CustomVault_listWords`.
    public func wordNames() throws(KeyboardError) -> [String] { try handle.wordNames() }

    // MARK: With await

    /// As the other `keepWords`, without holding up the caller's executor.
    public nonisolated(nonsending) func keepWords(_ name: String, words: Span<UInt8>) async throws(KeyboardError) {
      let words = try SecretBytes.cText(words)
      try await working { vault throws(KeyboardError) in try vault.keepWords(name, words) }
    }

    /// As the other `keepWords`, without holding up the caller's executor.
    public nonisolated(nonsending) func keepWords(
      _ name: String, typedOn keyboard: Keyboard
    ) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.keepWords(name, typedOn: keyboard) }
    }

    /// As the other `readWords`, without holding up the caller's executor.
    public nonisolated(nonsending) func readWords(_ name: String) async throws(KeyboardError) -> SecretBytes {
      try await working { vault throws(KeyboardError) in try vault.readWords(name) }
    }

    /// As the other `deleteWords`, without holding up the caller's executor.
    public nonisolated(nonsending) func deleteWords(_ name: String) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.deleteWords(name) }
    }

    /// As the other `wordNames`, without holding up the caller's executor.
    public nonisolated(nonsending) func wordNames() async throws(KeyboardError) -> [String] {
      try await working { vault throws(KeyboardError) in try vault.wordNames() }
    }
  }

  extension SecretBytes {
    /// A copy of a text as C has it, with a NUL behind it that is not counted.
    ///
    /// - Throws: `.argument` for a text with a NUL inside, of which C would read a part only; `.memory`.
    fileprivate static func cText(_ text: Span<UInt8>) throws(KeyboardError) -> SecretBytes {
      guard !text.withUnsafeBytes({ $0.contains(0) }) else { throw .argument(.nul) }
      var copy = try SecretBytes(capacity: text.count + 1)
      try copy.append(contentsOf: text)
      return copy
    }

    /// The C string in a text that was made by `cText`.
    fileprivate var cString: UnsafePointer<CChar> { bytes.baseAddress!.assumingMemoryBound(to: CChar.self) }
  }
#endif
