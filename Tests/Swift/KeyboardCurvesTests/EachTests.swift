// Up to eight points and one scalar, on every path, against one point after another. Numbers are biased to edges: near
// the primes, near powers of two, and with limbs that are all ones or zero.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardTestSupport
import Testing

@testable import KeyboardCurves

/// A million points of each curve take a minute: with `make test THOROUGH=1`.
private let pointCount = ProcessInfo.processInfo.environment["THOROUGH"] == "1" ? 1_000_000 : 4000
private let stride = 200

/// Room for eight inputs and their outputs, twice, and scratch memory; between bytes that must not change.
private final class Room {
  let input = UnsafeMutableRawPointer.allocate(byteCount: 8 * stride, alignment: 64)
  let output = UnsafeMutableRawPointer.allocate(byteCount: 8 * stride, alignment: 64)
  let expected = UnsafeMutableRawPointer.allocate(byteCount: 8 * stride, alignment: 64)
  let scratch = UnsafeMutableRawPointer.allocate(byteCount: Curve.eachScratchSize + 64, alignment: 64)
  let scalar = UnsafeMutableRawPointer.allocate(byteCount: 32, alignment: 8)

  init() {
    for memory in [input, output, expected] {
      memory.initializeMemory(as: UInt8.self, repeating: 0xa5, count: 8 * stride)
    }
    scratch.initializeMemory(as: UInt8.self, repeating: 0xa5, count: Curve.eachScratchSize + 64)
  }

  deinit {
    for memory in [input, output, expected, scratch, scalar] { memory.deallocate() }
  }

  var isRight: Bool {
    let margin = UnsafeRawBufferPointer(start: scratch + Curve.eachScratchSize, count: 64)
    return memcmp(output, expected, 8 * stride) == 0 && margin.allSatisfy { $0 == 0xa5 }
  }

  func hexadecimal(_ memory: UnsafeMutableRawPointer, _ count: Int) -> String {
    String(Bytes(UnsafeRawBufferPointer(start: memory, count: count)))
  }
}

/// A number of 256 bits that is often near an edge.
private func edge(_ primes: [Number], using numbers: inout TestNumbers) -> Number {
  func word() -> UInt64 { numbers.next() }
  switch word() % 6 {
  case 0:
    let distance = Number(word() % 64)
    let prime = primes[Int(word() % UInt64(primes.count))]
    return word() % 2 == 0 ? prime.adding(distance).0 : prime.subtracting(distance)
  case 1:
    var words: [UInt64] = [0, 0, 0, 0]
    words[Int(word() % 4)] = 1 << (word() % 64)
    let power = Number(words)
    return word() % 2 == 0 ? power.adding(Number(word() % 4)).0 : power.subtracting(Number(word() % 4))
  case 2, 3:
    // Runs of equal bits, which fill some limbs of 51, 52 or 64 bits.
    var words: [UInt64] = [0, 0, 0, 0]
    var (bit, value) = (0, word() % 2)
    while bit < 256 {
      let run = [13, 51, 52, 64, Int(word() % 100) + 1][Int(word() % 5)]
      for place in bit..<min(256, bit + run) { words[place / 64] |= value << UInt64(place % 64) }
      bit += run
      value = word() % 3 == 0 ? value : 1 - value
    }
    return Number(words)
  default: return Number([word(), word(), word(), word()])
  }
}

private let prime25519 = Number([0xffff_ffff_ffff_ffed, .max, .max, .max >> 1])

@Test(arguments: curvePaths)
func eachUIsMultipliedAsAlone(path: CurvePath) throws {
  var numbers = TestNumbers(seed: 8)
  let (room, special) = (Room(), X25519PublicKeys.ofLowOrder)
  var done = 0
  while done < pointCount {
    let count = 1 + Int(numbers.next() % 8)
    edge([prime25519], using: &numbers).limbs.store(littleEndian: room.scalar)
    var zeros: UInt64 = 0
    for lane in 0..<count {
      let place = room.input + lane * stride
      if numbers.next() % 16 == 0 {
        place.copyMemory(from: special[Int(numbers.next() % UInt64(special.count))], byteCount: 32)
      } else {
        edge([prime25519], using: &numbers).limbs.store(littleEndian: place)
      }
      zeros |=
        (X25519.multiply(room.scalar, place, into: room.expected + lane * stride, on: .portable) & 1) << UInt64(lane)
    }
    let found = X25519.multiplyEach(
      room.scalar, room.input, into: room.output, stride: stride, count: count, on: path)
    try #require(
      found == zeros && room.isRight,
      "\(room.hexadecimal(room.scalar, 32)) · \(room.hexadecimal(room.input, count * stride))")
    done += count
    room.output.copyMemory(from: room.expected, byteCount: 8 * stride)
  }
}

/// A shared secret and the own public key at once, against the product alone and the tables.
@Test(arguments: curvePaths)
func agreeingIsTheSameOnEveryPath(path: CurvePath) throws {
  var numbers = TestNumbers(seed: 4)
  let (room, special) = (Room(), X25519PublicKeys.ofLowOrder)
  for _ in 0..<pointCount {
    edge([prime25519], using: &numbers).limbs.store(littleEndian: room.scalar)
    if numbers.next() % 16 == 0 {
      room.input.copyMemory(from: special[Int(numbers.next() % UInt64(special.count))], byteCount: 32)
    } else {
      edge([prime25519], using: &numbers).limbs.store(littleEndian: room.input)
    }
    let expected = X25519.multiply(room.scalar, room.input, into: room.expected, on: .portable)
    X25519.publicKey(of: room.scalar, into: room.expected + stride)
    let found = X25519.agree(
      room.scalar, room.input, into: room.output, publicKey: room.output + stride, on: path)
    try #require(
      found == expected && room.isRight, "\(room.hexadecimal(room.scalar, 32)) · \(room.hexadecimal(room.input, 32))")
  }
}

#if arch(x86_64)
  /// Random numbers have no carry here once in 2³³ times. So each limb is at each end of its range.
  @Test func limbsOfALadderAreCarried() throws {
    let limbs = UnsafeMutableRawPointer.allocate(byteCount: 5 * 64, alignment: 8)
    defer { limbs.deallocate() }
    let values: [UInt64] = [0, 1, 1 << 51 - 1, 1 << 51, 1 << 51 + 1 << 18 - 1]
    for choice in 0..<3125 {
      var (sum, rest) = (Number.zero, choice)
      for limb in 0..<5 {
        let value = values[rest % 5]
        rest /= 5
        limbs.storeBytes(of: value, toByteOffset: 64 * limb, as: UInt64.self)
        var words: [UInt64] = [0, 0, 0, 0]
        words[51 * limb / 64] = value << UInt64(51 * limb % 64)
        if 51 * limb % 64 > 12 { words[51 * limb / 64 + 1] = value >> UInt64(64 - 51 * limb % 64) }
        sum = sum.adding(Number(words)).0
      }
      try #require(Number(X25519.number(limbs).limbs) == sum, "\(choice)")
    }
  }
#endif

/// Each scalar of one or two bits, and the opposite ones, with each u-coordinate at an edge, pair by pair.
@Test(arguments: curvePaths)
func edgesAreMultipliedAlikeOnEveryPath(path: CurvePath) throws {
  let room = Room()
  // 0, 1, p - 1, p, p + 1, 2²⁵⁵ - 1 and 2²⁵⁶ - 1, those of order 8, and a point of the twist.
  var points = X25519PublicKeys.ofLowOrder + [-19, -2, -1, 0, 1, 18].map { X25519Functions.prime(plus: $0) }
  points += [Bytes(repeating: 0xff, count: 32), X25519PublicKeys.number(2), X25519Functions.nine]
  let bits = (0..<256).map { Bytes.littleEndian(bit: $0) }
  let scalars = bits + bits.map { $0.map { ~$0 } } + bits.map { zip($0, bits[254]).map { $0 | $1 } }
  for (index, scalar) in scalars.enumerated() {
    room.scalar.copyMemory(from: scalar, byteCount: 32)
    var zeros: UInt64 = 0
    for lane in 0..<2 {
      let place = room.input + lane * stride
      place.copyMemory(from: points[(index * (lane + 1) + lane) % points.count], byteCount: 32)
      let isZero = X25519.multiply(room.scalar, place, into: room.expected + lane * stride, on: .portable)
      zeros |= (isZero & 1) << UInt64(lane)
    }
    let found = X25519.multiplyEach(room.scalar, room.input, into: room.output, stride: stride, count: 2, on: path)
    try #require(found == zeros && room.isRight, "\(String(scalar)) · \(room.hexadecimal(room.input, 2 * stride))")
  }
}

/// Points whose coordinates, in Montgomery form or not, are near an edge; and what is not a point.
private struct EdgePoints {
  let curve: Curve
  private var pool: [Bytes] = []

  init(_ curve: Curve, using numbers: inout TestNumbers) {
    self.curve = curve
    let field = curve.field
    // The prime is 3 modulo 4: a root of v is v^((p + 1) / 4).
    let exponent = Number(field.prime).adding(.one).0.words
    for index in 0..<1500 {
      let number = edge([Number(field.prime)], using: &numbers).limbs
      let x = index % 2 == 0 ? AnyElement(number, field) : curve.element(field.reducedOnce(number, top: 0))
      let square = (x.squared - AnyElement.one(field).tripled) * x + curve.b
      var root = AnyElement.one(field)
      for bit in (2..<256).reversed() {
        root = root.squared
        if exponent[bit / 64] >> UInt64(bit % 64) & 1 == 1 { root = root * square }
      }
      guard (root.squared - square).limbs.joined == 0 else { continue }
      pool.append([4] + Number(x.number).bytes + Number(root.number).bytes)
    }
  }

  func draw(using numbers: inout TestNumbers) -> Bytes {
    var point = pool[Int(numbers.next() % UInt64(pool.count))]
    switch numbers.next() % 12 {
    case 0: point[Int(numbers.next() % 65)] ^= 1 << UInt8(numbers.next() % 8)
    case 1: point.replaceSubrange(1..<33, with: edge([Number(curve.field.prime)], using: &numbers).bytes)
    case 2: point.replaceSubrange(33..<65, with: edge([Number(curve.field.prime)], using: &numbers).bytes)
    default: break
    }
    return point
  }
}

/// 1…n - 1, often near an edge. For k = 6 and n - 6 the last addition of SM2 is of two equal points.
private func scalar(of curve: Curve, using numbers: inout TestNumbers) -> Number {
  let order = Number(curve.order.prime)
  let small = Number(1 + numbers.next() % 70)
  switch numbers.next() % 8 {
  case 0: return small
  case 1: return order.subtracting(small)
  default:
    let number = edge([order], using: &numbers).modulo(order)
    return number == .zero ? .one : number
  }
}

@Test(arguments: curvePaths, [Curve.p256, .sm2])
func eachPointIsMultipliedAsAlone(path: CurvePath, curve: Curve) throws {
  var numbers = TestNumbers(seed: 88)
  let (room, points) = (Room(), EdgePoints(curve, using: &numbers))
  var (done, valid) = (0, 0)
  while done < pointCount {
    let count = 1 + Int(numbers.next() % 8)
    let size = numbers.next() % 2 == 0 ? 32 : 64
    scalar(of: curve, using: &numbers).limbs.store(bigEndian: room.scalar)
    var onCurve: UInt64 = 0
    for lane in 0..<count {
      let offset = lane * stride
      (room.input + offset).copyMemory(from: points.draw(using: &numbers), byteCount: 65)
      let isPoint = curve.multiply(
        room.scalar, room.input + offset, into: room.expected + offset, size: size, scratch: room.scratch)
      if isPoint { onCurve |= 1 << UInt64(lane) }
    }
    let found = curve.multiplyEach(
      room.scalar, room.input, into: room.output, size: size, stride: stride, count: count, scratch: room.scratch,
      on: path)
    try #require(
      found == onCurve && room.isRight,
      "\(room.hexadecimal(room.scalar, 32)) · \(room.hexadecimal(room.input, count * stride))")
    done += count
    valid += onCurve.nonzeroBitCount
    room.output.copyMemory(from: room.expected, byteCount: 8 * stride)
  }
  #expect(valid > done / 2 && valid < done)
}
