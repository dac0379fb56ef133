// A signal handler that forks in the middle of a verifier's computation: the child finds its memory empty, and must not
// answer from it.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeyboardCodes
import KeyboardTestSupport
import Synchronization
import Testing

@testable import KeyboardVerifiers

/// Swift's name for it is not available, because few programs may use it.
@_silgen_name("fork") private func fork() -> pid_t

/// The child's process number in the parent, 0 in the child, −1 before the fork.
private let child = Atomic<pid_t>(-1)

/// Whether the signal forks. It does so only inside the call that a test is about. Inside malloc, fork would wait for
/// malloc's locks. After the call, nobody would end the child.
private let signalForks = Atomic<Bool>(false)

/// Calls the library. The signal forks in this call if it `isTested`.
private func call<Answer>(isTested: Bool, _ body: () -> Answer) -> Answer {
  signalForks.store(isTested, ordering: .relaxed)
  defer { signalForks.store(false, ordering: .relaxed) }
  return body()
}

/// Runs `body` in this thread, and lets a signal fork after a while, in the tested call.
///
/// - Parameter body: how the child's process ends.
/// - Returns: how it ended; nil if the signal came too early or too late.
private func endOfChild(after microseconds: UInt32, _ body: () -> Int32) -> Int32? {
  child.store(-1, ordering: .relaxed)
  var action = sigaction()
  action.__sigaction_handler.sa_handler = { _ in
    if signalForks.load(ordering: .relaxed) { child.store(fork(), ordering: .relaxed) }
  }
  sigaction(SIGUSR2, &action, nil)
  // The threads that run tests block signals.
  var (signals, before) = (sigset_t(), sigset_t())
  sigemptyset(&signals)
  sigaddset(&signals, SIGUSR2)
  pthread_sigmask(SIG_UNBLOCK, &signals, &before)
  let (caller, isOver) = (pthread_self(), DispatchSemaphore(value: 0))
  Thread.detachNewThread {
    usleep(microseconds)
    pthread_kill(caller, SIGUSR2)
    isOver.signal()
  }
  let end = body()
  // Where the signal came in the middle, there are two of us now.
  if child.load(ordering: .relaxed) == 0 { _exit(end) }
  isOver.wait()
  pthread_sigmask(SIG_SETMASK, &before, nil)
  signal(SIGUSR2, SIG_IGN)  // one that has not arrived yet is dropped
  signal(SIGUSR2, SIG_DFL)
  guard child.load(ordering: .relaxed) > 0 else { return nil }
  var status: Int32 = 0
  waitpid(child.load(ordering: .relaxed), &status, 0)
  return status >> 8 & 0xff | (status & 0x7f) << 8
}

@Suite(.serialized) struct VerifierForkTests {
  private static var password: Bytes { Bytes("135790".utf8) }
  private static var none: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: nil, count: 0) }

  private static func check(_ text: Bytes, isTested: Bool = false) -> Bool?? {
    text.withUnsafeBytes { text in
      call(isTested: isTested) {
        try? Verifier.check(text, password: { password.withUnsafeBytes($0) }, pepper: none)
      }
    }
  }

  private static func make(into output: GuardedMemory) -> Bool? {
    call(isTested: true) {
      try? Verifier.make(of: { password.withUnsafeBytes($0) }, pepper: none, into: output.start)
    }
  }

  /// 7: no verdict. 8: the right one, because the fork came before the call had begun. 1: a wrong one.
  @Test func theChildOfAForkInTheMiddleGetsNoVerdict() throws {
    // A second of work: the signal comes in the middle.
    let text = Bytes("$argon2id$v=19$m=65536,t=16,p=1$c29tZXNhbHQ$AAAAAAAAAAAAAAAAAAAAAA".utf8)
    for delay in [20_000, 100_000, 200_000] as [UInt32] {
      var ends: [Int32?] = []
      // On a busy machine the signal may come too early or too late.
      for _ in 0..<20 where !ends.contains(7) {
        ends.append(
          endOfChild(after: delay) {
            switch Self.check(text, isTested: true) {
            case .some(.none): 7
            case .some(false): 8
            default: 1
            }
          })
      }
      #expect(ends.contains(7) && ends.allSatisfy { $0 == nil || $0 == 7 || $0 == 8 }, "after \(delay) µs: \(ends)")
    }
  }

  /// 7: no verifier. 8: a right one, because the fork came before the call had begun. 1: a wrong one. How often the
  /// fork comes in the middle depends on how busy the machine is, so it is tried until it has come there three times.
  @Test func theChildOfAForkInTheMiddleMakesNoVerifier() throws {
    var ends: [Int32: Int] = [:]
    for attempt in 0..<500 where ends[7, default: 0] < 3 {
      let output = GuardedMemory(Verifier.length)
      let before = output.bytes
      let end = endOfChild(after: UInt32(500 * (attempt % 20))) {
        if Self.make(into: output) == true { return Self.check(output.bytes) == true ? 8 : 1 }
        return output.bytes == before ? 7 : 1
      }
      if let end { ends[end, default: 0] += 1 }
    }
    #expect(ends[7] == 3)
    #expect(ends.keys.allSatisfy { $0 == 7 || $0 == 8 }, "\(ends)")
  }
}
