// A batch compared with one call for each job.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import KeyboardSM4
import Testing

@testable import KeyboardCipher
@testable import KeyboardECB

/// A job with its own memory: the key, the text, and a place for the password with a margin that must not change.
private final class OwnedJob {
  let key: UnsafeMutableBufferPointer<UInt8>
  let text: UnsafeMutableBufferPointer<UInt8>
  let clear: UnsafeMutableBufferPointer<UInt8>
  let capacity: Int

  init(key: [UInt8], text: [UInt8], capacity: Int) {
    func copy(_ bytes: [UInt8]) -> UnsafeMutableBufferPointer<UInt8> {
      let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
      _ = memory.initialize(from: bytes)
      return memory
    }
    self.key = copy(key)
    self.text = copy(text)
    clear = copy([UInt8](repeating: 0xee, count: capacity + 200))
    self.capacity = capacity
  }

  deinit {
    key.deallocate()
    text.deallocate()
    clear.deallocate()
  }

  var job: DecryptionJob {
    DecryptionJob(key: .init(key), text: .init(text), clear: .init(start: clear.baseAddress, count: capacity))
  }
}

/// The result of one call of `decrypt` for a job, in a space of its own: the code, the length, the bytes.
private func expected(_ owned: OwnedJob, way: EncryptionWay) -> (code: UInt32, length: Int, clear: [UInt8]) {
  let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 256, alignment: 1)
  defer { space.deallocate() }
  do throws(KeyboardError) {
    let range = try decrypt(.init(owned.text), way: way, key: .init(owned.key), into: space)
    guard range.count <= owned.capacity else { throw .spaceTooSmall(needed: range.count) }
    return (0, range.count, Array(space[range]))
  } catch {
    if case .spaceTooSmall(let needed) = error { return (error.code, needed, []) }
    return (error.code, 0, [])
  }
}

private func encrypted(_ password: [UInt8], way: EncryptionWay, key: [UInt8]) throws -> [UInt8] {
  let cipher = try PasswordCipher(way, for: .decryption, textLength: maximumTextLength)
  cipher.text.copyMemory(from: password, byteCount: password.count)
  cipher.key.copyMemory(from: key, byteCount: key.count)
  let length = cipher.encrypt(byteCount: password.count, keyLength: key.count)
  return (0..<length).map { cipher.text.load(fromByteOffset: $0, as: UInt8.self) }
}

/// Good jobs of every length, and every kind of bad job among them.
private func randomJob(_ way: EncryptionWay) throws -> OwnedJob {
  func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
  let keyLengths: [EncryptionWay: [Int]] = [.des: [8], .tripleDES: [16, 24], .sm4: [16]]
  var key = random(keyLengths[way]!.randomElement()!)
  // Mostly short, as passwords are.
  let length = Bool.random() ? Int.random(in: 0...15) : Int.random(in: 0...128)
  var text = try encrypted(random(length), way: way, key: key)
  var capacity = length + Int.random(in: 0...20)
  switch Int.random(in: 0..<12) {
  case 0: text[text.count - 1 - Int.random(in: 0..<way.blockSize)] ^= UInt8.random(in: 1...255)
  case 1: text.removeLast(Int.random(in: 1...text.count))
  case 2: text += random(way.blockSize * Int.random(in: 1...20))
  case 3: key.removeLast(Int.random(in: 1...key.count))
  case 4: capacity = Int.random(in: 0...max(0, length - 1))
  case 5: text = random(text.count)
  default: break
  }
  return OwnedJob(key: key, text: text, capacity: capacity)
}

@Test(arguments: EncryptionWay.allCases, [0, 1, 2, 3, 4, 7, 15, 16, 17, 31, 33, 64, 65, 130, 300])
func aBatchAnswersEachJobAsDecryptDoes(way: EncryptionWay, count: Int) throws {
  let owned = try (0..<count).map { _ in try randomJob(way) }
  var jobs = owned.map(\.job)
  try jobs.withUnsafeMutableBufferPointer { try decryptBatch($0, way: way) }
  for (owned, job) in zip(owned, jobs) {
    let (code, length, clear) = expected(owned, way: way)
    try #require(job.code == code)
    try #require(job.clearLength == length)
    try #require(Array(owned.clear[..<clear.count]) == clear)
    try #require(owned.clear[clear.count...].allSatisfy { $0 == 0xee }, "nothing is written but the password")
  }
}

@Test func jobsWhosePlacesOverlapTheirOwnInputsAreRefused() throws {
  let key = Array("8907654329807654".utf8)
  var memory = try encrypted(Array("kgcx879@".utf8), way: .sm4, key: key) + key
  let before = memory
  try memory.withUnsafeMutableBufferPointer { memory in
    let text = UnsafeBufferPointer(rebasing: memory[..<16])
    let key = UnsafeBufferPointer(rebasing: memory[16...])
    var jobs = [4..<14, 20..<30].map {
      DecryptionJob(key: key, text: text, clear: UnsafeMutableBufferPointer(rebasing: memory[$0]))
    }
    try jobs.withUnsafeMutableBufferPointer { try decryptBatch($0, way: .sm4) }
    #expect(jobs.allSatisfy { $0.code == KeyboardError.argument.code && $0.clearLength == 0 })
  }
  #expect(memory == before)
}

/// A job's words, most of them at the edges of what is allowed. Nothing that they point to is ever read.
private func randomWords(_ jobs: UnsafeMutableBufferPointer<DecryptionJob>) -> [UInt] {
  func oneOf(_ words: UInt...) -> UInt { words.randomElement()! }
  func rarely(_ other: UInt, _ usual: UInt) -> UInt { Int.random(in: 0..<12) == 0 ? other : usual }
  let (start, top) = (UInt(bitPattern: jobs.baseAddress!), UInt(Int.max) + 1)
  let end = start + UInt(MemoryLayout<DecryptionJob>.stride * jobs.count)
  let length = rarely(oneOf(0, 8, 15, 17, 32, top + 16, .max, 1 << 32 + 16), 16)
  let capacity = rarely(oneOf(0, 15, UInt(Int32.max / 2) + 15, UInt(Int32.max / 2) + 17, top, .max), oneOf(16, 17, 48))
  let clear = rarely(oneOf(0, 1, top - 1, top, .max), oneOf(1 << 40, start &- capacity &- 1, start &- capacity, end))
  let near = oneOf(clear &- 17, clear &- 16, clear &- 15, clear &+ capacity &- 1, clear &+ capacity)
  func place() -> UInt { rarely(oneOf(0, top, .max), oneOf(near, 1 << 41)) }
  return [place(), length, place(), rarely(length ^ 1, length), clear, capacity, 0, 0]
}

/// Where the processor can read a whole job at once: all and only those that the code for other processors finds plain.
@Test(.enabled(if: SM4.readsJobs)) func whatIsTakenWholeIsWhatIsPlain() throws {
  let count = 5
  let memory = UnsafeMutableBufferPointer<DecryptionJob>.allocate(capacity: count)
  let lanes = UnsafeMutablePointer<SM4.Job>.allocate(capacity: count)
  let origins = UnsafeMutablePointer<BlockOrigin>.allocate(capacity: count)
  defer {
    memory.deallocate()
    lanes.deallocate()
    origins.deallocate()
  }
  let jobs = Jobs(first: memory.baseAddress!, count: count)
  var (plain, others) = (0, 0)
  for _ in 0..<50_000 {
    let words = (0..<count).flatMap { _ in randomWords(memory) }
    UnsafeMutableRawBufferPointer(memory).copyBytes(from: words.withUnsafeBytes(Array.init))
    let expected = (0..<count).prefix { jobs.input($0).isPlain(in: jobs) }.count
    let taken = SM4.take(jobs.memory, from: 0, count: count, into: lanes, origins: origins)
    try #require(taken == expected, "\(words)")
    for number in 0..<taken {
      let input = jobs.input(number)
      try #require(lanes[number].key == UnsafeRawPointer(input.key))
      try #require(lanes[number].text == UnsafeRawPointer(input.text))
      try #require(origins[number].job == UnsafeMutableRawPointer(jobs.first + number))
      try #require(origins[number].clear == UnsafeMutableRawPointer(input.place.clear))
    }
    plain += taken
    others += taken < count ? 1 : 0
  }
  #expect(plain > 10_000 && others > 10_000)
}
