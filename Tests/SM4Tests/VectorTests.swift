// GB/T 32907-2016 Annex A, and every way through the portable path against the plainest one.

import Testing

@testable import SM4

private let exampleKey = [UInt8](hexadecimal: "0123456789abcdeffedcba9876543210")

/// A key schedule for one test.
private final class Schedule {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: SM4.scheduleSize, alignment: 8)

  init(_ key: [UInt8], for direction: SM4.Direction) {
    SM4.setKey(key, for: direction, schedule: memory)
  }

  deinit { memory.deallocate() }

  func crypt(_ blocks: [UInt8]) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: blocks.count)
    output.withUnsafeMutableBytes { output in
      blocks.withUnsafeBytes { input in
        guard let source = input.baseAddress, let target = output.baseAddress else { return }
        SM4.crypt(schedule: memory, input: source, output: target, blockCount: blocks.count / SM4.blockSize)
      }
    }
    return output
  }
}

@Test func exampleOneOfTheStandard() {
  let ciphertext = [UInt8](hexadecimal: "681edf34d206965e86b3e94f536e4246")
  #expect(Schedule(exampleKey, for: .encryption).crypt(exampleKey) == ciphertext)
  #expect(Schedule(exampleKey, for: .decryption).crypt(ciphertext) == exampleKey)
}

/// The standard's second example goes on to a million times, which the C programs do; its first thousand are from another
/// implementation (OpenSSL 3.0).
@Test func exampleTwoOfTheStandardBegins() {
  let schedule = Schedule(exampleKey, for: .encryption)
  var block = exampleKey
  for _ in 0..<1000 { block = schedule.crypt(block) }
  #expect(block == [UInt8](hexadecimal: "d735e91cc5689cf312bcc1efb740e813"))
}

@Test(arguments: [SM4.Direction.encryption, .decryption])
func everyNumberOfBlocksEqualsOneAtATime(direction: SM4.Direction) {
  var generator = SystemRandomNumberGenerator()
  for count in 0...130 {
    let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let blocks = (0..<16 * count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    let schedule = Schedule(key, for: direction)
    let expected = stride(from: 0, to: blocks.count, by: 16).flatMap { schedule.crypt(Array(blocks[$0..<$0 + 16])) }
    #expect(schedule.crypt(blocks) == expected, "\(count) blocks")
  }
}

@Test(arguments: [1, 3, 4, 5, 31, 32, 33, 70])
func inPlaceAndUnalignedEqualApart(count: Int) {
  let schedule = Schedule(exampleKey, for: .encryption)
  let blocks = (0..<16 * count).map { UInt8(truncatingIfNeeded: $0 &* 41 &+ 7) }
  let expected = schedule.crypt(blocks)
  for shift in 0..<16 {
    var memory = [UInt8](repeating: 0xee, count: shift) + blocks + [0xee]
    memory.withUnsafeMutableBytes { memory in
      let place = memory.baseAddress! + shift
      SM4.crypt(schedule: schedule.memory, input: place, output: place, blockCount: count)
    }
    #expect(Array(memory[shift..<shift + blocks.count]) == expected)
    #expect(memory.last == 0xee && memory[..<shift].allSatisfy { $0 == 0xee })
  }
}
