// Threads that work on batches. They may finish in any order; the batches come back in the order in which they were
// given.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardTerminal

final class Workers: @unchecked Sendable {
  private let work: RowWork
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  /// Signalled when a batch comes, when one is finished, and after the last one.
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  // Under the lock:
  private var batches: [RowBatch] = []
  /// How many of `batches`, from the first on, a thread has taken.
  private var taken = 0
  private var isClosed = false
  private var threads: [pthread_t] = []
  /// How many batches wait or are worked on at most.
  private let capacity: Int

  init(_ work: RowWork, count: Int) throws(Failure) {
    self.work = work
    capacity = 4 * count
    pthread_mutex_init(lock, nil)
    pthread_cond_init(changed, nil)
    for _ in 0..<count {
      #if canImport(Darwin)
        var thread: pthread_t?
      #else
        var thread = pthread_t()
      #endif
      let context = Unmanaged.passRetained(self)
      let status = pthread_create(&thread, nil, Self.begin, context.toOpaque())
      guard status == 0 else {
        context.release()
        throw Failure("No thread can be made: give a lower number of --jobs.", .system)
      }
      #if canImport(Darwin)
        threads.append(thread!)
      #else
        threads.append(thread)
      #endif
    }
  }

  #if canImport(Darwin)
    private static let begin: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { context in
      Unmanaged<Workers>.fromOpaque(context).takeRetainedValue().run()
      return nil
    }
  #else
    private static let begin: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
      Unmanaged<Workers>.fromOpaque(context!).takeRetainedValue().run()
      return nil
    }
  #endif

  private func locked<Result>(_ body: () -> Result) -> Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }

  // MARK: The thread that gives and takes

  var isFull: Bool { locked { batches.count >= capacity } }
  var isEmpty: Bool { locked { batches.isEmpty } }

  func give(_ batch: RowBatch) {
    locked {
      batches.append(batch)
      pthread_cond_broadcast(changed)
    }
  }

  /// The next batch in the order of giving.
  ///
  /// - Parameter seconds: how long to wait for it; nil for ever.
  /// - Returns: nil if there is none, or none was finished in this time.
  func next(waiting seconds: Double?) -> RowBatch? {
    var deadline = timespec()
    if let seconds {
      clock_gettime(CLOCK_REALTIME, &deadline)
      let nanoseconds = deadline.tv_nsec + Int(seconds * 1e9)
      deadline.tv_sec += nanoseconds / 1_000_000_000
      deadline.tv_nsec = nanoseconds % 1_000_000_000
    }
    return locked {
      while let first = batches.first, !first.isFinished {
        if seconds == nil {
          pthread_cond_wait(changed, lock)
        } else if pthread_cond_timedwait(changed, lock, &deadline) != 0 {
          return nil
        }
      }
      guard !batches.isEmpty else { return nil }
      taken -= 1
      return batches.removeFirst()
    }
  }

  /// Ends the threads, which have no batch any more.
  func end() {
    locked {
      isClosed = true
      pthread_cond_broadcast(changed)
    }
    for thread in threads { pthread_join(thread, nil) }
  }

  // MARK: A thread that works

  private func run() {
    var bench: RowWork.Bench?
    while let batch = nextToWorkOn() {
      do throws(Failure) {
        if bench == nil { bench = try Self.makeBench(work) }
        try bench!.run(batch)
      } catch { batch.failure = error }
      locked {
        batch.isFinished = true
        pthread_cond_broadcast(changed)
      }
    }
  }

  private static func makeBench(_ work: RowWork) throws(Failure) -> RowWork.Bench {
    do throws(KeyboardError) { return try RowWork.Bench(work) } catch { throw Failure(error) }
  }

  private func nextToWorkOn() -> RowBatch? {
    locked {
      while taken == batches.count {
        if isClosed { return nil }
        pthread_cond_wait(changed, lock)
      }
      taken += 1
      return batches[taken - 1]
    }
  }
}
