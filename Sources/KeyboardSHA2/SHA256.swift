// The SHA-256 hash: FIPS 180-4. Messages of any length, 512-bit blocks, 256-bit digests.
//
// Everything works on the caller's memory, through pointers. A message may be a secret, and then so are the state and
// the words of the schedule; the caller knows which memory may hold secrets.
//
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import KeyboardSHA256Instructions
#endif

/// A SHA-256 computation: a view of memory that belongs to the caller, who wipes it.
///
///     0        32                 96          104                    360
///     ├─ state ┼─ started block ──┼─ byte count ┼─ expanded block, W ─┤
///
/// - Timing: depends on the lengths of the parts only; no table, no branch and no address depends on a byte of them.
/// - Source: FIPS 180-4 §6.2.
package struct SHA256 {
  /// Bytes in a digest: 32.
  package static var digestSize: Int { 32 }

  /// Bytes in a block: 64.
  package static var blockSize: Int { 64 }

  /// Bytes of memory that a computation takes: 360.
  package static var byteCount: Int { wordsOffset + wordCount * MemoryLayout<UInt32>.size }

  private static var blockOffset: Int { digestSize }
  private static var countOffset: Int { blockOffset + blockSize }
  private static var wordsOffset: Int { countOffset + MemoryLayout<UInt64>.size }
  private static var wordCount: Int { 64 }

  private let memory: UnsafeMutableRawPointer
  private let path: SHA256Path

  /// Begins the digest of an empty message, whatever the memory holds.
  ///
  /// - Parameters:
  ///   - memory: `byteCount` bytes aligned to 8. They must exist for as long as this is used.
  ///   - path: only tests give another one.
  @inline(never)
  package init(at memory: UnsafeMutableRawPointer, on path: SHA256Path = .current) {
    self.memory = memory
    self.path = path
    // FIPS 180-4 §5.3.3
    state[0] = 0x6a09_e667
    state[1] = 0xbb67_ae85
    state[2] = 0x3c6e_f372
    state[3] = 0xa54f_f53a
    state[4] = 0x510e_527f
    state[5] = 0x9b05_688c
    state[6] = 0x1f83_d9ab
    state[7] = 0x5be0_cd19
    messageByteCount = 0
  }

  /// Goes on from where another computation was after whole blocks: HMAC begins so under a key that is used many times.
  ///
  /// - Parameters:
  ///   - memory: as above.
  ///   - state: what `copyState` has written.
  ///   - blocks: how many.
  @inline(never)
  package init(at memory: UnsafeMutableRawPointer, after state: UnsafeRawPointer, blocks: Int) {
    self.memory = memory
    path = .current
    memory.copyMemory(from: state, byteCount: Self.digestSize)
    messageByteCount = UInt64(truncatingIfNeeded: blocks &* Self.blockSize)
  }

  /// Writes the state after whole blocks, `digestSize` bytes.
  @inline(never)
  package func copyState(to place: UnsafeMutableRawPointer) {
    place.copyMemory(from: memory, byteCount: Self.digestSize)
  }

  private var state: UnsafeMutablePointer<UInt32> { memory.assumingMemoryBound(to: UInt32.self) }
  private var block: UnsafeMutableRawPointer { memory + Self.blockOffset }

  /// Bytes of the message so far.
  private var messageByteCount: UInt64 {
    get { memory.load(fromByteOffset: Self.countOffset, as: UInt64.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.countOffset, as: UInt64.self) }
  }
}

// MARK: - Messages

extension SHA256 {
  /// Appends a part to the message.
  ///
  /// - Parameters:
  ///   - part: any address outside the computation's memory.
  ///   - count: fewer than 2⁶¹ bytes in all parts together.
  /// - Timing: depends on the lengths of this part and of those before it.
  @inline(never)
  package func absorb(_ part: UnsafeRawPointer, count: Int) {
    let started = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    messageByteCount &+= UInt64(truncatingIfNeeded: count)
    fill(block, size: Self.blockSize, from: started, with: part, count: count, compress)
  }

  /// Writes the digest of the message; the computation has then ended.
  ///
  /// - Parameter digest: `digestSize` bytes at any address, outside the computation's memory.
  /// - Timing: depends on the message's length only.
  /// - Source: FIPS 180-4 §5.1.1 (padding).
  @inline(never)
  package func finish(into digest: UnsafeMutableRawPointer) {
    let bitCount = messageByteCount &<< 3
    var started = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    let lengthOffset = Self.blockSize &- MemoryLayout<UInt64>.size
    block.storeBytes(of: 0x80, toByteOffset: started, as: UInt8.self)
    started &+= 1
    if started > lengthOffset {
      (block + started).initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockSize &- started)
      compress()
      started = 0
    }
    (block + started).initializeMemory(as: UInt8.self, repeating: 0, count: lengthOffset &- started)
    block.storeBytes(of: bitCount.bigEndian, toByteOffset: lengthOffset, as: UInt64.self)
    compress()
    for i in 0..<8 { digest.storeBytes(of: state[i].bigEndian, toByteOffset: 4 &* i, as: UInt32.self) }
  }
}

// MARK: - Blocks

extension SHA256 {
  @inline(never)
  private func compress() {
    #if arch(x86_64)
      if path == .instructions {
        Self.constants.span.withUnsafeBytes { constants in
          SHA256Instructions.compress(state, block, constants: constants.baseAddress!)
        }
        return
      }
    #endif
    compressPortably()
  }

  /// Takes the started block into the state. (FIPS 180-4 §6.2.2)
  private func compressPortably() {
    let w = (memory + Self.wordsOffset).assumingMemoryBound(to: UInt32.self)
    for t in 0..<16 { w[t] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: 4 &* t, as: UInt32.self)) }
    for t in 16..<Self.wordCount {
      let (x, y) = (w[t &- 15], w[t &- 2])
      let s0 = rotated(x, 7) ^ rotated(x, 18) ^ x &>> 3
      let s1 = rotated(y, 17) ^ rotated(y, 19) ^ y &>> 10
      w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
    }

    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var t = 0
    @inline(__always) func word(_ offset: Int) -> UInt32 { Self.constants[unchecked: t &+ offset] &+ w[t &+ offset] }
    // The eight words move one place a round. Here the names move instead, and the halves have changed places after
    // four rounds.
    repeat {
      Self.round(a, b, c, &d, e, f, g, &h, word(0))
      Self.round(h, a, b, &c, d, e, f, &g, word(1))
      Self.round(g, h, a, &b, c, d, e, &f, word(2))
      Self.round(f, g, h, &a, b, c, d, &e, word(3))
      (a, b, c, d, e, f, g, h) = (e, f, g, h, a, b, c, d)
      t &+= 4
    } while t < Self.wordCount
    add((a, b, c, d, e, f, g, h), to: state)
  }

  /// A round: `d` and `h` become the new e and a.
  @inline(__always)
  private static func round(
    _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32, _ e: UInt32, _ f: UInt32, _ g: UInt32,
    _ h: inout UInt32, _ word: UInt32
  ) {
    let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
    let t1 = h &+ s1 &+ ((f ^ g) & e ^ g) &+ word
    let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
    d &+= t1
    h = t1 &+ s0 &+ (a & b | (a | b) & c)
  }

  /// K: the cube roots of the first 64 primes, the first 32 bits behind the point. (FIPS 180-4 §4.2.2)
  private static let constants: InlineArray<64, UInt32> = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
  ]
}

@inline(__always)
private func rotated(_ x: UInt32, _ count: UInt32) -> UInt32 { x &>> count | x &<< (32 &- count) }
