// The SM3 hash: GB/T 32905-2016, ISO/IEC 10118-3. Messages of any length, 512-bit blocks, 256-bit digests.
//
// Everything works on the caller's memory, through pointers. A message may be a secret, and then so are the state and
// the expanded block; the caller knows which memory may hold secrets.
//
// SPDX-License-Identifier: Apache-2.0

/// An SM3 computation: a view of memory that belongs to the caller, who wipes it.
///
///     0        32                 96          104                    376
///     ├─ state ┼─ started block ──┼─ byte count ┼─ expanded block, W ─┤
///
/// Its use: `begin`, `absorb` for each part of the message, `finish`.
///
/// - Timing: depends on the lengths of the parts only; no table, no branch and no address depends on a byte of them.
/// - Source: GB/T 32905-2016.
package struct SM3 {
  /// Bytes in a digest: 32.
  package static var digestSize: Int { 32 }

  /// Bytes in a block: 64.
  package static var blockSize: Int { 64 }

  /// Bytes of memory that a computation takes: 376.
  package static var byteCount: Int { expandedOffset + expandedCount * MemoryLayout<UInt32>.size }

  private static var blockOffset: Int { digestSize }
  private static var countOffset: Int { blockOffset + blockSize }
  private static var expandedOffset: Int { countOffset + MemoryLayout<UInt64>.size }
  private static var expandedCount: Int { 68 }

  private let memory: UnsafeMutableRawPointer

  /// Views memory as a computation. Neither reads nor writes it.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8. They must exist for as long as this is used.
  package init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var state: UnsafeMutablePointer<UInt32> { memory.assumingMemoryBound(to: UInt32.self) }
  private var block: UnsafeMutableRawPointer { memory + Self.blockOffset }
  private var expanded: UnsafeMutablePointer<UInt32> {
    (memory + Self.expandedOffset).assumingMemoryBound(to: UInt32.self)
  }

  /// Bytes of the message so far.
  private var messageByteCount: UInt64 {
    get { memory.load(fromByteOffset: Self.countOffset, as: UInt64.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.countOffset, as: UInt64.self) }
  }
}

// MARK: - Messages

extension SM3 {
  /// Begins the digest of an empty message, whatever the memory holds.
  ///
  /// - Timing: constant.
  /// - Source: GB/T 32905-2016 §4.1.
  package func begin() {
    state[0] = 0x7380_166f
    state[1] = 0x4914_b2b9
    state[2] = 0x1724_42d7
    state[3] = 0xda8a_0600
    state[4] = 0xa96f_30bc
    state[5] = 0x1631_38aa
    state[6] = 0xe38d_ee4d
    state[7] = 0xb0fb_0e4e
    messageByteCount = 0
  }

  /// Appends a part to the message.
  ///
  /// - Parameter part: any number of bytes at any address, outside the computation's memory; fewer than 2⁶¹ in all
  ///   parts together.
  /// - Timing: depends on the lengths of this part and of those before it.
  /// - Source: GB/T 32905-2016 §5.3.
  package func absorb(_ part: UnsafeRawBufferPointer) {
    guard var place = part.baseAddress, !part.isEmpty else { return }
    var rest = part.count
    let startedCount = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    messageByteCount &+= UInt64(truncatingIfNeeded: rest)
    if startedCount > 0 {
      let count = min(rest, Self.blockSize &- startedCount)
      (block + startedCount).copyMemory(from: place, byteCount: count)
      guard startedCount &+ count == Self.blockSize else { return }
      compress(block)
      place += count
      rest &-= count
    }
    while rest >= Self.blockSize {
      compress(place)
      place += Self.blockSize
      rest &-= Self.blockSize
    }
    block.copyMemory(from: place, byteCount: rest)
  }

  /// Writes the digest of the message. `begin` starts another one.
  ///
  /// - Parameter digest: `digestSize` bytes at any address, outside the computation's memory.
  /// - Timing: depends on the message's length only.
  /// - Source: GB/T 32905-2016 §5.2 (padding), §5.4.
  package func finish(into digest: UnsafeMutableRawPointer) {
    let bitCount = messageByteCount &<< 3
    let startedCount = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    block.storeBytes(of: 0x80, toByteOffset: startedCount, as: UInt8.self)
    var paddedCount = startedCount &+ 1
    let lengthOffset = Self.blockSize &- MemoryLayout<UInt64>.size
    if paddedCount > lengthOffset {
      (block + paddedCount).initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockSize &- paddedCount)
      compress(block)
      paddedCount = 0
    }
    (block + paddedCount).initializeMemory(as: UInt8.self, repeating: 0, count: lengthOffset &- paddedCount)
    block.storeBytes(of: bitCount.bigEndian, toByteOffset: lengthOffset, as: UInt64.self)
    compress(block)
    for i in 0..<8 { digest.storeBytes(of: state[i].bigEndian, toByteOffset: 4 &* i, as: UInt32.self) }
  }
}

// MARK: - Blocks

extension SM3 {
  /// Takes a block into the state. (GB/T 32905-2016 §5.3.2, §5.3.3)
  @inline(never)
  private func compress(_ block: UnsafeRawPointer) {
    let w = expanded
    for j in 0..<16 { w[j] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 &* j, as: UInt32.self)) }
    for j in 16..<Self.expandedCount {
      let x = w[j &- 16] ^ w[j &- 9] ^ rotated(w[j &- 3], by: 15)
      w[j] = x ^ rotated(x, by: 15) ^ rotated(x, by: 23) ^ rotated(w[j &- 13], by: 7) ^ w[j &- 6]
    }

    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var words = UnsafePointer(w)
    // T_j <<< j, which the rounds rotate on.
    var constant: UInt32 = 0x79cc_4519

    // The eight words move one place a round. Here the names move instead, and are back after four rounds.
    for _ in 0..<4 {
      Self.round(.early, a, &b, c, &d, e, &f, g, &h, words, &constant)
      Self.round(.early, d, &a, b, &c, h, &e, f, &g, words + 1, &constant)
      Self.round(.early, c, &d, a, &b, g, &h, e, &f, words + 2, &constant)
      Self.round(.early, b, &c, d, &a, f, &g, h, &e, words + 3, &constant)
      words += 4
    }
    constant = rotated(0x7a87_9d8a, by: 16)
    for _ in 0..<12 {
      Self.round(.late, a, &b, c, &d, e, &f, g, &h, words, &constant)
      Self.round(.late, d, &a, b, &c, h, &e, f, &g, words + 1, &constant)
      Self.round(.late, c, &d, a, &b, g, &h, e, &f, words + 2, &constant)
      Self.round(.late, b, &c, d, &a, f, &g, h, &e, words + 3, &constant)
      words += 4
    }

    state[0] ^= a
    state[1] ^= b
    state[2] ^= c
    state[3] ^= d
    state[4] ^= e
    state[5] ^= f
    state[6] ^= g
    state[7] ^= h
  }

  /// The rounds 0…15 and 16…63 have different Boolean functions.
  private enum Phase { case early, late }

  /// A round: `d` and `h` become the new A and E; `b` and `f` are rotated on their way to the next places.
  @inline(__always)
  private static func round(
    _ phase: Phase, _ a: UInt32, _ b: inout UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: inout UInt32,
    _ g: UInt32, _ h: inout UInt32, _ w: UnsafePointer<UInt32>, _ constant: inout UInt32
  ) {
    let turned = rotated(a, by: 12)
    let ss1 = rotated(turned &+ e &+ constant, by: 7)
    let (ff, gg): (UInt32, UInt32)
    switch phase {
    case .early: (ff, gg) = (a ^ b ^ c, e ^ f ^ g)
    case .late: (ff, gg) = (a & b | (a | b) & c, (f ^ g) & e ^ g)
    }
    let tt1 = ff &+ d &+ (ss1 ^ turned) &+ (w[0] ^ w[4])
    let tt2 = gg &+ h &+ ss1 &+ w[0]
    b = rotated(b, by: 9)
    d = tt1
    f = rotated(f, by: 19)
    h = tt2 ^ rotated(tt2, by: 9) ^ rotated(tt2, by: 17)
    constant = rotated(constant, by: 1)
  }
}

@inline(__always)
private func rotated(_ x: UInt32, by count: UInt32) -> UInt32 { x &<< count | x &>> (32 &- count) }
