// Powers of RSA on every path of this processor, against the portable one: moduli of all lengths, and numbers at edges.
//
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import KeyboardMemory
import KeyboardTestSupport
import Testing

@testable import KeyboardRSA

/// A hundred of them are 200,000 products, and a quarter of a second. With `make test THOROUGH=1` there are more.
private let powerCount = ProcessInfo.processInfo.environment["THOROUGH"] == "1" ? 20_000 : 500

/// Memory for tests, which is not wiped.
private final class Room {
  let words: Words
  let count: Int

  init(_ count: Int) {
    self.count = count
    words = UnsafeMutableRawPointer.allocate(byteCount: 8 * count, alignment: 64).assumingMemoryBound(to: Word.self)
    words.initialize(repeating: 0xa5a5_a5a5, count: count)
  }

  deinit { words.deallocate() }

  var bytes: Bytes { Bytes(UnsafeRawBufferPointer(start: words, count: 8 * count)) }
}

#if arch(x86_64)
  import KeyboardRSAIFMA

  /// A number of so many bits, often at an edge.
  private func edge(bits: Int, _ numbers: inout TestNumbers) -> [Word] {
    var words = [Word](repeating: 0, count: Numbers.wordCount(bits: bits))
    let (kind, run) = (numbers.next() % 8, Int(numbers.next() % 200) + 1)
    var value = numbers.next() & 1
    for bit in 0..<bits {
      switch kind {
      case 0: value = 1
      case 1: value = bit == 0 ? 1 : 0
      case 2: value = 0
      case 3: if bit % run == 0 { value = numbers.next() & 1 }
      case 4: if bit % 52 == 0 { value = numbers.next() & 1 }
      default: value = numbers.next() & 1
      }
      words[bit / 64] |= value << UInt64(bit % 64)
    }
    return words
  }

  /// One side of two powers: a modulus, a number below it, and an exponent.
  private struct PowerTask {
    let bits, count: Int
    let modulus, base, exponent: [Word]

    /// - Parameter other: one with the same modulus and exponent.
    init(bits: Int, isShort: Bool, as other: PowerTask? = nil, _ numbers: inout TestNumbers) {
      (self.bits, count) = (bits, Numbers.wordCount(bits: bits))
      var modulus = edge(bits: bits - 1, &numbers)
      modulus += Array(repeating: 0, count: count - modulus.count)
      modulus[0] |= 1
      let highest = bits - (isShort ? 2 : 1)  // of one prime, the highest bit may be 0
      modulus[(bits - 2) / 64] &= ~(1 << UInt64((bits - 2) % 64))
      modulus[highest / 64] |= 1 << UInt64(highest % 64)
      modulus = other?.modulus ?? modulus
      self.modulus = modulus
      exponent = other?.exponent ?? edge(bits: bits, &numbers)
      let room = Room(3 * count)
      let (n, x, t) = (room.words, room.words + count, room.words + 2 * count)
      n.update(from: modulus, count: count)
      x.update(from: edge(bits: bits, &numbers), count: count)
      switch numbers.next() % 8 {
      case 0: Numbers.clear(x, count)
      case 1:
        Numbers.copy(n, to: x, count)
        _ = Numbers.subtract(x, word: 1, count)
      default:
        while Numbers.isLess(x, n, count) == 0 { _ = Numbers.subtract(x, n, count) }
      }
      Numbers.copy(x, to: t, count)
      base = Array(UnsafeBufferPointer(start: x, count: count))
    }

    func power(toPublic exponent: UInt64) -> [Word] {
      let room = Room(6 * count)
      func number(_ index: Int) -> Words { room.words + index * count }
      number(0).update(from: modulus, count: count)
      number(1).update(from: base, count: count)
      Modulus(number(0), count).raise(
        number(1), toPublic: exponent, into: number(2), bits: bits - 1, form: number(3), number(4))
      return Array(UnsafeBufferPointer(start: number(2), count: count))
    }

    /// On the portable path.
    var power: [Word] {
      let room = Room((8 + 16) * count)
      func number(_ index: Int) -> Words { room.words + index * count }
      number(0).update(from: modulus, count: count)
      number(1).update(from: base, count: count)
      number(2).update(from: exponent, count: count)
      let modulus = Modulus(number(0), count)
      modulus.makeR(number(3), squared: false, bits: bits - 1, number(6))
      modulus.makeR(number(4), squared: true, bits: bits - 1, number(6))
      modulus.multiply(number(1), number(4), into: number(1), number(6))
      modulus.raise(
        number(1), to: number(2), bits: bits, one: number(3), table: number(8), factor: number(5), number(6))
      modulus.leave(number(1), number(6))
      return Array(UnsafeBufferPointer(start: number(1), count: count))
    }
  }

  /// Both powers in AVX-512, reduced.
  private func powers(_ tasks: [PowerTask]) -> [[Word]] {
    let (bits, count) = (tasks[0].bits, tasks[0].count)
    let (memory, room) = (Room(TwoPowers.byteCount / 8 + 8), Room(5 * count))
    let powers = TwoPowers(bits: bits, at: memory.words)
    let root = Modulus.root(ofWidth: powers.width)
    func number(_ index: Int) -> Words { room.words + index * count }
    for (side, task) in tasks.enumerated() {
      number(0).update(from: task.modulus, count: count)
      number(1).update(from: task.base, count: count)
      let modulus = Modulus(number(0), count)
      modulus.makePower(number(2), of: powers.width, bits: bits - 1)
      modulus.makePower(number(3), of: powers.width + root.small, bits: bits - 1)
      powers.begin(side, modulus: number(0), base: number(1), one: number(2), root: number(3), count: count)
    }
    number(0).update(from: tasks[0].exponent, count: count)
    number(1).update(from: tasks[1].exponent, count: count)
    powers.run(
      (UnsafePointer(number(0)), UnsafePointer(number(1))), bits: bits, squarings: root.squarings)
    let results = tasks.enumerated().map { side, task in
      powers.end(side, into: number(2), count: count)
      number(3).update(from: task.modulus, count: count)
      Modulus(number(3), count).reduceOnce(number(2))
      return Array(UnsafeBufferPointer(start: number(2), count: count))
    }
    let margin = UnsafeBufferPointer(start: memory.words + TwoPowers.byteCount / 8, count: 8)
    #expect(margin.allSatisfy { $0 == 0xa5a5_a5a5 })
    return results
  }

  /// More than a million products: a power of 1024 bits takes 1,300 of them.
  @Test(.enabled(if: RSAPath.best == .ifma)) func twoPowersAreThoseOfThePortablePath() throws {
    var numbers = TestNumbers(seed: 52)
    let lengths = [1024, 1025, 1026, 1038, 1039, 1040, 1152, 1247, 1536, 1662, 1663, 1664, 2000, 2047, 2048]
    for turn in 0..<powerCount {
      let bits = turn < 2 * lengths.count ? lengths[turn / 2] : 1024 + Int(numbers.next() % 1025)
      let tasks = (0..<2).map { side in PowerTask(bits: bits, isShort: side == turn % 3, &numbers) }
      let results = powers(tasks)
      for (side, task) in tasks.enumerated() {
        try #require(results[side] == task.power, "\(bits) bits, side \(side): \(task)")
      }
    }
  }

  /// The powers of eight tasks of one modulus and exponent, reduced: with that exponent, and with a public one.
  private func eightPowers(_ tasks: [PowerTask], toPublic exponent: UInt64) -> (secret: [[Word]], public: [[Word]]) {
    let (bits, count) = (tasks[0].bits, tasks[0].count)
    let (memory, room) = (Room(EightPowers.byteCount / 8 + 8), Room(5 * count))
    let powers = EightPowers(bits: bits, at: memory.words)
    let root = Modulus.root(ofWidth: powers.width)
    func number(_ index: Int) -> Words { room.words + index * count }
    number(0).update(from: tasks[0].modulus, count: count)
    number(1).update(from: tasks[0].exponent, count: count)
    let modulus = Modulus(number(0), count)
    modulus.makePower(number(2), of: powers.width, bits: bits - 1)
    modulus.makePower(number(3), of: powers.width + root.small, bits: bits - 1)
    func results(_ raise: () -> Void) -> [[Word]] {
      powers.begin(modulus: number(0), one: number(2), root: number(3), count: count)
      for (lane, task) in tasks.enumerated() {
        number(4).update(from: task.base, count: count)
        powers.load(number(4), count: count, lane: lane)
      }
      raise()
      return tasks.indices.map { lane in
        powers.end(lane, into: number(4), count: count)
        modulus.reduceOnce(number(4))
        return Array(UnsafeBufferPointer(start: number(4), count: count))
      }
    }
    let secret = results { powers.raise(to: number(1), bits: bits, squarings: root.squarings) }
    let open = results { powers.raise(toPublic: exponent, squarings: root.squarings) }
    let margin = UnsafeBufferPointer(start: memory.words + EightPowers.byteCount / 8, count: 8)
    #expect(margin.allSatisfy { $0 == 0xa5a5_a5a5 })
    return (secret, open)
  }

  /// More than a million products, too.
  @Test(.enabled(if: RSAPath.best == .ifma)) func eightPowersAreThoseOfThePortablePath() throws {
    var numbers = TestNumbers(seed: 8)
    for turn in 0..<powerCount / 5 {
      let bits = turn < 15 ? [1024, 1025, 1038, 1536, 1664, 2046, 2047, 2048][turn / 2] : 1024 + turn * 7 % 1025
      let first = PowerTask(bits: bits, isShort: turn % 3 == 0, &numbers)
      let tasks = [first] + (1..<8).map { _ in PowerTask(bits: bits, isShort: false, as: first, &numbers) }
      let exponents: [UInt64] = [3, 5, 65537, .max]
      let exponent = exponents[turn % 4]
      let results = eightPowers(tasks, toPublic: exponent)
      for (lane, task) in tasks.enumerated() {
        try #require(results.secret[lane] == task.power, "\(bits) bits, lane \(lane): \(task)")
        try #require(results.public[lane] == task.power(toPublic: exponent), "\(bits) bits, lane \(lane): \(task)")
      }
    }
  }

  /// Of one to eight texts, some of which are not below the modulus.
  @Test(.enabled(if: RSAPath.best == .ifma)) func privatePowersOfManyAreThoseOfOne() throws {
    var numbers = TestNumbers(seed: 11)
    for key in try TestKey.all() {
      let (n, length) = (key.numbers[0], key.numbers[0].count)
      func padded(_ bytes: Bytes) -> Bytes { Bytes(repeating: 0, count: length - bytes.count) + bytes }
      let edges = [
        padded([]), padded([1]), n.flipped(8 * length - 8), padded(key.numbers[3]), padded(key.numbers[4]), n,
        Bytes(repeating: 255, count: length),
      ]
      for count in 1...8 {
        let texts = (0..<count).map { index in
          numbers.next() % 2 == 0 ? edges[Int(numbers.next() % 7)] : [0] + numbers.bytes(length - 1)
        }
        let (memory, input, output) = (Room(PrivatePowers.byteCount / 8 + 8), Room(8 * 64), Room(8 * 64))
        for (index, text) in texts.enumerated() {
          UnsafeMutableRawPointer(input.words + 64 * index).copyMemory(from: text, byteCount: length)
        }
        let (isBelow, isRight) = try key.privateKey.withUnsafeBytes { bytes in
          PrivatePowers(try RSAKey(privateKey: bytes), at: memory.words)
            .run(input.words, into: output.words, stride: 512, count: count)
        }
        for (index, text) in texts.enumerated() {
          let expected = try power(text, key.privateKey, on: .portable)
          #expect(isBelow >> UInt64(index) & 1 == (expected == nil ? 0 : 1))
          guard let expected else { continue }
          let result = Bytes(UnsafeRawBufferPointer(start: output.words + 64 * index, count: length))
          try #require(result == expected && isRight >> UInt64(index) & 1 == 1, "\(key.bits), \(index): \(text)")
        }
        #expect(output.bytes.dropFirst(512 * count).elementsEqual(Room(8 * 64).bytes.dropFirst(512 * count)))
      }
    }
  }

  /// A key whose dP is wrong, as a fault of the machine would make it.
  @Test(.enabled(if: RSAPath.best == .ifma)) func aWrongPowerOfManyIsNoticed() throws {
    let key = try #require(try TestKey.all().first)
    var wrong = key.numbers
    wrong[5] = wrong[5].flipped(77)
    let length = wrong[0].count
    let (memory, texts, output) = (Room(PrivatePowers.byteCount / 8), Room(8 * 64), Room(8 * 64))
    let workspace = try Workspace(.batch)
    texts.words.update(repeating: 7, count: 8 * 64)
    func powers(_ key: Bytes) throws -> (isBelow: UInt64, isRight: UInt64) {
      try key.withUnsafeBytes {
        try RSA.powers(
          texts.words, privateKey: $0, into: output.words, stride: length, count: 8, at: memory.words,
          in: workspace.pieces)
      }
    }
    #expect(try powers(key.privateKey) == (0xff, 0xff))
    #expect(try powers(DER.pkcs1(wrong)) == (0xff, 0))
  }
#endif

/// c and the result are bytes of the modulus's length.
private func power(_ c: Bytes, _ key: Bytes, on path: RSAPath) throws -> Bytes? {
  let workspace = try Workspace(.batch)
  return try key.withUnsafeBytes { bytes in
    var pieces = workspace.pieces
    let key = try RSAKey(privateKey: bytes)
    let power = PrivatePower(key, in: &pieces, on: path)
    guard power.load(c) else { return nil }
    try power.run()
    let result = GuardedMemory(key.length)
    Numbers.store(power.m, into: result.start, byteCount: key.length)
    return result.bytes
  }
}

/// The number 0 too, its neighbours, and multiples of the primes, of which one of two powers is 0.
@Test(arguments: RSAPath.allCases.filter { $0 <= .best })
func privatePowersAreThoseOfThePortablePath(path: RSAPath) throws {
  var numbers = TestNumbers(seed: 3)
  for key in try TestKey.all() {
    let (n, count) = (key.numbers[0], key.numbers[0].count)
    func padded(_ bytes: Bytes) -> Bytes { Bytes(repeating: 0, count: count - bytes.count) + bytes }
    let zero = padded([])
    var texts = [
      zero, padded([1]), padded([2]), n.flipped(8 * count - 8), padded(key.numbers[3]), padded(key.numbers[4]),
    ]
    for _ in 0..<20 { texts.append([0] + (1..<count).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }) }
    for text in texts {
      let expected = try #require(try power(text, key.privateKey, on: .portable))
      try #require(try power(text, key.privateKey, on: path) == expected, "\(key.bits): \(text)")
    }
    // They are their own powers: -1 because the exponent is odd.
    for text in [texts[0], texts[1], texts[3]] {
      try #require(try power(text, key.privateKey, on: path) == text, "\(key.bits)")
    }
    try #require(try power(n, key.privateKey, on: path) == nil)
  }
}
