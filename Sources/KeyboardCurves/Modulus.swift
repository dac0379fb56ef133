// The four primes that the curves P-256 and SM2 compute modulo, the order of ristretto255, and Montgomery's reduction
// with R = 2²⁵⁶. (SP 800-186 §3.2.1.3, GB/T 32918.5-2017, RFC 9496 §4.4)
//
// The loops that a multiplication spends its time in know their prime when they are compiled: `FieldP256`, `FieldSM2`.
// All the rest is compiled once for the five, and learns the prime when it runs: `AnyModulus`. Which prime it is is
// public: every branch on it may be seen.
//
// SPDX-License-Identifier: Apache-2.0

/// A prime between 2²⁵² and 2²⁵⁶. Numbers are below it. `make prove` reads the ranges, and shows for all numbers
/// in them that the compiled functions compute what is said here.
protocol Modulus: BitwiseCopyable {
  var prime: Limbs { get }
  /// x·y/R
  ///
  /// - Range: x < 2²⁵⁶, y < prime; result < prime
  func product(_ x: Limbs, _ y: Limbs) -> Limbs
  /// x²/R
  ///
  /// - Range: x < prime; result < prime
  func square(_ x: Limbs) -> Limbs
  /// `square`, so many times.
  func square(_ x: Limbs, times count: Int) -> Limbs
}

extension Modulus {
  /// `number` + 2²⁵⁶·`top`, below twice the prime, less the prime if that is possible. It subtracts the prime and adds
  /// it again under a mask, which is faster than to choose between two values.
  @inline(always) func reducedOnce(_ number: Limbs, top: UInt64) -> Limbs {
    let prime = prime
    var borrow: Carry = 0
    let difference = Limbs.difference(number, prime, &borrow)
    var carry: Carry = 0
    return Limbs.sum(difference, prime & (top &- word(borrow)), &carry)
  }

  /// t/R. Four steps, each of which shifts out a word.
  ///
  /// - Parameter step: what is left of a word + m·prime without the lowest word, which is 0, for m = word · (-1/prime)
  ///   modulo 2⁶⁴.
  @inline(always) func reduced(_ t: DoubleLimbs, step: (UInt64) -> Limbs) -> Limbs {
    @inline(always) func stepped(_ s: Limbs) -> Limbs {
      var carry: Carry = 0
      return Limbs.sum(Limbs(s.w1, s.w2, s.w3, 0), step(s.w0), &carry)
    }
    let low = stepped(stepped(stepped(stepped(t.low))))
    var carry: Carry = 0
    let sum = Limbs.sum(low, t.high, &carry)
    return reducedOnce(sum, top: word(carry))
  }
}

// MARK: - The fields

/// A prime that is known when the program is compiled.
protocol Field: Modulus {
  /// What is left of a word + m·prime: see `reduced`.
  func step(_ word: UInt64) -> Limbs
}

extension Field {
  @inline(never) func product(_ x: Limbs, _ y: Limbs) -> Limbs { reduced(Limbs.product(x, y), step: step) }
  #if arch(wasm32)
    @inline(always) func square(_ x: Limbs) -> Limbs { product(x, x) }
  #else
    @inline(never) func square(_ x: Limbs) -> Limbs { reduced(x.square, step: step) }
  #endif

  @inline(never) func square(_ x: Limbs, times count: Int) -> Limbs {
    var r = x
    for _ in 0..<count { r = square(r) }
    return r
  }
}

/// 2²⁵⁶ - 2²²⁴ + 2¹⁹² + 2⁹⁶ - 1
struct FieldP256: Field {
  @inline(always) var prime: Limbs {
    Limbs(0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001)
  }

  /// -1/p is 1 modulo 2⁶⁴, so m is the word itself, and the products are shifts: S. Gueron, V. Krasnov, "Fast prime
  /// field elliptic-curve cryptography with 256-bit primes", eprint 2013/816.
  @inline(always) func step(_ word: UInt64) -> Limbs {
    let (low, high) = (word &<< 32, word &>> 32)
    var borrow: Carry = 0
    let w2 = sbb(word, low, &borrow)
    return Limbs(low, high, w2, sbb(word, high, &borrow))
  }
}

/// 2²⁵⁶ - 2²²⁴ - 2⁹⁶ + 2⁶⁴ - 1
struct FieldSM2: Field {
  @inline(always) var prime: Limbs {
    Limbs(0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff)
  }

  /// As for P-256: -1/p is 1 modulo 2⁶⁴, and the products are shifts.
  @inline(always) func step(_ word: UInt64) -> Limbs {
    let (low, high) = (word &<< 32, word &>> 32)
    var borrow: Carry = 0
    let w0 = sbb(word, low, &borrow)
    let w1 = sbb(0, high, &borrow)
    let w2 = sbb(0, low, &borrow)
    return Limbs(w0, w1, w2, sbb(word, high, &borrow))
  }
}

// MARK: - Any of the five

/// A prime that is known when the program runs.
enum AnyModulus: Int, Modulus {
  /// The field of P-256, and the order of the curve.
  case fieldP256, orderP256
  /// The same for SM2.
  case fieldSM2, orderSM2
  /// The order of ristretto255, and of the base point of Curve25519: 2²⁵² and some.
  case order25519

  /// For each: the prime, R² modulo the prime, and -1/prime modulo 2⁶⁴.
  private static let words: InlineArray<45, UInt64> = [
    0xffff_ffff_ffff_ffff, 0x0000_0000_ffff_ffff, 0x0000_0000_0000_0000, 0xffff_ffff_0000_0001,
    0x0000_0000_0000_0003, 0xffff_fffb_ffff_ffff, 0xffff_ffff_ffff_fffe, 0x0000_0004_ffff_fffd,
    0x0000_0000_0000_0001,

    0xf3b9_cac2_fc63_2551, 0xbce6_faad_a717_9e84, 0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000,
    0x8324_4c95_be79_eea2, 0x4699_799c_49bd_6fa6, 0x2845_b239_2b6b_ec59, 0x66e1_2d94_f3d9_5620,
    0xccd1_c8aa_ee00_bc4f,

    0xffff_ffff_ffff_ffff, 0xffff_ffff_0000_0000, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff,
    0x0000_0002_0000_0003, 0x0000_0002_ffff_ffff, 0x0000_0001_0000_0001, 0x0000_0004_0000_0002,
    0x0000_0000_0000_0001,

    0x53bb_f409_39d5_4123, 0x7203_df6b_21c6_052b, 0xffff_ffff_ffff_ffff, 0xffff_fffe_ffff_ffff,
    0x9011_92af_7c11_4f20, 0x3464_504a_de6f_a2fa, 0x620f_c84c_3aff_e0d4, 0x1eb5_e412_a22b_3d3b,
    0x327f_9e88_7235_0975,

    0x5812_631a_5cf5_d3ed, 0x14de_f9de_a2f7_9cd6, 0x0000_0000_0000_0000, 0x1000_0000_0000_0000,
    0xa406_11e3_449c_0f01, 0xd00e_1ba7_6885_9347, 0xceec_73d2_17f5_be65, 0x0399_411b_7c30_9a3d,
    0xd2b5_1da3_1254_7e1b,
  ]

  @inline(always) private func word(_ index: Int) -> UInt64 { Self.words[unchecked: 9 &* rawValue &+ index] }

  @inline(always) private func four(_ first: Int) -> Limbs {
    Limbs(word(first), word(first &+ 1), word(first &+ 2), word(first &+ 3))
  }

  @inline(always) var prime: Limbs { four(0) }

  /// R² modulo the prime.
  @inline(always) var rSquared: Limbs { four(4) }

  /// R modulo the prime: 1 in Montgomery form.
  @inline(always) var r: Limbs { product(rSquared, Limbs(1, 0, 0, 0)) }

  @inline(always) private func step(_ lowest: UInt64) -> Limbs {
    let prime = prime
    let m = lowest &* word(8)
    var c: UInt64 = 0
    _ = mac(lowest, m, prime.w0, &c)
    let w0 = mul(m, prime.w1, &c)
    let w1 = mul(m, prime.w2, &c)
    let w2 = mul(m, prime.w3, &c)
    return Limbs(w0, w1, w2, c)
  }

  @inline(never) func product(_ x: Limbs, _ y: Limbs) -> Limbs {
    // A switch would become a jump through a table.
    if self == .fieldP256 { return FieldP256().product(x, y) }
    if self == .fieldSM2 { return FieldSM2().product(x, y) }
    return productOfScalars(x, y)
  }

  /// `product` for any prime. A function of its own, so that `product` only jumps.
  @inline(never) private func productOfScalars(_ x: Limbs, _ y: Limbs) -> Limbs {
    reduced(Limbs.product(x, y), step: step)
  }

  @inline(always) func square(_ x: Limbs) -> Limbs { square(x, times: 1) }

  @inline(never) func square(_ x: Limbs, times count: Int) -> Limbs {
    switch self {
    case .fieldP256: return FieldP256().square(x, times: count)
    case .fieldSM2: return FieldSM2().square(x, times: count)
    case .orderP256, .orderSM2, .order25519:
      // Only where signatures are made and checked: a product does.
      var r = x
      for _ in 0..<count { r = productOfScalars(r, r) }
      return r
    }
  }
}
