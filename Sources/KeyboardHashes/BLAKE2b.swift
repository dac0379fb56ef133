// The hash BLAKE2b, without a key: RFC 7693. Messages of any length, 1024-bit blocks, digests of 1 … 64 bytes.
//
// Everything works on the caller's memory, as for SM3. Argon2 is its only user, and needs no key of BLAKE2b's.
//
// SPDX-License-Identifier: Apache-2.0

/// A BLAKE2b computation: a view of memory that belongs to the caller, who wipes it.
///
///     0        64                192          200           208
///     ├─ state ┼─ started block ─┼─ byte count ┼─ digest size ┤
///
/// Its use: `begin`, `absorb` for each part of the message, `finish`.
///
/// - Timing: depends on the lengths of the parts only; no branch and no address depends on a byte of them.
/// - Source: RFC 7693.
package struct BLAKE2b {
  /// Bytes in the longest digest: 64.
  package static var longestDigestSize: Int { 64 }

  /// Bytes in a block: 128.
  package static var blockSize: Int { 128 }

  /// Bytes of memory that a computation takes: 208.
  package static var byteCount: Int { digestSizeOffset + MemoryLayout<Int>.size }

  private static var blockOffset: Int { longestDigestSize }
  private static var countOffset: Int { blockOffset + blockSize }
  private static var digestSizeOffset: Int { countOffset + MemoryLayout<UInt64>.size }

  private let memory: UnsafeMutableRawPointer

  /// Views memory as a computation. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8. They must exist for as long as this is used.
  package init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var state: UnsafeMutablePointer<UInt64> { memory.assumingMemoryBound(to: UInt64.self) }
  private var block: UnsafeMutableRawPointer { memory + Self.blockOffset }

  /// Bytes of the message so far.
  private var messageByteCount: UInt64 {
    get { memory.load(fromByteOffset: Self.countOffset, as: UInt64.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.countOffset, as: UInt64.self) }
  }

  private var digestSize: Int {
    get { memory.load(fromByteOffset: Self.digestSizeOffset, as: Int.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.digestSizeOffset, as: Int.self) }
  }
}

// MARK: - Messages

extension BLAKE2b {
  /// Begins the digest of an empty message, whatever the memory holds.
  ///
  /// - Parameter digestSize: 1 … 64.
  /// - Timing: constant.
  /// - Source: RFC 7693 §3.3.
  package func begin(digestSize: Int) {
    precondition(1...Self.longestDigestSize ~= digestSize)
    for i in 0..<8 { state[i] = Self.initial(i) }
    // The parameter block: the digest's size, no key, a fanout and a depth of one.
    state[0] ^= 0x0101_0000 ^ UInt64(truncatingIfNeeded: digestSize)
    messageByteCount = 0
    self.digestSize = digestSize
  }

  /// Appends a part to the message.
  ///
  /// - Parameter part: any number of bytes at any address, outside the computation's memory; fewer than 2⁶⁴ in all
  ///   parts together.
  /// - Timing: depends on the lengths of this part and of those before it.
  /// - Source: RFC 7693 §3.3.
  package func absorb(_ part: UnsafeRawBufferPointer) {
    guard var place = part.baseAddress else { return }
    var rest = part.count
    while rest > 0 {
      // A full block waits until more comes, because the last one is different.
      let startedCount = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
      if startedCount == 0 && messageByteCount > 0 { compress(isLast: false) }
      let count = min(rest, Self.blockSize &- startedCount)
      (block + startedCount).copyMemory(from: place, byteCount: count)
      messageByteCount &+= UInt64(truncatingIfNeeded: count)
      place += count
      rest &-= count
    }
  }

  /// Writes the digest of the message. `begin` starts another one.
  ///
  /// - Parameter digest: as many bytes as `begin` was told, at any address outside the computation's memory.
  /// - Timing: depends on the message's length and the digest's only.
  /// - Source: RFC 7693 §3.3.
  package func finish(into digest: UnsafeMutableRawPointer) {
    let startedCount = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    if startedCount > 0 || messageByteCount == 0 {
      (block + startedCount).initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockSize &- startedCount)
    }
    compress(isLast: true)
    for i in 0..<8 { state[i] = state[i].littleEndian }
    digest.copyMemory(from: state, byteCount: digestSize)
  }

  /// Overwrites the block, which still has the message's end. `begin` starts another digest.
  package func forget() { block.initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockSize) }
}

// MARK: - Blocks

extension BLAKE2b {
  /// Takes the started block into the state: the function F. (RFC 7693 §3.2)
  @inline(never)
  private func compress(isLast: Bool) {
    var (v0, v1, v2, v3) = (state[0], state[1], state[2], state[3])
    var (v4, v5, v6, v7) = (state[4], state[5], state[6], state[7])
    var (v8, v9, v10, v11) = (Self.initial(0), Self.initial(1), Self.initial(2), Self.initial(3))
    var (v12, v13) = (Self.initial(4) ^ messageByteCount, Self.initial(5))
    var (v14, v15) = (isLast ? ~Self.initial(6) : Self.initial(6), Self.initial(7))

    for round in 0..<12 {
      let order = Self.order(of: round)

      /// Mixes a column or a diagonal with the words 2 · `index` and 2 · `index` + 1 of this round's order. (§3.1)
      @inline(__always)
      func mix(_ index: UInt64, _ a: inout UInt64, _ b: inout UInt64, _ c: inout UInt64, _ d: inout UInt64) {
        a = a &+ b &+ word(order &>> (8 &* index))
        d = rotated(d ^ a, by: 32)
        c = c &+ d
        b = rotated(b ^ c, by: 24)
        a = a &+ b &+ word(order &>> (8 &* index &+ 4))
        d = rotated(d ^ a, by: 16)
        c = c &+ d
        b = rotated(b ^ c, by: 63)
      }

      mix(0, &v0, &v4, &v8, &v12)
      mix(1, &v1, &v5, &v9, &v13)
      mix(2, &v2, &v6, &v10, &v14)
      mix(3, &v3, &v7, &v11, &v15)
      mix(4, &v0, &v5, &v10, &v15)
      mix(5, &v1, &v6, &v11, &v12)
      mix(6, &v2, &v7, &v8, &v13)
      mix(7, &v3, &v4, &v9, &v14)
    }

    state[0] ^= v0 ^ v8
    state[1] ^= v1 ^ v9
    state[2] ^= v2 ^ v10
    state[3] ^= v3 ^ v11
    state[4] ^= v4 ^ v12
    state[5] ^= v5 ^ v13
    state[6] ^= v6 ^ v14
    state[7] ^= v7 ^ v15
  }

  /// The word of the started block that the lowest four bits of `number` name.
  @inline(__always)
  private func word(_ number: UInt64) -> UInt64 {
    UInt64(littleEndian: block.load(fromByteOffset: 8 &* Int(truncatingIfNeeded: number & 15), as: UInt64.self))
  }

  /// SIGMA: the order of the message's words, the first in the lowest four bits. (RFC 7693 §2.7)
  @inline(__always)
  private static func order(of round: Int) -> UInt64 {
    switch round {
    case 0, 10: 0xfedc_ba98_7654_3210
    case 1, 11: 0x357b_20c1_6df9_84ae
    case 2: 0x4917_63ea_df25_0c8b
    case 3: 0x8f04_a562_ebcd_1397
    case 4: 0xd386_cb1e_fa42_7509
    case 5: 0x91ef_57d4_38b0_a6c2
    case 6: 0xb829_3670_a4de_f15c
    case 7: 0xa268_4f05_931c_e7bd
    case 8: 0x5a41_7d2c_803b_9ef6
    default: 0x0dc3_e9bf_5167_482a
    }
  }

  /// IV: the first 64 bits behind the point of the square roots of the first eight primes. (RFC 7693 §2.6)
  @inline(__always)
  private static func initial(_ index: Int) -> UInt64 {
    switch index {
    case 0: 0x6a09_e667_f3bc_c908
    case 1: 0xbb67_ae85_84ca_a73b
    case 2: 0x3c6e_f372_fe94_f82b
    case 3: 0xa54f_f53a_5f1d_36f1
    case 4: 0x510e_527f_ade6_82d1
    case 5: 0x9b05_688c_2b3e_6c1f
    case 6: 0x1f83_d9ab_fb41_bd6b
    default: 0x5be0_cd19_137e_2179
    }
  }
}

@inline(__always)
private func rotated(_ x: UInt64, by count: UInt64) -> UInt64 { x &>> count | x &<< (64 &- count) }
