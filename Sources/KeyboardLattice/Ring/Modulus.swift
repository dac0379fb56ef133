// Arithmetic modulo q = 3329 on registers of coefficients, without division and without comparison.
// SPDX-License-Identifier: Apache-2.0

/// The modulus q of ML-KEM, and numbers that follow from it. R is 2¹⁶.
public enum Modulus {
  @inline(always) public static var q: Int16 { 3329 }
  /// 1 / q, modulo R.
  @inline(always) public static var inverse: Int16 { -3327 }
  /// R modulo q: what `product` takes for 1.
  @inline(always) public static var one: Int16 { 2285 }
  /// R² modulo q: gives back an R that `product` took away.
  @inline(always) public static var restoring: Int16 { 1353 }
  /// R² / 128 modulo q: the same, and the last step of the inverse transform.
  @inline(always) public static var restoringOver128: Int16 { 1441 }
  /// 2²⁶ / q, rounded up.
  @inline(always) public static var reciprocal: Int16 { 20159 }
}

/// A number that many are multiplied by: `a`, and `a` / q modulo R. |a| < q.
public struct Multiplier<R: Coefficients> {
  public let factor, overModulus: R

  @inline(always) public init(_ factor: R) {
    self.factor = factor
    overModulus = .lowProduct(factor, R(repeating: Modulus.inverse))
  }
}

extension Coefficients {
  /// self · other / R, modulo q: Montgomery's multiplication. |self · other| < q · 2¹⁵; the result is between -q and q.
  @inline(always) public func times(_ other: Multiplier<Self>) -> Self {
    let quotient = Self.lowProduct(self, other.overModulus)
    return .highProduct(self, other.factor) &- .highProduct(quotient, Self(repeating: Modulus.q))
  }

  /// Modulo q: the result is between 0 and q, both included. Takes every number.
  @inline(always) public var reduced: Self {
    let quotient = Self.highProduct(self, Self(repeating: Modulus.reciprocal)) &>> 10
    return self &- .lowProduct(quotient, Self(repeating: Modulus.q))
  }

  /// Modulo q: the result is between 0 and q - 1. Takes every number.
  @inline(always) public var canonical: Self {
    let difference = reduced &- Self(repeating: Modulus.q)
    return difference &+ ((difference &>> 15) & Self(repeating: Modulus.q))
  }
}
