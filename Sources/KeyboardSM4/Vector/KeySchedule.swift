// One key, in 128-bit registers. Each word is in all four lanes of a register: a rotation stays within its lane, and
// AES's instruction, which moves bytes from lane to lane, changes nothing.
//
// SPDX-License-Identifier: Apache-2.0

/// A1's constant, in every byte of a word.
@inline(always) public var basisConstant: UInt32 { 0x6565_6565 }

/// The key schedule's rounds. (GB/T 32907-2016 §7.3)
public struct KeyRounds<Instructions: InstructionSet> where Instructions.Word == Word4 {
  /// The four words as A1·K ^ 0x65.
  public var k0, k1, k2, k3: Word4
  /// What the next round applies T' to: the sum of three words and a constant.
  public var x: Word4
  /// The constants CK of the current four rounds, as bytes.
  public var constants: Word4
  /// A1 of the sum of each and the next.
  public var enteredSums: Word4

  @inline(always) public init(_ key: UnsafeRawPointer) {
    let parameter = Word4(byteSwapping: Standard.systemParameter)
    let words = Instructions.entered(Word4(loadingFrom: key) ^ parameter) ^ Word4(repeating: basisConstant)
    k0 = words.repeated(0)
    k1 = words.repeated(1)
    k2 = words.repeated(2)
    k3 = words.repeated(3)
    constants = Word4(byteSwapping: Standard.firstKeyConstants)
    x = Instructions.sum(k1, k2, k3) ^ Instructions.entered(constants).repeated(0)
    enteredSums = Self.enteredSums(constants)
  }

  /// Round `number` of four. Returns the round key as A1·rk ^ 0x65.
  @inline(always) public mutating func next(_ number: Int) -> Word4 {
    switch number {
    case 0: return Self.next(&k0, k1, enteredSums.repeated(0), &x)
    case 1: return Self.next(&k1, k2, enteredSums.repeated(1), &x)
    case 2: return Self.next(&k2, k3, enteredSums.repeated(2), &x)
    default:
      let last = enteredSums.repeated(3)
      constants = constants.addingBytes(4 * Standard.keyConstantStep)
      enteredSums = Self.enteredSums(constants)
      return Self.next(&k3, k0, last, &x)
    }
  }

  @inline(always) public static func next(
    _ k: inout Word4, _ b: Word4, _ constants: Word4, _ x: inout Word4
  ) -> Word4 {
    _ = LaneKeys<Instructions>.roundAlone(&k, b, constants, &x)
    return k
  }

  @inline(always) public static func enteredSums(_ constants: Word4) -> Word4 {
    Instructions.entered(constants ^ constants.addingBytes(Standard.keyConstantStep))
  }
}

extension Word4 {
  /// Four words of the standard's, as they lie in memory: most significant byte first.
  @inline(always) public init(byteSwapping words: (UInt32, UInt32, UInt32, UInt32)) {
    self.init(words.0.byteSwapped, words.1.byteSwapped, words.2.byteSwapped, words.3.byteSwapped)
  }

  /// One of the four words in all lanes.
  @inline(always) public func repeated(_ lane: Int) -> Word4 {
    switch lane {
    case 0: Self.shuffle(self, self, SIMD4(0, 0, 0, 0))
    case 1: Self.shuffle(self, self, SIMD4(1, 1, 1, 1))
    case 2: Self.shuffle(self, self, SIMD4(2, 2, 2, 2))
    default: Self.shuffle(self, self, SIMD4(3, 3, 3, 3))
    }
  }

  @inline(always) public func addingBytes(_ count: UInt8) -> Word4 {
    unsafeBitCast(
      unsafeBitCast(self, to: SIMD16<UInt8>.self) &+ SIMD16<UInt8>(repeating: count), to: Word4.self)
  }
}

/// The words e of a schedule, one after the other, from the round keys.
public struct EquivalentKeys<Instructions: InstructionSet> where Instructions.Word == Word4 {
  public var rounds: KeyRounds<Instructions>
  /// κ of four rounds in sequence: the first is κ[i-1] when round key i comes, and becomes κ[i+3].
  public var kappa0, kappa1, kappa2, kappa3: Word4

  @inline(always) public init(_ key: UnsafeRawPointer) {
    rounds = KeyRounds(key)
    kappa0 = Word4(repeating: 0)
    (kappa1, kappa2, kappa3) = (kappa0, kappa0, kappa0)
  }

  /// Makes round key `number` of four, i, and returns e[i-1].
  @inline(always) public mutating func next(_ number: Int) -> Word4 { next(number, masked: nil) }

  /// - Parameter mask: 0 after the last round key, where κ is 0.
  @inline(always) public mutating func next(_ number: Int, masked mask: Word4?) -> Word4 {
    let roundKey = rounds.next(number)
    switch number {
    case 0: return Self.exchange(&kappa0, kappa2, kappa3, roundKey, mask)
    case 1: return Self.exchange(&kappa1, kappa3, kappa0, roundKey, mask)
    case 2: return Self.exchange(&kappa2, kappa0, kappa1, roundKey, mask)
    default: return Self.exchange(&kappa3, kappa1, kappa2, roundKey, mask)
    }
  }

  @inline(always) public static func exchange(
    _ kappa: inout Word4, _ b: Word4, _ c: Word4, _ roundKey: Word4, _ mask: Word4?
  ) -> Word4 {
    var next = Instructions.sum(roundKey, b, c)
    if let mask { next = next & mask }
    let e = kappa ^ next
    kappa = next
    return e
  }
}

extension InstructionSet where Word == Word4 {
  /// Writes the schedule of `key`: the words e[-4]…e[35] for encryption, the same backwards for decryption (the sums
  /// that make them are the same from either end).
  @inline(always) public static func expandKey(
    _ key: UnsafeRawPointer, decrypting: Bool, into schedule: UnsafeMutableRawPointer
  ) {
    var keys = EquivalentKeys<Self>(key)
    let zero = Word4(repeating: 0)

    @inline(always) func store(_ w0: Word4, _ w1: Word4, _ w2: Word4, _ w3: Word4, at index: Int) {
      let words = Word4.joinLowHalves(Word4.interleaveLowWords(w0, w1), Word4.interleaveLowWords(w2, w3))
      let places = schedule.assumingMemoryBound(to: UInt32.self)
      if decrypting {
        words.lanesReversed.store(to: places + (Schedule.wordCount &- Word4.wordCount &- index))
      } else {
        words.store(to: places + index)
      }
    }

    store(zero, zero, zero, zero, at: 0)
    store(zero, zero, zero, zero, at: Schedule.exit)
    // Round key i makes e[i-1], which is word i + 3.
    var index = Schedule.firstRound &- 1
    let end = index &+ Standard.roundCount
    repeat {
      let (e0, e1, e2, e3) = (keys.next(0), keys.next(1), keys.next(2), keys.next(3))
      store(e0, e1, e2, e3, at: index)
      index &+= 4
    } while index != end
    store(keys.kappa0, keys.kappa1, keys.kappa2, keys.kappa3, at: end)
  }
}
