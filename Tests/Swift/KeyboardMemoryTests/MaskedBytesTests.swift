// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeyboardMemory

@Test func maskedBytesReadAsStoredButAreNotInTheClear() throws {
  let secret = Array("correct horse battery staple".utf8)
  let memory = UnsafeMutableRawPointer.allocate(byteCount: MaskedBytes.byteCount(capacity: 64), alignment: 8)
  defer { memory.deallocate() }
  let bytes = MaskedBytes(at: memory, capacity: 64)
  try bytes.reset()
  secret.withUnsafeBytes { bytes.store($0, at: 3) }
  #expect((3..<3 + secret.count).map { bytes[$0] } == secret)

  let raw = Array(UnsafeRawBufferPointer(start: memory, count: 128))
  for length in [4, 8, secret.count] {
    let needle = secret[..<length]
    try #require(!raw.indices.contains { raw[$0...].starts(with: needle) }, "\(length) bytes of it")
  }

  var clear = [UInt8](repeating: 0, count: 3 + secret.count)
  clear.withUnsafeMutableBytes { bytes.unmask(count: $0.count, into: $0.baseAddress!) }
  #expect(Array(clear[3...]) == secret)

  bytes.wipe(5..<10)
  #expect((5..<10).allSatisfy { bytes[$0] == 0 })
  #expect(bytes[10] == secret[7])
}

@Test func everyResetDrawsANewPad() throws {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 8)
  defer { memory.deallocate() }
  let bytes = MaskedBytes(at: memory, capacity: 32)
  try bytes.reset()
  let first = Array(UnsafeRawBufferPointer(start: memory + 32, count: 32))
  try bytes.reset()
  #expect(Array(UnsafeRawBufferPointer(start: memory + 32, count: 32)) != first)
}

@Test func unmaskingWritesSoManyBytesAndNoMore() throws {
  let memory = UnsafeMutableRawPointer.allocate(byteCount: MaskedBytes.byteCount(capacity: 64), alignment: 8)
  defer { memory.deallocate() }
  let bytes = MaskedBytes(at: memory, capacity: 64)
  try bytes.reset()
  let secret = [UInt8](1...64)
  secret.withUnsafeBytes { bytes.store($0, at: 0) }
  for count in 0...64 {
    var clear = [UInt8](repeating: 0xa5, count: 80)
    clear.withUnsafeMutableBytes { bytes.unmask(count: count, into: $0.baseAddress!) }
    try #require(clear == secret[..<count] + [UInt8](repeating: 0xa5, count: 80 - count), "\(count) bytes")
  }
}
