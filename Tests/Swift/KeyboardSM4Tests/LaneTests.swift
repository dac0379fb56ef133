// Many keys side by side, compared with the reference one by one.
//
// SPDX-License-Identifier: Apache-2.0

import KeyboardTestSupport
import Testing

@testable import KeyboardSM4

@Suite struct ManyKeys {
  /// The arguments of `decrypt`, in memory that does not move.
  struct Batch {
    let counts: [Int]
    let keys: UnsafeMutableRawPointer
    let texts: UnsafeMutableRawPointer
    let outputs: UnsafeMutableRawPointer
    /// One block more than the longest text.
    static let stride = 160

    init(counts: [Int], seed: UInt64) {
      self.counts = counts
      var numbers = TestNumbers(seed: seed)
      keys = .allocate(byteCount: 16 * counts.count + 1, alignment: 16)
      texts = .allocate(byteCount: Self.stride * counts.count + 1, alignment: 16)
      outputs = .allocate(byteCount: Self.stride * counts.count + 1, alignment: 16)
      keys.copyMemory(from: numbers.bytes(16 * counts.count), byteCount: 16 * counts.count)
      texts.copyMemory(from: numbers.bytes(Self.stride * counts.count), byteCount: Self.stride * counts.count)
      outputs.initializeMemory(as: UInt8.self, repeating: 0xa5, count: Self.stride * counts.count)
    }

    func bytes(_ memory: UnsafeMutableRawPointer, _ job: Int, _ stride: Int, _ count: Int) -> [UInt8] {
      Array(UnsafeRawBufferPointer(start: memory + stride * job, count: count))
    }

    func expected(_ job: Int) -> [UInt8] {
      let text = bytes(texts, job, Self.stride, 16 * counts[job])
      return Reference.crypt(text, Reference.roundKeys(bytes(keys, job, 16, 16)).reversed())
    }

    func decrypt(into outputs: UnsafeMutableRawPointer, on path: SM4.Path) {
      // The memory after the jobs must not change.
      let jobs = UnsafeMutablePointer<SM4.Job>.allocate(capacity: counts.count + 64)
      defer { jobs.deallocate() }
      let behind = UnsafeMutableRawBufferPointer(start: jobs + counts.count, count: 64 * MemoryLayout<SM4.Job>.stride)
      behind.initializeMemory(as: UInt8.self, repeating: 0xa5)
      for (i, blockCount) in counts.enumerated() {
        (jobs + i).initialize(
          to: SM4.Job(
            key: keys + 16 * i, text: texts + Self.stride * i, output: outputs + Self.stride * i,
            blockCount: blockCount))
      }
      // The memory after the scratch memory must not change.
      let size = SM4.scratchSize(count: counts.count)
      let scratch = UnsafeMutableRawPointer.allocate(byteCount: size + 64, alignment: 16)
      scratch.initializeMemory(as: UInt8.self, repeating: 0xa5, count: size + 64)
      SM4.decrypt(jobs, count: counts.count, scratch: scratch, on: path)
      #expect(UnsafeRawBufferPointer(start: scratch + size, count: 64).allSatisfy { $0 == 0xa5 })
      #expect(behind.allSatisfy { $0 == 0xa5 })
      scratch.deallocate()
    }

    func end() {
      for memory in [keys, texts, outputs] { memory.deallocate() }
    }
  }

  @Test(arguments: EveryPath.paths) func equalTheReferenceForEveryNumberOfJobs(path: SM4.Path) throws {
    for count in Array(0...18) + [31, 32, 33, 63, 64, 65, 129] {
      var lengths = TestNumbers(seed: UInt64(count))
      let batch = Batch(counts: (0..<count).map { _ in Int(lengths.next() % 9) + 1 }, seed: 4)
      let expected = batch.counts.indices.map(batch.expected)
      batch.decrypt(into: batch.outputs, on: path)
      for i in 0..<count {
        let output = batch.bytes(batch.outputs, i, Batch.stride, Batch.stride)
        try #require(output[..<(16 * batch.counts[i])].elementsEqual(expected[i]), "\(path) \(count) \(i)")
        try #require(output[(16 * batch.counts[i])...].allSatisfy { $0 == 0xa5 }, "\(path) \(count) \(i)")
      }
      batch.end()
    }
  }

  @Test(arguments: EveryPath.paths) func workInPlace(path: SM4.Path) throws {
    let batch = Batch(counts: [1, 9, 2, 3, 3, 1, 8, 1, 5, 4, 1], seed: 5)
    let expected = batch.counts.indices.map(batch.expected)
    batch.decrypt(into: batch.texts, on: path)
    for i in batch.counts.indices {
      try #require(batch.bytes(batch.texts, i, Batch.stride, 16 * batch.counts[i]) == expected[i], "job \(i)")
    }
    batch.end()
  }
}
