// The clock, and where a measurement runs. A sample is much longer than reading the clock takes (about 30 ns). A
// measuring process stays on one processor, so that no migration and no other core's colder cache affects a figure.
// SPDX-License-Identifier: Apache-2.0

import CMachine
import Glibc

/// How long to measure: the ordinary run, or a smoke test.
struct Effort: Sendable {
  let rounds: Int
  let sampleNanoseconds: UInt64
  let starts: Int

  static let full = Effort(rounds: 61, sampleNanoseconds: 250_000, starts: 301)
  static let quick = Effort(rounds: 5, sampleNanoseconds: 50_000, starts: 15)
}

/// The processors that this process may run on, read before it is pinned to one of them.
let processors: [Int32] = {
  var numbers = [Int32](repeating: 0, count: 1024)
  let count = machine_processors(&numbers, Int32(numbers.count))
  return Array(numbers.prefix(Int(count)))
}()

/// Keeps the process on the last processor it may use, because the first one handles most interrupts.
func pinToOneProcessor() {
  if let last = processors.last { _ = machine_pin(last) }
}

/// How long `work` takes, in nanoseconds.
@inline(__always)
func elapsed(_ work: () -> Void) -> UInt64 {
  let start = machine_nanoseconds()
  work()
  return machine_nanoseconds() &- start
}

/// The same; repeated if the kernel gave the processor to another program meanwhile. A median tolerates some disturbed
/// samples, but on a shared machine most of the long ones may be disturbed. If three attempts were disturbed, the
/// result is the time that the thread itself ran on the processor.
func undisturbed(_ work: () -> Void) -> UInt64 {
  var least = UInt64.max
  for _ in 0..<3 {
    let interruptions = machine_interruptions(0)
    let used = machine_thread_nanoseconds()
    let time = elapsed(work)
    if machine_interruptions(0) == interruptions { return time }
    least = min(least, machine_thread_nanoseconds() - used)
  }
  return least
}

/// How often `work` must be repeated so that one sample lasts long enough.
func repeats(for effort: Effort, _ work: (Int) -> Void) -> Int {
  var count = 1
  while true {
    let time = elapsed { work(count) }
    if time >= effort.sampleNanoseconds { return count }
    // A measurement shorter than a tenth of the goal is too short to extrapolate from.
    let wanted =
      time * 10 < effort.sampleNanoseconds ? count * 8 : count * Int(effort.sampleNanoseconds) / Int(time) + 1
    count = max(wanted, count + 1)
  }
}

/// Ends the program: what should be measured does not work, so its figures would mean nothing.
func fail(_ reason: String) -> Never {
  progress("benchmarks: \(reason)")
  exit(1)
}

func require(_ condition: Bool, _ claim: @autoclosure () -> String) {
  if !condition { fail("this does not hold: \(claim())") }
}
