// The SHA-512 hash: FIPS 180-4. Messages of any length, 1024-bit blocks, 512-bit digests.
//
// It works on the caller's memory, as SHA256 does. One implementation serves every processor.
//
// SPDX-License-Identifier: Apache-2.0

/// A SHA-512 computation: a view of memory that belongs to the caller, who wipes it.
///
///     0        64                 192          200                    840
///     ├─ state ┼─ started block ──┼─ byte count ┼─ expanded block, W ─┤
///
/// - Timing: depends on the lengths of the parts only; no table, no branch and no address depends on a byte of them.
/// - Source: FIPS 180-4 §6.4.
package struct SHA512 {
  /// Bytes in a digest: 64.
  package static var digestSize: Int { 64 }

  /// Bytes in a block: 128.
  package static var blockSize: Int { 128 }

  /// Bytes of memory that a computation takes: 840.
  package static var byteCount: Int { wordsOffset + wordCount * MemoryLayout<UInt64>.size }

  private static var blockOffset: Int { digestSize }
  private static var countOffset: Int { blockOffset + blockSize }
  private static var wordsOffset: Int { countOffset + MemoryLayout<UInt64>.size }
  private static var wordCount: Int { 80 }

  private let memory: UnsafeMutableRawPointer

  /// Begins the digest of an empty message, whatever the memory holds.
  ///
  /// - Parameter memory: `byteCount` bytes aligned to 8. They must exist for as long as this is used.
  @inline(never)
  package init(at memory: UnsafeMutableRawPointer) {
    self.memory = memory
    // FIPS 180-4 §5.3.5
    state[0] = 0x6a09_e667_f3bc_c908
    state[1] = 0xbb67_ae85_84ca_a73b
    state[2] = 0x3c6e_f372_fe94_f82b
    state[3] = 0xa54f_f53a_5f1d_36f1
    state[4] = 0x510e_527f_ade6_82d1
    state[5] = 0x9b05_688c_2b3e_6c1f
    state[6] = 0x1f83_d9ab_fb41_bd6b
    state[7] = 0x5be0_cd19_137e_2179
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
    memory.copyMemory(from: state, byteCount: Self.digestSize)
    messageByteCount = UInt64(truncatingIfNeeded: blocks &* Self.blockSize)
  }

  /// Writes the state after whole blocks, `digestSize` bytes.
  @inline(never)
  package func copyState(to place: UnsafeMutableRawPointer) {
    place.copyMemory(from: memory, byteCount: Self.digestSize)
  }

  private var state: UnsafeMutablePointer<UInt64> { memory.assumingMemoryBound(to: UInt64.self) }
  private var block: UnsafeMutableRawPointer { memory + Self.blockOffset }

  /// Bytes of the message so far.
  private var messageByteCount: UInt64 {
    get { memory.load(fromByteOffset: Self.countOffset, as: UInt64.self) }
    nonmutating set { memory.storeBytes(of: newValue, toByteOffset: Self.countOffset, as: UInt64.self) }
  }
}

// MARK: - Messages

extension SHA512 {
  /// What `SHA256.absorb` is.
  ///
  /// - Timing: depends on the lengths of this part and of those before it.
  @inline(never)
  package func absorb(_ part: UnsafeRawPointer, count: Int) {
    let started = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    messageByteCount &+= UInt64(truncatingIfNeeded: count)
    fill(block, size: Self.blockSize, from: started, with: part, count: count, compress)
  }

  @inline(never) @export(interface)
  package func absorb(_ bytes: UnsafeRawBufferPointer) {
    if let start = bytes.baseAddress { absorb(start, count: bytes.count) }
  }
  @inline(never) @export(interface)
  package func absorb(_ text: StaticString) { absorb(text.utf8Start, count: text.utf8CodeUnitCount) }
  @inline(never) @export(interface)
  package func absorb(_ byte: UInt8) { withUnsafeBytes(of: byte) { absorb($0) } }

  /// Two bytes, big-endian: the RFCs' I2OSP(number, 2).
  @inline(never) @export(interface)
  package func absorb(_ number: UInt16) { withUnsafeBytes(of: number.bigEndian) { absorb($0) } }

  /// Writes the digest of the message; the computation has then ended.
  ///
  /// - Parameter digest: `digestSize` bytes at any address, outside the computation's memory.
  /// - Timing: depends on the message's length only.
  /// - Source: FIPS 180-4 §5.1.2 (padding).
  @inline(never)
  package func finish(into digest: UnsafeMutableRawPointer) {
    // The length is a number of 128 bits, of which this many are used.
    let bitCount = messageByteCount &<< 3
    var started = Int(truncatingIfNeeded: messageByteCount) & (Self.blockSize &- 1)
    let lengthOffset = Self.blockSize &- MemoryLayout<UInt64>.size
    block.storeBytes(of: 0x80, toByteOffset: started, as: UInt8.self)
    started &+= 1
    if started > Self.blockSize &- 16 {
      (block + started).initializeMemory(as: UInt8.self, repeating: 0, count: Self.blockSize &- started)
      compress()
      started = 0
    }
    (block + started).initializeMemory(as: UInt8.self, repeating: 0, count: lengthOffset &- started)
    block.storeBytes(of: bitCount.bigEndian, toByteOffset: lengthOffset, as: UInt64.self)
    compress()
    for i in 0..<8 { digest.storeBytes(of: state[i].bigEndian, toByteOffset: 8 &* i, as: UInt64.self) }
  }
}

// MARK: - Blocks

extension SHA512 {
  /// Takes the started block into the state. (FIPS 180-4 §6.4.2)
  @inline(never)
  private func compress() {
    let w = (memory + Self.wordsOffset).assumingMemoryBound(to: UInt64.self)
    for t in 0..<16 { w[t] = UInt64(bigEndian: block.loadUnaligned(fromByteOffset: 8 &* t, as: UInt64.self)) }
    for t in 16..<Self.wordCount {
      let (x, y) = (w[t &- 15], w[t &- 2])
      let s0 = rotated(x, 1) ^ rotated(x, 8) ^ x &>> 7
      let s1 = rotated(y, 19) ^ rotated(y, 61) ^ y &>> 6
      w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
    }

    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    var t = 0
    @inline(__always) func word(_ offset: Int) -> UInt64 { Self.constants[unchecked: t &+ offset] &+ w[t &+ offset] }
    // The names move instead of the words, as in SHA256.
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

  /// A round, with the rotations of 64 bits.
  @inline(__always)
  private static func round(
    _ a: UInt64, _ b: UInt64, _ c: UInt64, _ d: inout UInt64, _ e: UInt64, _ f: UInt64, _ g: UInt64,
    _ h: inout UInt64, _ word: UInt64
  ) {
    let s1 = rotated(e, 14) ^ rotated(e, 18) ^ rotated(e, 41)
    let t1 = h &+ s1 &+ ((f ^ g) & e ^ g) &+ word
    let s0 = rotated(a, 28) ^ rotated(a, 34) ^ rotated(a, 39)
    d &+= t1
    h = t1 &+ s0 &+ (a & b | (a | b) & c)
  }

  /// K: the cube roots of the first 80 primes, the first 64 bits behind the point. (FIPS 180-4 §4.2.3)
  private static let constants: InlineArray<80, UInt64> = [
    0x428a_2f98_d728_ae22, 0x7137_4491_23ef_65cd, 0xb5c0_fbcf_ec4d_3b2f, 0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538, 0x59f1_11f1_b605_d019, 0x923f_82a4_af19_4f9b, 0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242, 0x1283_5b01_4570_6fbe, 0x2431_85be_4ee4_b28c, 0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f, 0x80de_b1fe_3b16_96b1, 0x9bdc_06a7_25c7_1235, 0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2, 0xefbe_4786_384f_25e3, 0x0fc1_9dc6_8b8c_d5b5, 0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275, 0x4a74_84aa_6ea6_e483, 0x5cb0_a9dc_bd41_fbd4, 0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab, 0xa831_c66d_2db4_3210, 0xb003_27c8_98fb_213f, 0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2, 0xd5a7_9147_930a_a725, 0x06ca_6351_e003_826f, 0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc, 0x2e1b_2138_5c26_c926, 0x4d2c_6dfc_5ac4_2aed, 0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de, 0x766a_0abb_3c77_b2a8, 0x81c2_c92e_47ed_aee6, 0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364, 0xa81a_664b_bc42_3001, 0xc24b_8b70_d0f8_9791, 0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218, 0xd699_0624_5565_a910, 0xf40e_3585_5771_202a, 0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8, 0x1e37_6c08_5141_ab53, 0x2748_774c_df8e_eb99, 0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63, 0x4ed8_aa4a_e341_8acb, 0x5b9c_ca4f_7763_e373, 0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc, 0x78a5_636f_4317_2f60, 0x84c8_7814_a1f0_ab72, 0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28, 0xa450_6ceb_de82_bde9, 0xbef9_a3f7_b2c6_7915, 0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c, 0xd186_b8c7_21c0_c207, 0xeada_7dd6_cde0_eb1e, 0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba, 0x0a63_7dc5_a2c8_98a6, 0x113f_9804_bef9_0dae, 0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84, 0x32ca_ab7b_40c7_2493, 0x3c9e_be0a_15c9_bebc, 0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6, 0x597f_299c_fc65_7e2a, 0x5fcb_6fab_3ad6_faec, 0x6c44_198c_4a47_5817,
  ]
}

@inline(__always)
private func rotated(_ x: UInt64, _ count: UInt64) -> UInt64 { x &>> count | x &<< (64 &- count) }
