// SM4's S-box as a Boolean circuit: no table, so no address depends on a secret.
//
// The S-box is an inversion in GF(2^8) between two affine maps. Written over the tower GF(((2^2)^2)^2), as Boyar and
// Peralta did for AES ("A small depth-16 circuit for the AES S-box", 2012), the inversion needs 32 ANDs. Of the 2040
// ways to choose the tower's isomorphism and scalars, all were searched for SM4; this is the smallest, 110 gates:
//
//     20 XOR   linear, from the byte to the tower field
//     44       the inversion's middle: 14 AND, 30 XOR, of which t29, t33, t37 and t40 are the inverse in GF(2^4)
//     18 AND   the inversion's outer multiplications
//     28 XOR   linear, back from the tower to the byte
//
// The affine maps' constants are left to the caller, who mostly has a place where they cost nothing:
// S(x) = circuit(x ^ 0x75) ^ 0xd3.
//
// SPDX-License-Identifier: Apache-2.0

/// Bit i of many bytes in `b{i}`, for any width of the vector.
struct Planes<Vector> {
  var b0, b1, b2, b3, b4, b5, b6, b7: Vector
}

extension Planes {
  @inline(always) init(_ make: (Int) -> Vector) {
    (b0, b1, b2, b3) = (make(0), make(1), make(2), make(3))
    (b4, b5, b6, b7) = (make(4), make(5), make(6), make(7))
  }
}

enum SBoxCircuit {
  /// To be XORed into a byte before the circuit.
  static var inputConstant: UInt32 { 0x75 }

  /// To be XORed into a byte after the circuit.
  static var outputConstant: UInt32 { 0xd3 }
}

extension Planes where Vector: BitVector {
  /// The S-box without its constants on every byte at once.
  ///
  /// - Timing: constant; no branch and no memory access.
  /// - Source: GB/T 32907-2016 §6.2 (the table, which a test compares with all 256 values).
  @inline(always) func substituted() -> Planes {
    let x = self

    // To the tower field.
    let p0 = x.b0 ^ x.b1
    let p1 = x.b6 ^ p0
    let p2 = x.b2 ^ x.b6
    let p3 = x.b1 ^ p2
    let p4 = x.b5 ^ p3
    let p5 = x.b0 ^ p3
    let p6 = x.b0 ^ p4
    let p7 = x.b3 ^ p6
    let p8 = x.b1 ^ p7
    let p9 = x.b1 ^ x.b4
    let p10 = p1 ^ p9
    let p11 = x.b5 ^ p10
    let p12 = x.b2 ^ p10
    let p13 = x.b3 ^ p12
    let p14 = p1 ^ p11
    let p15 = x.b7 ^ p14
    let p16 = p8 ^ p15
    let p17 = p2 ^ p16
    let p18 = p3 ^ p15
    let p19 = p11 ^ p18

    // Products in GF(2^4), then the inverse there.
    let t2 = p8 & p12
    let t3 = p16 & x.b2
    let t4 = t3 ^ t2
    let t5 = p15 & p10
    let t6 = t5 ^ t2
    let t7 = p7 & p14
    let t8 = p17 & p1
    let t9 = t8 ^ t7
    let t10 = p18 & p11
    let t11 = t10 ^ t7
    let t12 = p3 & x.b5
    let t13 = x.b1 & p6
    let t14 = t13 ^ t12
    let t15 = p2 & p5
    let t16 = t15 ^ t12
    let t17 = t4 ^ t14
    let t18 = t6 ^ t16
    let t19 = t9 ^ t14
    let t20 = t11 ^ t16
    let t21 = t17 ^ p4
    let t22 = t18 ^ p0
    let t23 = t19 ^ p13
    let t24 = t20 ^ p19
    let t25 = t21 ^ t22
    let t26 = t21 & t23
    let t27 = t24 ^ t26
    let t28 = t25 & t27
    let t29 = t28 ^ t22
    let t30 = t23 ^ t24
    let t31 = t22 ^ t26
    let t32 = t31 & t30
    let t33 = t32 ^ t24
    let t34 = t23 ^ t33
    let t35 = t27 ^ t33
    let t36 = t24 & t35
    let t37 = t36 ^ t34
    let t38 = t27 ^ t36
    let t39 = t29 & t38
    let t40 = t25 ^ t39
    let t41 = t40 ^ t37
    let t42 = t29 ^ t33
    let t43 = t29 ^ t40
    let t44 = t33 ^ t37
    let t45 = t42 ^ t41

    // The inverse times both halves.
    let z0 = t44 & p12
    let z1 = t37 & x.b2
    let z2 = t33 & p10
    let z3 = t43 & p14
    let z4 = t40 & p1
    let z5 = t29 & p11
    let z6 = t42 & x.b5
    let z7 = t45 & p6
    let z8 = t41 & p5
    let z9 = t44 & p8
    let z10 = t37 & p16
    let z11 = t33 & p15
    let z12 = t43 & p7
    let z13 = t40 & p17
    let z14 = t29 & p18
    let z15 = t42 & p3
    let z16 = t45 & x.b1
    let z17 = t41 & p2

    // Back to the byte.
    let u0 = z15 ^ z17
    let u1 = z16 ^ z17
    let u2 = z12 ^ z14
    let u3 = z13 ^ z14
    let u4 = z10 ^ u3
    let u5 = u1 ^ u3
    let u6 = z1 ^ z7
    let u7 = z4 ^ z7
    let u8 = z2 ^ z8
    let u9 = z5 ^ z8
    let u10 = z3 ^ u9
    let u11 = u7 ^ u9
    let u12 = u5 ^ u11
    let u13 = z11 ^ u11
    let u14 = u4 ^ u13
    let u15 = z9 ^ u13
    let u16 = u2 ^ u15
    let u17 = u0 ^ u15
    let u18 = z6 ^ u17
    let u19 = u18 ^ u10
    let u20 = z0 ^ u10
    let u21 = u19 ^ u6
    let u22 = u5 ^ u20
    let u23 = u6 ^ u20
    let u24 = u22 ^ u8
    let u25 = u21 ^ u8
    let u26 = u12 ^ u25
    let u27 = u17 ^ u14
    return Planes(b0: u25, b1: u16, b2: u26, b3: u27, b4: u14, b5: u24, b6: u23, b7: u5)
  }
}
