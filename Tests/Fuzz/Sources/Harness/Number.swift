// Numbers of 256 bits and two curves, slow and plain: only what tells a key from other bytes.
// SPDX-License-Identifier: Apache-2.0

/// An unsigned number of 256 bits.
struct Number: Comparable, Sendable {
  private var high, low: UInt128

  init(_ high: UInt128, _ low: UInt128) { (self.high, self.low) = (high, low) }

  init(_ small: UInt128) { self.init(0, small) }

  /// - Parameter bytes: 32, the highest first.
  init(_ bytes: some Collection<UInt8>) {
    precondition(bytes.count == 32)
    high = bytes.prefix(16).reduce(0) { $0 << 8 | UInt128($1) }
    low = bytes.dropFirst(16).reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// 32 bytes, the highest first.
  var bytes: [UInt8] {
    [high, low].flatMap { half in (0..<16).map { UInt8(truncatingIfNeeded: half >> (120 - 8 * UInt128($0))) } }
  }

  static func < (one: Number, other: Number) -> Bool { (one.high, one.low) < (other.high, other.low) }

  /// Modulo 2²⁵⁶, and whether it was more.
  func adding(_ other: Number) -> (sum: Number, overflow: Bool) {
    let (low, carry) = self.low.addingReportingOverflow(other.low)
    let (half, over) = high.addingReportingOverflow(other.high)
    let (high, more) = half.addingReportingOverflow(carry ? 1 : 0)
    return (Number(high, low), over || more)
  }

  static func &- (one: Number, other: Number) -> Number {
    Number(one.high &- other.high &- (one.low < other.low ? 1 : 0), one.low &- other.low)
  }

  fileprivate func bit(_ index: Int) -> Bool {
    (index < 128 ? low >> UInt128(index) : high >> UInt128(index - 128)) & 1 == 1
  }
}

/// y² = x³ − 3x + b.
struct Curve: Sendable {
  let prime, order, b: Number
  /// The largest private key.
  let largestScalar: Number

  /// - Source: SP 800-186 §3.2.1.3.
  static let p256 = {
    let order = Number(0xffff_ffff_0000_0000_ffff_ffff_ffff_ffff, 0xbce6_faad_a717_9e84_f3b9_cac2_fc63_2551)
    return Curve(
      prime: Number(0xffff_ffff_0000_0001_0000_0000_0000_0000, 0x0000_0000_ffff_ffff_ffff_ffff_ffff_ffff), order: order,
      b: Number(0x5ac6_35d8_aa3a_93e7_b3eb_bd55_7698_86bc, 0x651d_06b0_cc53_b0f6_3bce_3c3e_27d2_604b),
      largestScalar: order &- Number(1))
  }()

  /// - Source: GB/T 32918.5-2017 §2.
  static let sm2 = {
    let order = Number(0xffff_fffe_ffff_ffff_ffff_ffff_ffff_ffff, 0x7203_df6b_21c6_052b_53bb_f409_39d5_4123)
    return Curve(
      prime: Number(0xffff_fffe_ffff_ffff_ffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000_ffff_ffff_ffff_ffff), order: order,
      b: Number(0x28e9_fa9e_9d9f_5e34_4d5a_9e4b_cf65_09a7, 0xf397_89f5_15ab_8f92_ddbc_bd41_4d94_0e93),
      largestScalar: order &- Number(Plant.key ? 1 : 2))
  }()

  func isScalar(_ bytes: [UInt8]) -> Bool {
    bytes.count == 32 && Number(bytes) != Number(0) && Number(bytes) <= largestScalar
  }

  /// Whether these bytes are 04 ‖ x ‖ y.
  func isPoint(_ bytes: [UInt8]) -> Bool {
    guard bytes.count == 65, bytes[0] == 4 else { return false }
    let (x, y) = (Number(bytes[1..<33]), Number(bytes[33..<65]))
    guard x < prime, y < prime else { return false }
    let right = sum(product(product(x, x), x), sum(b, negated(sum(x, sum(x, x)))))
    return product(y, y) == right
  }

  /// The point on the other side, whose private key is the order less this one's.
  func mirrored(_ point: [UInt8]) -> [UInt8] { point[0..<33] + negated(Number(point[33..<65])).bytes }

  private func negated(_ x: Number) -> Number { x == Number(0) ? x : prime &- x }

  private func sum(_ x: Number, _ y: Number) -> Number {
    let (sum, overflow) = x.adding(y)
    return overflow || sum >= prime ? sum &- prime : sum
  }

  private func product(_ x: Number, _ y: Number) -> Number {
    (0..<256).reversed().reduce(Number(0)) { product, index in
      let double = sum(product, product)
      return y.bit(index) ? sum(double, x) : double
    }
  }
}

/// Whether a keyboard takes these bytes as a key of X25519: a number below the prime, and no point of low order.
///
/// - Source: RFC 7748 §6.1; D. J. Bernstein, https://cr.yp.to/ecdh.html#validate.
func isRecipientOfX25519(_ bytes: [UInt8]) -> Bool {
  guard bytes.count == 32 else { return false }
  let u = Number(bytes.reversed())
  return u < primeOf25519 && !lowOrderOf25519.contains(u)
}

let primeOf25519 = Number(UInt128.max >> 1, UInt128.max - 18)

/// 0, 1, p − 1, and the two of order 8.
let lowOrderOf25519 = [
  Number(0), Number(1), primeOf25519 &- Number(1),
  Number(0x00b8_495f_1605_6286_fdb1_329c_eb8d_09da, 0x6ac4_9ff1_fae3_5616_aeb8_413b_7c7a_ebe0),
  Number(0x5711_9fd0_dd4e_22d8_868e_1c58_c45c_4404, 0x5bef_839c_55b1_d0b1_248c_50a3_bc95_9c5f),
]
