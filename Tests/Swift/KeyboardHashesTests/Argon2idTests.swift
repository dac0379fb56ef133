// Argon2id, compared with its standard's vector, libargon2's vectors, and libargon2 itself.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardArgon2
import KeyboardTestSupport
import Testing

@testable import KeyboardHashes

/// The inputs of a hash.
private struct Case: CustomStringConvertible {
  var costs: Argon2id
  var password, salt, secret, associatedData: Bytes
  var tagSize: Int

  var description: String {
    "m=\(costs.memorySize) t=\(costs.passCount) p=\(costs.laneCount) password \(password) salt \(salt)"
      + " secret \(secret) data \(associatedData) tag \(tagSize)"
  }

  /// The library's tag; nil if it wrote outside its memory.
  func tag(on path: VectorPath) -> Bytes? {
    let (memory, scratch) = (GuardedMemory(costs.byteCount), GuardedMemory(Argon2id.scratchSize))
    let tag = GuardedMemory(tagSize)
    password.withUnsafeBytes { password in
      salt.withUnsafeBytes { salt in
        secret.withUnsafeBytes { secret in
          associatedData.withUnsafeBytes { associatedData in
            costs.take(
              Argon2id.Input(password: password, salt: salt, secret: secret, associatedData: associatedData),
              tagSize: tagSize, scratch: scratch.start)
            costs.begin(memory: memory.start, scratch: scratch.start)
            costs.fill(memory: memory.start, scratch: scratch.start, on: path)
            costs.finish(
              into: UnsafeMutableRawBufferPointer(start: tag.start, count: tagSize), memory: memory.start,
              scratch: scratch.start)
          }
        }
      }
    }
    return memory.isIntact && scratch.isIntact && tag.isIntact ? tag.bytes : nil
  }

  /// libargon2's tag.
  func libargon2Tag() throws -> Bytes {
    var (password, salt, secret, data) = (password, salt, secret, associatedData)
    var tag = Bytes(repeating: 0, count: tagSize)
    let code = tag.withUnsafeMutableBufferPointer { tag in
      password.withUnsafeMutableBufferPointer { password in
        salt.withUnsafeMutableBufferPointer { salt in
          secret.withUnsafeMutableBufferPointer { secret in
            data.withUnsafeMutableBufferPointer { data in
              var context = argon2_context()
              (context.out, context.outlen) = (tag.baseAddress, UInt32(tag.count))
              (context.pwd, context.pwdlen) = (password.baseAddress, UInt32(password.count))
              (context.salt, context.saltlen) = (salt.baseAddress, UInt32(salt.count))
              (context.secret, context.secretlen) = (secret.baseAddress, UInt32(secret.count))
              (context.ad, context.adlen) = (data.baseAddress, UInt32(data.count))
              (context.m_cost, context.t_cost) = (UInt32(costs.memorySize), UInt32(costs.passCount))
              (context.lanes, context.threads) = (UInt32(costs.laneCount), 1)
              context.version = UInt32(ARGON2_VERSION_13.rawValue)
              return argon2_ctx(&context, Argon2_id)
            }
          }
        }
      }
    }
    try #require(code == ARGON2_OK.rawValue, "libargon2 answers \(code)")
    return tag
  }

  static func random(_ numbers: inout some RandomNumberGenerator) -> Case {
    let laneCount = Int.random(in: 1...16, using: &numbers)
    let extra = Int.random(in: 0...[0, 3, 100].randomElement(using: &numbers)!, using: &numbers)
    func bytes(_ counts: ClosedRange<Int>) -> Bytes {
      (0..<Int.random(in: counts, using: &numbers)).map { _ in UInt8.random(in: 0...255, using: &numbers) }
    }
    return Case(
      costs: Argon2id(
        memorySize: 8 * laneCount + extra, passCount: Int.random(in: 1...4, using: &numbers), laneCount: laneCount),
      password: bytes(0...140), salt: bytes(8...140), secret: bytes(0...64), associatedData: bytes(0...140),
      tagSize: Int.random(in: 4...140, using: &numbers))
  }
}

private let paths = VectorPath.allCases.filter { $0 <= .best }

@Suite struct Argon2idTests {
  /// The RFC's vector, and those of libargon2's tests.
  @Test(arguments: paths) func givesTheVectors(path: VectorPath) throws {
    for (line, fields) in try vectors("argon2id.txt", count: 9, fields: 9).enumerated() {
      let expected = bytes(fields[7])
      let vector = Case(
        costs: Argon2id(memorySize: Int(fields[0])!, passCount: Int(fields[1])!, laneCount: Int(fields[2])!),
        password: bytes(fields[3]), salt: bytes(fields[4]), secret: bytes(fields[5]), associatedData: bytes(fields[6]),
        tagSize: expected.count)
      try #require(vector.tag(on: path) == expected, "line \(line)")
    }
  }

  /// Ten thousand, of which the paths take turns.
  @Test func equalsLibargon2ForRandomParameters() throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var numbers = TestNumbers(seed: seed)
    for index in 0..<10_000 {
      let one = Case.random(&numbers)
      let expected = try one.libargon2Tag()
      try #require(one.tag(on: paths[index % paths.count]) == expected, "seed \(seed), \(index): \(one)")
    }
  }

  /// Segments of 127 to 129 blocks and more: one block of random numbers serves 128.
  @Test(arguments: paths) func equalsLibargon2ForLongSegments(path: VectorPath) throws {
    var numbers = TestNumbers(seed: 5)
    for segmentLength in [127, 128, 129, 255, 256, 257, 600] {
      for laneCount in [1, 2] {
        var one = Case.random(&numbers)
        one.costs = Argon2id(memorySize: 4 * laneCount * segmentLength + 3, passCount: 2, laneCount: laneCount)
        let expected = try one.libargon2Tag()
        try #require(one.tag(on: path) == expected, "\(one)")
      }
    }
  }

  /// Bytes of tag, up to several digests of 64 with an end of every length.
  @Test func equalsLibargon2ForEveryTagSize() throws {
    var numbers = TestNumbers(seed: 6)
    for tagSize in 4...260 {
      var one = Case.random(&numbers)
      one.tagSize = tagSize
      let expected = try one.libargon2Tag()
      try #require(one.tag(on: .best) == expected, "\(one)")
    }
  }
}
