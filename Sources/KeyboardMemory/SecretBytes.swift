// Keys and other secrets of a Swift program: locked memory that is wiped, never an array or a string. There is one such
// type, which apps, servers, the vault and the tool use.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardCodes

  /// A key, or another secret, in memory of its own: locked, left out of core dumps, between two guard pages, and wiped
  /// when its owner ends.
  ///
  ///     var key = try SecretBytes(capacity: 32)
  ///     try key.fill { memory in try readKey(into: memory) }
  ///     try keyboard.receive(text.span, way: .x25519, key: key.span, context: challenge.span)
  ///
  /// It cannot be copied, printed, encoded or compared with `==`. All functions that take a key take its `span`. What
  /// makes a secret answers it in one: `generateKey`, `Keyboard.deriveKey`, `Vault.read`.
  ///
  ///     ┌────────────┬────────────────────┬───────┬────────────┐
  ///     │ no access  │ bytes, zero behind │ count │ no access  │
  ///     └────────────┴────────────────────┴───────┴────────────┘
  ///
  /// In the child of a fork it is empty: `count` is 0, and functions that need a key throw `.key`. Each takes whole
  /// pages of locked memory, of which a process has 8 MB by default. Past that limit they are not locked, but all else
  /// holds.
  public struct SecretBytes: ~Copyable, @unchecked Sendable {
    // Only the owner can write, because that is `mutating`. Threads may read at the same time.
    private let memory: UnsafeMutableRawPointer

    /// The most bytes that it can hold.
    public let capacity: Int

    /// An empty one.
    ///
    /// - Parameter capacity: 1 byte or more.
    /// - Throws: `.memory`.
    public init(capacity: Int) throws(KeyboardError) {
      precondition(capacity > 0 && capacity < Int.max / 2, "SecretBytes needs a capacity of at least 1")
      let counted = Self.countOffset(capacity) + MemoryLayout<Int>.size
      guard let memory = SecureRegion.map(byteCount: counted) else { throw .memory }
      self.memory = memory
      self.capacity = capacity
    }

    /// A copy of bytes that are elsewhere. Wipe those.
    ///
    /// Its capacity is the number of the bytes, and at least 1.
    ///
    /// - Throws: `.memory`.
    public init(copying source: Span<UInt8>) throws(KeyboardError) {
      try self.init(capacity: max(source.count, 1))
      source.withUnsafeBytes { source in
        if let start = source.baseAddress { memory.copyMemory(from: start, byteCount: source.count) }
      }
      storedCount = source.count
    }

    deinit {
      let counted = Self.countOffset(capacity) + MemoryLayout<Int>.size
      wipe(memory, byteCount: counted)
      SecureRegion.unmap(memory, byteCount: counted)
    }

    /// Behind the bytes, at a multiple of 8.
    private static func countOffset(_ capacity: Int) -> Int { (capacity + 7) & ~7 }

    private var storedCount: Int {
      get { memory.load(fromByteOffset: Self.countOffset(capacity), as: Int.self) }
      nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.countOffset(capacity), as: Int.self) }
    }

    // MARK: Reading

    /// How many bytes there are. 0 in the child of a fork.
    public var count: Int { storedCount }

    /// Whether there are no bytes, as in the child of a fork.
    public var isEmpty: Bool { storedCount == 0 }

    /// The bytes, as long as this exists and does not change. Swift 6.3 lends them of a local variable or an argument;
    /// `withSpan` is for globals and for properties of classes.
    public var span: Span<UInt8> {
      @_lifetime(borrow self) get {
        let start = UnsafePointer(memory.assumingMemoryBound(to: UInt8.self))
        return _overrideLifetime(Span(_unsafeStart: start, count: storedCount), borrowing: self)
      }
    }

    /// Lends the bytes. Works for every variable.
    ///
    /// - Parameter body: gets the bytes, which do not change until it returns.
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws.
    public func withSpan<Result: ~Copyable, Failure: Error>(
      _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result { try body(span) }

    /// Where the bytes are, for a call that ends before this does. Keep this in a variable until then:
    /// with `makeSecret().bytes`, the bytes are wiped before the call begins.
    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: storedCount) }

    /// Whether these bytes are the same as others.
    ///
    /// - Timing: depends on the two lengths only.
    public func isEqual(to other: borrowing SecretBytes) -> Bool { isEqual(to: other.span) }

    /// Whether these bytes are the same as others.
    ///
    /// - Timing: depends on the two lengths only.
    public func isEqual(to other: Span<UInt8>) -> Bool {
      guard other.count == storedCount else { return false }
      return other.withUnsafeBytes { other in
        other.isEmpty || ConstantTime.isEqual(memory, other.baseAddress!, count: other.count)
      }
    }

    // MARK: Writing

    /// The bytes, to be changed in place.
    public var mutableSpan: MutableSpan<UInt8> {
      @_lifetime(&self) mutating get {
        let start = memory.assumingMemoryBound(to: UInt8.self)
        return _overrideLifetime(MutableSpan(_unsafeStart: start, count: storedCount), mutating: &self)
      }
    }

    /// Replaces all bytes. What was there is wiped before.
    ///
    /// - Parameter write: gets `capacity` zero bytes, and answers which of them it wrote. They are moved to the
    ///   beginning, and all others are wiped. If it throws, all are wiped.
    public mutating func fill<Failure: Error>(
      _ write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Range<Int>
    ) throws(Failure) {
      removeAll()
      do throws(Failure) {
        let range = try write(UnsafeMutableRawBufferPointer(start: memory, count: capacity))
        storedCount = capacity
        keep(range)
      } catch {
        wipe(memory, byteCount: capacity)
        throw error
      }
    }

    /// Adds a byte at the end.
    ///
    /// - Throws: `.tooLong` if it is full.
    public mutating func append(_ byte: UInt8) throws(KeyboardError) {
      let count = storedCount
      guard count < capacity else { throw .tooLong(.capacity) }
      memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
      storedCount = count + 1
    }

    /// Adds bytes at the end, all or none.
    ///
    /// - Throws: `.tooLong` if there is no room for them.
    public mutating func append(contentsOf source: Span<UInt8>) throws(KeyboardError) {
      let count = storedCount
      guard source.count <= capacity - count else { throw .tooLong(.capacity) }
      source.withUnsafeBytes { source in
        if let start = source.baseAddress { (memory + count).copyMemory(from: start, byteCount: source.count) }
      }
      storedCount = count + source.count
    }

    /// Adds bytes at the end, as many as `write` writes: the next part of a file, for example.
    ///
    /// - Parameter write: gets the memory that is left, all zero, and answers how many bytes it wrote at its beginning.
    ///   If it throws, that memory is wiped.
    public mutating func extend<Failure: Error>(
      _ write: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
      let count = storedCount
      let rest = UnsafeMutableRawBufferPointer(start: memory + count, count: capacity - count)
      do throws(Failure) {
        let added = try write(rest)
        storedCount = capacity
        keep(0..<count + added)
      } catch {
        wipe(memory + count, byteCount: capacity - count)
        throw error
      }
    }

    /// Moves a part to the beginning, and wipes everything else.
    public mutating func keep(_ range: Range<Int>) {
      let used = storedCount
      precondition(range.lowerBound >= 0 && range.upperBound <= used, "keep: bytes that are not there")
      memory.copyMemory(from: memory + range.lowerBound, byteCount: range.count)  // the two may overlap
      storedCount = range.count
      wipe(memory + range.count, byteCount: used - range.count)
    }

    /// Wipes everything. The memory stays for other bytes.
    public mutating func removeAll() {
      wipe(memory, byteCount: capacity)
      storedCount = 0
    }
  }
#endif
