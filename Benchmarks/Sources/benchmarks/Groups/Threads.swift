// Two threads compared with one. Each thread has its own processor and buffers and shares only the library. In every
// round each works alone, and then both work together.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CMachine
import Glibc
import Synchronization

enum Threads {
  static let one = "one thread"
  static let two = "two threads"

  /// What one thread repeats; made once for each thread.
  private typealias Work = (_ repeats: Int) -> Void

  static func measure(_ run: Run) -> [Measurement] {
    guard processors.count > 1 else { return [] }
    let longer = Effort(
      rounds: run.effort.rounds, sampleNanoseconds: 4 * run.effort.sampleNanoseconds, starts: 0)
    return works.map { item, make in
      let work = [make(), make()]
      let pair = Pair(work: work, repeats: repeats(for: longer, work[0]), rounds: longer.rounds)
      pair.run()
      func measurement(_ name: String, _ times: [Double]) -> Measurement {
        Measurement(
          group: .threads, item: item, contender: name, path: run.path, nanoseconds: Summary(times), bytes: 0,
          reference: one, timeRatio: Summary(zip(times, pair.alone).map { $0 / $1 }), rounds: longer.rounds)
      }
      return [measurement(one, pair.alone), measurement(two, pair.together)]
    }.flatMap { $0 }
  }

  private static var works: [(String, () -> Work)] {
    [
      ("bulk 16 KiB", bulk), ("decrypt", decrypt), ("decryptBatch 256", batch), ("unsealBatch 64, X25519", sealedBatch),
      ("getText 1024", getText),
    ]
  }

  private static let key = Array("8907654329807654".utf8)
  private static let password = Array("kgcx879@".utf8)

  private static func bulk() -> Work {
    let cipher = Library.cipher(CUSTOM_ENCWAY_SM4, key)
    let (input, output) = (allocate(16_384), allocate(16_384))
    return { repeats in
      var codes: UInt32 = 0
      for _ in 0..<repeats { codes |= CustomKeyboard_cryptECB(cipher, input, output, 16_384).rawValue }
      Library.requireOK(codes, "cryptECB")
    }
  }

  private static func decrypt() -> Work {
    let (keyBytes, text) = (allocate(key), allocate(Library.encryptPassword(password, key: key)))
    let clear = allocate(password.count)
    return { repeats in
      var codes: UInt32 = 0
      var (offset, length) = (0, 0)
      for _ in 0..<repeats {
        codes |=
          CustomKeyboard_decrypt(CUSTOM_ENCWAY_SM4, keyBytes, 16, text, 16, clear, password.count, &offset, &length)
          .rawValue
      }
      Library.requireOK(codes, "decrypt")
    }
  }

  private static func batch() -> Work {
    let jobs = StrewnJobs(count: 256, blocks: 1)
    return { repeats in
      var codes: UInt32 = 0
      for _ in 0..<repeats { codes |= CustomKeyboard_decryptBatch(CUSTOM_ENCWAY_SM4, jobs.jobs, 256).rawValue }
      Library.requireOK(codes, "decryptBatch")
    }
  }

  private static func sealedBatch() -> Work {
    let jobs = SealedBatch(.x25519, count: 64)
    return { repeats in
      for _ in 0..<repeats { jobs.unseal() }
    }
  }

  private static func getText() -> Work {
    let keyboard = Library.keyboard(CUSTOM_ENCWAY_SM4, key: key, password: password)
    let space = allocate(1024)
    return { repeats in
      var codes: UInt32 = 0
      var (offset, length) = (0, 0)
      for _ in 0..<repeats { codes |= CustomKeyboard_getText(keyboard, space, 1024, &offset, &length).rawValue }
      Library.requireOK(codes, "getText")
    }
  }
}

/// Two threads that take turns and then work together, round by round. A thread that waits for its turn sleeps. Before
/// both work together they spin, so that they begin within nanoseconds of each other. A round is repeated, a limited
/// number of times, if the kernel took the processor from one of them or delayed its start: such a round would measure
/// other programs.
private final class Pair: @unchecked Sendable {
  /// One piece of work as measured by its thread; the other thread reads it after the barrier.
  private struct Turn {
    var start: UInt64 = 0
    var end: UInt64 = 0
    var isDisturbed = false
  }

  private let work: [(Int) -> Void]
  private let repeats: Int
  private let rounds: Int
  private let barrier = UnsafeMutablePointer<pthread_barrier_t>.allocate(capacity: 1)
  private let arrivals = Atomic<Int>(0)
  private let isDone = Atomic<Bool>(false)
  /// Each thread's turns alone, and its turns together with the other.
  private let solo = UnsafeMutablePointer<Turn>.allocate(capacity: 2)
  private let both = UnsafeMutablePointer<Turn>.allocate(capacity: 2)

  /// Nanoseconds per call, round by round.
  private(set) var alone: [Double] = []
  private(set) var together: [Double] = []

  init(work: [(Int) -> Void], repeats: Int, rounds: Int) {
    self.work = work
    self.repeats = repeats
    self.rounds = rounds
    pthread_barrier_init(barrier, nil, 2)
  }

  func run() {
    let threads = (0..<2).map { index in
      let box = Unmanaged.passRetained(Half(pair: self, index: index))
      var thread = pthread_t()
      let started = pthread_create(&thread, nil, { Half.run($0!) }, box.toOpaque())
      require(started == 0, "a thread can be started")
      return thread
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  fileprivate func turns(of index: Int) {
    _ = machine_pin(processors[processors.count - 1 - index])
    var attempt = 0
    while !isDone.load(ordering: .acquiring) {
      attempt += 1
      for turn in 0..<2 {
        pthread_barrier_wait(barrier)
        if turn == index { solo[index] = time(index) }
      }
      pthread_barrier_wait(barrier)
      arrivals.add(1, ordering: .acquiringAndReleasing)
      while arrivals.load(ordering: .acquiring) < 2 * attempt {}
      both[index] = time(index)
      pthread_barrier_wait(barrier)
      if index == 0 { keep(attempt) }
      pthread_barrier_wait(barrier)
    }
  }

  private func time(_ index: Int) -> Turn {
    let before = machine_interruptions(0)
    let start = machine_nanoseconds()
    work[index](repeats)
    let end = machine_nanoseconds()
    return Turn(start: start, end: end, isDisturbed: machine_interruptions(0) != before)
  }

  private func keep(_ attempt: Int) {
    let apart = max(both[0].start, both[1].start) - min(both[0].start, both[1].start)
    let beganTogether = apart < (both[0].end - both[0].start) / 100
    let isDisturbed = !beganTogether || (0..<2).contains { solo[$0].isDisturbed || both[$0].isDisturbed }
    if !isDisturbed || attempt > 10 * rounds {
      let calls = Double(2 * repeats)
      alone.append(Double(solo[0].end - solo[0].start + solo[1].end - solo[1].start) / calls)
      together.append(Double(max(both[0].end, both[1].end) - min(both[0].start, both[1].start)) / calls)
    }
    isDone.store(alone.count == rounds, ordering: .releasing)
  }

  private final class Half {
    let pair: Pair
    let index: Int

    init(pair: Pair, index: Int) {
      self.pair = pair
      self.index = index
    }

    static func run(_ pointer: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
      let half = Unmanaged<Half>.fromOpaque(pointer).takeRetainedValue()
      half.pair.turns(of: half.index)
      return nil
    }
  }
}
