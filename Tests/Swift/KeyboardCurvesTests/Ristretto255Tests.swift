// ristretto255 against RFC 9496 and libsodium's answers.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardCurves
import KeyboardTestSupport
import Testing

@Suite struct Ristretto255Group {
  /// A line of the file: what is computed, from which scalar and which bytes, and the answer.
  struct Line {
    let operation: Substring
    let scalar, bytes, answer: Bytes
  }

  static func lines() throws -> [Line] {
    try vectors("ristretto255.txt", count: 264, fields: 4).map { fields in
      Line(operation: fields[0], scalar: bytes(fields[1]), bytes: bytes(fields[2]), answer: bytes(fields[3]))
    }
  }

  /// What the functions give, with the mask that they return; `refused` has no answer, and 0.
  static func result(_ line: Line) -> (mask: UInt64, output: Bytes) {
    let output = Guarded(32)
    var mask = UInt64.max
    switch line.operation {
    case "generator": Ristretto255.multiplyGenerator(line.scalar, into: output.start)
    case "product": mask = Ristretto255.multiply(line.scalar, line.bytes, into: output.start)
    case "refused": mask = Ristretto255.multiply([1] + Bytes(repeating: 0, count: 31), line.bytes, into: output.start)
    case "mapped": mask = Ristretto255.multiply(line.scalar, mapped: line.bytes, into: output.start)
    case "reduced": mask = Ristretto255.reduce(line.bytes, into: output.start)
    default: Ristretto255.invert(line.scalar, into: output.start)
    }
    return (mask, output.end())
  }

  static func isRight(_ line: Line) -> Bool {
    let zero = Bytes(repeating: 0, count: 32)
    let (mask, output) = result(line)
    let expected = line.answer.isEmpty ? zero : line.answer
    let isMaskRight = line.operation == "generator" || mask == (expected == zero ? 0 : .max)
    return output == expected && isMaskRight
  }

  @Test func vectorsAreGiven() throws {
    let lines = try Self.lines()
    for (number, line) in lines.enumerated() { try #require(Self.isRight(line), "line \(number): \(line)") }
  }

  @Test func aWrongVectorIsFound() throws {
    for line in try Self.lines() where !line.answer.isEmpty {
      let wrong = Line(
        operation: line.operation, scalar: line.scalar, bytes: line.bytes, answer: line.answer.flipped(77))
      try #require(!Self.isRight(wrong), "\(line)")
    }
  }

  @Test func acceptsItsOwnElementsOnly() throws {
    for line in try Self.lines() {
      if line.operation == "refused" { try #require(!Ristretto255.isAcceptable(element: line.bytes)) }
      if line.operation == "product" { try #require(Ristretto255.isAcceptable(element: line.answer)) }
    }
  }

  @Test func scalarsBelowTheOrderAreAcceptedButNot0() {
    let order = Bytes(hexadecimal: "edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    #expect(!Ristretto255.isAcceptable(scalar: order))
    #expect(!Ristretto255.isAcceptable(scalar: Bytes(repeating: 0, count: 32)))
    #expect(!Ristretto255.isAcceptable(scalar: Bytes(repeating: 0xff, count: 32)))
    #expect(Ristretto255.isAcceptable(scalar: [order[0] - 1] + order.dropFirst()))
    #expect(!Ristretto255.isAcceptable(scalar: [order[0] + 1] + order.dropFirst()))
    #expect(Ristretto255.isAcceptable(scalar: [1] + Bytes(repeating: 0, count: 31)))
  }

  /// (a·b)·G = a·(b·G), and 1/a takes a back: what blinding relies on.
  @Test func blindingIsTakenBack() throws {
    var numbers = TestNumbers(seed: 9497)
    for _ in 0..<64 {
      let (blind, inverse, element, product) = (Guarded(32), Guarded(32), Guarded(32), Guarded(32))
      try #require(Ristretto255.reduce(numbers.bytes(64), into: blind.start) == .max)
      Ristretto255.invert(blind.start, into: inverse.start)
      let uniform = numbers.bytes(64)
      let one = [1] + Bytes(repeating: 0, count: 31)
      try #require(Ristretto255.multiply(one, mapped: uniform, into: element.start) == .max)
      try #require(Ristretto255.multiply(blind.start, mapped: uniform, into: product.start) == .max)
      try #require(Ristretto255.multiply(inverse.start, product.start, into: product.start) == .max)
      try #require(product.end() == element.end())
      _ = (blind.end(), inverse.end())
    }
  }
}
