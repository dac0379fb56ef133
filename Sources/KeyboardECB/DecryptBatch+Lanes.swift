// The texts of `decryptBatch` that SM4 decrypts side by side.
// SPDX-License-Identifier: Apache-2.0

import KeyboardMemory
import KeyboardSM4

/// How many texts are in SM4's lanes at a time.
let laneCount = 64

/// Up to 64 texts of one block in SM4's lanes, each under its own key. What is the same for all of them is written
/// once.
///
///     memory  ├─ blocks, as they come out ─┼─ SM4's scratch ─┤
///     notes   ├─ jobs of SM4's ─┼─ which jobs of the caller's they are ─┤
struct ShortLanes {
  private let jobs: UnsafeMutablePointer<SM4.Job>
  private let origins: UnsafeMutablePointer<BlockOrigin>
  private let blocks: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  let end: UnsafeMutableRawPointer
  let endOfNotes: UnsafeMutableRawPointer
  /// How many lanes may be used, and are wiped.
  private let usedCount: Int

  /// - Parameter jobCount: how many jobs the caller gave. As many lanes are wiped, but never more than 64.
  @inline(__always)
  init(at memory: UnsafeMutableRawPointer, notes: UnsafeMutableRawPointer, jobCount: Int) {
    usedCount = min(jobCount, laneCount)
    jobs = notes.bindMemory(to: SM4.Job.self, capacity: laneCount)
    origins = UnsafeMutableRawPointer(jobs + laneCount).bindMemory(to: BlockOrigin.self, capacity: laneCount)
    endOfNotes = UnsafeMutableRawPointer(origins + laneCount)
    blocks = memory
    scratch = blocks + laneCount * SM4.blockSize
    end = scratch + SM4.scratchSize(count: laneCount)
    for lane in 0..<usedCount {
      jobs[lane].output = blocks + lane &* SM4.blockSize
      jobs[lane].blockCount = 1
    }
  }

  /// Puts jobs of one block into the lanes from `lane` on, as many as there are one after the other and have room; none
  /// where the processor cannot do this at once for a whole job.
  ///
  /// - Returns: how many.
  @inline(__always)
  func take(_ given: Jobs, from number: Int, into lane: Int) -> Int {
    guard SM4.readsJobs else { return 0 }
    return SM4.take(
      given.memory, from: number, count: min(given.count &- number, laneCount &- lane), into: jobs + lane,
      origins: origins + lane)
  }

  /// - Parameter input: of one block; see `isPlain`.
  @inline(__always)
  func put(_ job: UnsafeMutablePointer<DecryptionJob>, _ input: Input, in lane: Int) {
    jobs[lane].key = UnsafeRawPointer(input.key.unsafelyUnwrapped)
    jobs[lane].text = UnsafeRawPointer(input.text.unsafelyUnwrapped)
    (origins + lane).initialize(to: BlockOrigin(job: job, clear: input.place.clear.unsafelyUnwrapped))
  }

  /// Decrypts what is in the first `count` lanes, and answers it.
  @inline(never) @_optimize(speed)
  func run(_ count: Int) {
    guard count > 0 else { return }
    SM4.decrypt(jobs, count: count, scratch: scratch)
    var lane = 0
    while true {
      if SM4.readsJobs {
        lane &+= SM4.answer(blocks + lane &* SM4.blockSize, origins + lane, count: count &- lane)
      }
      guard lane < count else { return }
      let origin = origins[lane]
      origin.job.assumingMemoryBound(to: DecryptionJob.self).answer(
        origin.clear, block: blocks + lane &* SM4.blockSize)
      lane &+= 1
    }
  }

  func wipe() {
    KeyboardMemory.wipe(blocks, byteCount: usedCount &* SM4.blockSize)
    KeyboardMemory.wipe(scratch, byteCount: SM4.scratchSize(count: usedCount))
  }
}

/// Up to 64 texts of any length in SM4's lanes, each under its own key.
///
///     memory  ├─ blocks, as they come out ─┼─ SM4's scratch ─┤
///     notes   ├─ jobs of SM4's ─┼─ which jobs of the caller's they are ─┤
struct Lanes {
  /// Which job a text belongs to, where its password goes, and how long the text is.
  private struct Origin {
    let number: Int
    let place: Input.Place
    let byteCount: Int
  }

  private let jobs: UnsafeMutablePointer<SM4.Job>
  private let origins: UnsafeMutablePointer<Origin>
  private let blocks: UnsafeMutableRawPointer
  private let scratch: UnsafeMutableRawPointer
  let end: UnsafeMutableRawPointer
  let endOfNotes: UnsafeMutableRawPointer
  private var count = 0
  private var byteCount = 0
  /// The most that were in use at a time: that much is wiped.
  private var (mostCount, mostBytes) = (0, 0)

  /// - Parameter blockLimit: no text has more blocks.
  init(at memory: UnsafeMutableRawPointer, notes: UnsafeMutableRawPointer, blockLimit: Int) {
    jobs = notes.bindMemory(to: SM4.Job.self, capacity: laneCount)
    origins = UnsafeMutableRawPointer(jobs + laneCount).bindMemory(to: Origin.self, capacity: laneCount)
    endOfNotes = UnsafeMutableRawPointer(origins + laneCount)
    blocks = memory
    scratch = blocks + laneCount * blockLimit * SM4.blockSize
    end = scratch + SM4.scratchSize(count: laneCount)
  }

  var isFull: Bool { count == laneCount }

  /// - Parameter input: one that has been checked.
  @inline(__always)
  mutating func add(_ number: Int, _ input: Input, blockCount: Int) {
    (jobs + count).initialize(
      to: SM4.Job(
        key: input.key.unsafelyUnwrapped, text: input.text.unsafelyUnwrapped, output: blocks + byteCount,
        blockCount: blockCount))
    (origins + count).initialize(
      to: Origin(number: number, place: input.place, byteCount: blockCount &* SM4.blockSize))
    count &+= 1
    byteCount &+= blockCount &* SM4.blockSize
  }

  /// Decrypts what was added, answers it, and is empty again.
  @inline(never)
  mutating func run(_ answered: Jobs) {
    guard count > 0 else { return }
    SM4.decrypt(jobs, count: count, scratch: scratch)
    var decrypted = UnsafeRawPointer(blocks)
    var origin = origins
    let end = origins + count
    while origin < end {
      answered.answer(
        origin.pointee.number, origin.pointee.place, padded: decrypted, byteCount: origin.pointee.byteCount)
      decrypted += origin.pointee.byteCount
      origin += 1
    }
    (mostCount, mostBytes) = (max(mostCount, count), max(mostBytes, byteCount))
    (count, byteCount) = (0, 0)
  }

  func wipe() {
    guard mostCount > 0 else { return }
    KeyboardMemory.wipe(blocks, byteCount: mostBytes)
    KeyboardMemory.wipe(scratch, byteCount: SM4.scratchSize(count: mostCount))
  }
}
