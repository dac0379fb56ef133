// Closures of the main actor, called from there and from other threads.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Dispatch
import Foundation
import Synchronization
import Testing

private func openKeyboard(maximumCount: Int = 0) throws -> Keyboard {
  let keyboard = try Keyboard()
  try keyboard.setEncKey(Array("8907654329807654".utf8).span, way: .sm4)
  try keyboard.setLayout(.pin, shuffle: .none, maximumCount: maximumCount)
  try keyboard.open()
  return keyboard
}

/// Runs `body` as a call from another queue than the main actor's, and returns when `body` has returned.
private func elsewhere<Result: Sendable>(_ body: @Sendable () throws -> Result) rethrows -> Result {
  try DispatchQueue.global().sync(execute: body)
}

/// Runs `body` while the main actor continues, on a thread of its own: those of tasks may all be busy with other tests.
private struct Concurrent<Result: Sendable>: Sendable {
  private let results: AsyncStream<Result>

  init(_ body: @escaping @Sendable () -> Result) {
    let (results, continuation) = AsyncStream<Result>.makeStream()
    self.results = results
    Thread.detachNewThread { continuation.yield(body()) }
  }

  var value: Result {
    get async {
      for await result in results { return result }
      fatalError("The thread gave no result.")
    }
  }
}

/// Runs everything that is queued to the main actor by now.
@MainActor
private func drainMainActor() async { await Task { @MainActor in }.value }

/// State that a closure of the main actor may change.
@MainActor
private final class Field {
  var counts: [Int] = []
  var texts = 0
}

/// State that closures on different threads may change.
private final class Flag: Sendable {
  let isSet = Mutex(false)
}

@MainActor
struct MainActorTests {
  private let field = Field()

  @Test func aCallOnTheMainActorRunsTheClosuresBeforeItReturns() throws {
    let keyboard = try openKeyboard(maximumCount: 3)
    keyboard.setTextField(on: MainActor.shared) { [field] count in field.counts.append(count) }
    keyboard.setOKAction(on: MainActor.shared) { [field] keyboard in
      #expect(field.counts.last == 3, "the field is called first")
      field.texts += (try? keyboard.getText()) == nil ? 0 : 1
    }
    for count in 1...3 {
      try keyboard.pressKey(at: count)
      #expect(field.counts == Array(1...count))
    }
    #expect(field.texts == 1)
  }

  @Test func aCallFromElsewhereRunsTheClosuresOnTheMainActor() async throws {
    let keyboard = try openKeyboard(maximumCount: 3)
    let pressed = DispatchSemaphore(value: 0)
    keyboard.setTextField(on: MainActor.shared) { [field] count in field.counts.append(count) }
    keyboard.setOKAction(on: MainActor.shared) { [field] _ in
      field.texts += 1
      pressed.signal()
    }
    let wasInTime = await Concurrent {
      for _ in 1...3 { try? keyboard.pressKey(at: 0) }
      return pressed.wait(timeout: .now() + 600) == .success
    }.value
    #expect(wasInTime)
    #expect(field.counts.last == 3)
    #expect(field.counts == field.counts.sorted())
    #expect(field.texts == 1)
  }

  @Test func queuedChangesAreReportedOnceWithTheNewestNumber() async throws {
    let keyboard = try openKeyboard()
    keyboard.setTextField(on: MainActor.shared) { [field] count in field.counts.append(count) }
    // The main actor is busy here, so all three are queued.
    for _ in 1...3 { try elsewhere { try keyboard.pressKey(at: 0) } }
    #expect(field.counts == [])
    try keyboard.pressKey(at: 0)
    await drainMainActor()
    #expect(field.counts == [4, 4], "the direct call, then the queued one, with the new number")
    await drainMainActor()
    #expect(field.counts == [4, 4])
  }

  @Test func aQueuedClosureDoesNotRunAfterItWasRemoved() async throws {
    let keyboard = try openKeyboard(maximumCount: 1)
    for replaces in [false, true] {
      keyboard.setTextField(on: MainActor.shared) { [field] _ in field.counts.append(-1) }
      keyboard.setOKAction(on: MainActor.shared) { [field] _ in field.texts -= 1 }
      try elsewhere { try keyboard.pressKey(at: 0) }
      if replaces {
        keyboard.setTextField(on: MainActor.shared) { _ in }
        keyboard.setOKAction(on: MainActor.shared) { _ in }
      } else {
        keyboard.setTextField(nil)
        keyboard.setOKAction(nil)
      }
      await drainMainActor()
      #expect(field.counts == [] && field.texts == 0)
      try keyboard.clear()
    }
  }

  @Test func aQueuedActionDoesNotRunInTheNextOpening() async throws {
    let keyboard = try openKeyboard(maximumCount: 1)
    keyboard.setOKAction(on: MainActor.shared) { [field] _ in field.texts += 1 }
    try elsewhere { try keyboard.pressKey(at: 0) }
    try keyboard.close()
    try keyboard.open()
    await drainMainActor()
    #expect(field.texts == 0)

    // A call that is queued for the new opening is not lost with the calls for the old one.
    try elsewhere { try keyboard.pressKey(at: 0) }
    try keyboard.close()
    try keyboard.open()
    try elsewhere { try keyboard.pressKey(at: 0) }
    await drainMainActor()
    #expect(field.texts == 1)
  }

  @Test func aQueuedClosureDoesNotKeepTheKeyboard() async throws {
    weak var ended: Keyboard?
    do {
      let keyboard = try openKeyboard()
      ended = keyboard
      keyboard.setTextField(on: MainActor.shared) { [field] count in field.counts.append(count) }
      try elsewhere { try keyboard.pressKey(at: 0) }
    }
    #expect(ended == nil)
    await drainMainActor()
    #expect(field.counts == [])
  }

  @Test(arguments: [false, true])
  func removalElsewhereWaitsForTheClosureThatRuns(isQueued: Bool) async throws {
    let keyboard = try openKeyboard()
    let started = DispatchSemaphore(value: 0)
    let hasEnded = Flag()
    let other = Concurrent {
      guard started.wait(timeout: .now() + 600) == .success else { return false }
      keyboard.setTextField(nil)
      return hasEnded.isSet.withLock { $0 }
    }
    keyboard.setTextField(on: MainActor.shared) { _ in
      started.signal()
      // Long enough that a removal that does not wait would return first.
      _ = DispatchSemaphore(value: 0).wait(timeout: .now() + 0.2)
      hasEnded.isSet.withLock { $0 = true }
    }
    if isQueued { try elsewhere { try keyboard.pressKey(at: 0) } } else { try keyboard.pressKey(at: 0) }
    #expect(await other.value, "setTextField returned while the closure ran")
  }

  @Test(.timeLimit(.minutes(10)))
  func aClosureMayRemoveItself() async throws {
    let keyboard = try openKeyboard()
    for isQueued in [false, true] {
      field.counts = []
      keyboard.setTextField(on: MainActor.shared) { [field] count in
        keyboard.setTextField(nil)
        field.counts.append(count)
      }
      for _ in 1...2 {
        if isQueued { try elsewhere { try keyboard.pressKey(at: 0) } } else { try keyboard.pressKey(at: 0) }
        await drainMainActor()
      }
      #expect(field.counts.count == 1)
    }
  }

  @Test func aRemovalInsideACallbackDoesNotWait() async throws {
    let keyboard = try openKeyboard()
    let other = try openKeyboard()
    let started = DispatchSemaphore(value: 0)
    let removed = DispatchSemaphore(value: 0)
    other.setTextField { _ in
      keyboard.setTextField(nil)
      removed.signal()
    }
    let thread = Concurrent {
      guard started.wait(timeout: .now() + 600) == .success else { return }
      try? other.pressKey(at: 0)
    }
    keyboard.setTextField(on: MainActor.shared) { [field] _ in
      started.signal()
      field.texts = removed.wait(timeout: .now() + 600) == .success ? 1 : 0
    }
    try keyboard.pressKey(at: 0)
    #expect(field.texts == 1, "the two callbacks waited for each other")
    await thread.value
  }
  @Test func whatAClosureHoldsMayUseTheKeyboardWhenItEnds() throws {
    let keyboard = try openKeyboard()
    for _ in 1...2 {
      let holder = Holder(keyboard)
      keyboard.setTextField { _ in withExtendedLifetime(holder) {} }
      let other = Holder(keyboard)
      keyboard.setTextField(on: MainActor.shared) { _ in withExtendedLifetime(other) {} }
    }
    keyboard.setTextField(nil)
    #expect(keyboard.count == 0)
  }
}

/// Uses its keyboard's closures when it is destroyed.
private final class Holder: Sendable {
  private let keyboard: Keyboard
  init(_ keyboard: Keyboard) { self.keyboard = keyboard }
  deinit { keyboard.setOKAction(nil) }
}
