// Polynomials: numbers modulo q, compared with division; the transform, compared with the definition of multiplication.
// SPDX-License-Identifier: Apache-2.0

import KeyboardHashes
import KeyboardLatticeRing
import KeyboardTestSupport
import Testing

@testable import KeyboardLattice

private let q = 3329

/// A polynomial in memory between guards.
private final class Polynomial {
  let memory = GuardedMemory(512)
  var start: UnsafeMutableRawPointer { memory.start }

  init(_ coefficients: [Int]) { self.coefficients = coefficients }
  convenience init() { self.init([Int](repeating: 0, count: 256)) }

  var coefficients: [Int] {
    get { (0..<256).map { Int(start.load(fromByteOffset: 2 * $0, as: Int16.self)) } }
    set {
      for (index, number) in newValue.enumerated() {
        start.storeBytes(of: Int16(number), toByteOffset: 2 * index, as: Int16.self)
      }
    }
  }
}

private func modulo(_ number: Int) -> Int { (number % q + q) % q }

extension TestNumbers {
  fileprivate mutating func polynomial(_ range: ClosedRange<Int>) -> [Int] {
    (0..<256).map { _ in Int.random(in: range, using: &self) }
  }
}

@Suite struct RingTests {
  @Test func reducesEveryNumber() throws {
    func lane(_ register: EightCoefficients) -> Int { Int(withUnsafeBytes(of: register) { $0.load(as: Int16.self) }) }
    for number in Int(Int16.min)...Int(Int16.max) {
      let register = EightCoefficients(repeating: Int16(number))
      let reduced = lane(register.reduced)
      try #require(0...q ~= reduced && modulo(reduced) == modulo(number), "\(number)")
      try #require(lane(register.canonical) == modulo(number), "\(number)")
    }
  }

  @Test(arguments: paths) func multipliesAsTheDefinitionSays(path: VectorPath) throws {
    let ring = Ring(path: path)
    var generator = TestNumbers(seed: 10)
    for round in 0..<30 {
      // The largest numbers that are allowed, at first.
      let range = round == 0 ? q - 1...q - 1 : round == 1 ? 1 - q...1 - q : 1 - q...q - 1
      let factors = (0..<3).map { _ in (generator.polynomial(range), generator.polynomial(range)) }
      let (row, column) = (GuardedMemory(3 * 512), GuardedMemory(3 * 512))
      var expected = [Int](repeating: 0, count: 256)
      for (index, (a, b)) in factors.enumerated() {
        for (memory, polynomial) in [(row, a), (column, b)] {
          let place = memory.start + 512 * index
          // The polynomial's memory lives no longer than it is used.
          withExtendedLifetime(Polynomial(polynomial)) { place.copyMemory(from: $0.start, byteCount: 512) }
          ring.transform(place)
        }
        for i in 0..<256 {
          // X²⁵⁶ is -1.
          for j in 0..<256 { expected[(i + j) % 256] += i + j < 256 ? a[i] * b[j] : -a[i] * b[j] }
        }
      }
      let product = Polynomial()
      ring.innerProduct(row.start, step: 512, column.start, into: product.start)
      ring.transformBack(product.start)
      try #require(product.coefficients.allSatisfy { abs($0) < q })
      try #require(product.coefficients.map(modulo) == expected.map(modulo), "round \(round)")
      try #require(row.isIntact && column.isIntact && product.memory.isIntact)
    }
  }

  /// Coefficients 2 · i and 2 · i + 1 are the polynomial modulo X² - ζ^(2 · BitRev7(i) + 1). (FIPS 203 §4.3)
  @Test(arguments: paths) func transformsAsTheStandardSays(path: VectorPath) throws {
    let ring = Ring(path: path)
    var generator = TestNumbers(seed: 11)
    let input = generator.polynomial(0...q - 1)
    let polynomial = Polynomial(input)
    ring.transform(polynomial.start)
    ring.ungroup(polynomial.start)
    for pair in 0..<128 {
      let reversed = (0..<7).reduce(0) { $0 | (pair >> $1 & 1) << (6 - $1) }
      let root = (0..<2 * reversed + 1).reduce(1) { product, _ in product * 17 % q }
      var (even, odd, power) = (0, 0, 1)
      for index in 0..<128 {
        even += input[2 * index] * power
        odd += input[2 * index + 1] * power
        power = power * root % q
      }
      let values = polynomial.coefficients[2 * pair...2 * pair + 1]
      try #require(Array(values) == [modulo(even), modulo(odd)], "pair \(pair)")
    }
    let before = polynomial.coefficients
    ring.group(polynomial.start)
    ring.ungroup(polynomial.start)
    #expect(polynomial.coefficients == before)
    #expect(polynomial.memory.isIntact)
  }

  @Test(arguments: paths) func addsMultiples(path: VectorPath) throws {
    var generator = TestNumbers(seed: 12)
    for factor in [Modulus.one, -Modulus.one, Modulus.restoring] {
      for _ in 0..<20 {
        let (a, b) = (Polynomial(generator.polynomial(1 - q...q - 1)), Polynomial(generator.polynomial(-q...q)))
        // 169 is 1 / R.
        let expected = zip(a.coefficients, b.coefficients).map { modulo($0 * Int(factor) * 169 + $1) }
        withExtendedLifetime(b) { Ring(path: path).add(b.start, to: a.start, times: factor) }
        try #require(a.coefficients == expected)
      }
    }
  }

  @Test(arguments: paths) func drawsNoiseAsTheStandardSays(path: VectorPath) throws {
    var generator = TestNumbers(seed: 13)
    for round in 0..<50 {
      let input = round == 0 ? Bytes(repeating: 0x33, count: 128) : generator.bytes(128)
      func bit(_ index: Int) -> Int { Int(input[index / 8] >> (index % 8) & 1) }
      let expected = (0..<256).map { bit(4 * $0) + bit(4 * $0 + 1) - bit(4 * $0 + 2) - bit(4 * $0 + 3) }
      let polynomial = Polynomial()
      Ring(path: path).sampleNoise(input, into: polynomial.start)
      try #require(polynomial.coefficients == expected, "round \(round)")
      try #require(polynomial.memory.isIntact)
    }
  }

  /// Compress and decompress, of every number.
  @Test(arguments: [Coding.u, .v, .message, .key].map(\.bits)) func codesEveryNumber(bits: UInt64) throws {
    let coding = try #require([Coding.u, .v, .message, .key].first { $0.bits == bits })
    let (count, isKey) = (1 << Int(bits), bits == 12)
    let output = GuardedMemory(coding.byteCount)
    func number(_ index: Int) -> Int {
      (0..<Int(bits)).reduce(0) { sum, bit in
        let place = index * Int(bits) + bit
        return sum | Int(output.bytes[place / 8] >> (place % 8) & 1) << bit
      }
    }
    for first in stride(from: 0, to: q, by: 256) {
      let numbers = (first..<first + 256).map { min($0, q - 1) }
      withExtendedLifetime(Polynomial(numbers)) { coding.pack($0.start, into: output.start) }
      for (index, x) in numbers.enumerated() {
        // Rounding, with halves going up. (FIPS 203 §2.3)
        let expected = isKey ? x : (2 * count * x + q) / (2 * q) % count
        try #require(number(index) == expected, "\(x)")
      }
      let back = Polynomial()
      coding.unpack(output.start, into: back.start)
      for (index, x) in numbers.enumerated() {
        let expected = isKey ? x : (2 * q * number(index) + count) / (2 * count)
        try #require(back.coefficients[index] == expected, "\(x)")
      }
      try #require(output.isIntact && back.memory.isIntact)
    }
  }

  /// As FIPS 203, algorithm 7, has it; the numbers that are too large are left out.
  @Test func drawsCoefficientsBelowTheModulus() throws {
    var generator = TestNumbers(seed: 14)
    for round in 0..<50 {
      let polynomial = Polynomial()
      var (count, expected) = (0, [Int]())
      while count < 256 {
        // Sometimes many numbers in a row are too large.
        let block = generator.bytes(168).map { round % 3 == 0 ? $0 | 0xf0 : $0 }
        for place in stride(from: 0, to: 168, by: 3) {
          let (a, b, c) = (Int(block[place]), Int(block[place + 1]), Int(block[place + 2]))
          expected += [a + 256 * (b % 16), b / 16 + 16 * c].filter { $0 < q }
        }
        let before = count
        count = Coding.sampleUniform(block, byteCount: 168, after: count, into: polynomial.start)
        try #require(count == min(expected.count, 256))
        if round % 3 == 0 && count == before { break }
      }
      try #require(Array(polynomial.coefficients.prefix(count)) == Array(expected.prefix(256)))
      try #require(polynomial.memory.isIntact)
    }
  }
}
