// An app's main actor while its vault is busy. What happens is told by the order of events, not by a clock: the vault
// is let go by something that runs only if nothing is held up.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import Foundation
import KeyboardVault
import Synchronization
import Testing

@Suite struct MainActorTests {
  private let key = [UInt8](0..<32)

  /// An app's model, as SwiftUI would observe it.
  @MainActor final class App {
    let vault: Vault
    private(set) var events: [String] = []

    init(_ vault: Vault) { self.vault = vault }

    func save(_ token: [UInt8]) async throws {
      events.append("saving")
      try await vault.add(service: "bank", account: "kim", kind: "token", data: token.span)
      events.append("saved")
    }

    func unlock(_ keyboard: Keyboard) async throws {
      events.append("checking")
      if case .right = try await vault.checkPasscode("app", typedOn: keyboard) { events.append("unlocked") }
    }

    func touch() { events.append("touched") }
  }

  @Test func theMainActorGoesOnWhileTheVaultIsBusy() async throws {
    let folder = try Folder()
    let busy = BusyVault(try await Vault.open(path: folder.vault, key: key.span))
    let app = await App(busy.vault)
    let saving = Task { @MainActor in try await app.save(bytes("a token")) }
    // Each of these waits for the main actor.
    while await app.events.isEmpty { await Task.yield() }
    for _ in 0..<100 { await app.touch() }
    #expect(await app.events == ["saving"] + Array(repeating: "touched", count: 100))
    #expect(busy.letGo())
    try await saving.value
    #expect(await app.events.last == "saved")
    let count = try await busy.vault.read(service: "bank", account: "kim").count
    #expect(count == 7)
  }

  @Test func theMainActorGoesOnWhileAPasscodeWaits() async throws {
    let folder = try Folder()
    let vault = try await Vault.open(path: folder.vault, key: key.span)
    try await vault.setPasscode("app", typedOn: typing("483725"))
    let busy = BusyVault(vault)
    let app = await App(vault)
    let unlocking = Task { @MainActor in try await app.unlock(typing("483725")) }
    while await app.events.isEmpty { await Task.yield() }
    for _ in 0..<100 { await app.touch() }
    #expect(await app.events == ["checking"] + Array(repeating: "touched", count: 100))
    #expect(busy.letGo())
    try await unlocking.value
    #expect(await app.events.last == "unlocked")
  }

  /// Swift has a thread for each processor, and more calls than that wait for the vault here.
  @Test func otherTasksGoOnWhileManyCallsWait() async throws {
    let folder = try Folder()
    let busy = BusyVault(try await Vault.open(path: folder.vault, key: key.span))
    let count = 4 * ProcessInfo.processInfo.activeProcessorCount
    try await withThrowingTaskGroup(of: Void.self) { group in
      let vault = busy.vault
      for number in 0..<count {
        group.addTask { try await vault.add(service: "bank", account: "\(number)", data: bytes("a token").span) }
      }
      for _ in 0..<count { await Task.detached {}.value }
      #expect(busy.letGo())
      try await group.waitForAll()
    }
    #expect(try await busy.vault.items().count == count)
  }

  @Test func aCallOfACancelledTaskIsFinished() async throws {
    let folder = try Folder()
    let busy = BusyVault(try await Vault.open(path: folder.vault, key: key.span))
    let vault = busy.vault
    let adding = Task { try await vault.add(service: "bank", account: "kim", data: bytes("a token").span) }
    adding.cancel()
    #expect(busy.letGo())
    try await adding.value
    let count = try await vault.read(service: "bank", account: "kim").count
    #expect(count == 7)
  }

  /// The next statement may open the file again: nothing of a call that has returned holds the vault.
  @Test func aVaultThatNobodyHasAnyMoreIsClosed() async throws {
    let folder = try Folder()
    for _ in 0..<300 {
      let items = try await Vault.open(path: folder.vault, key: key.span).items()
      #expect(items.isEmpty)
    }
  }

  /// A vault on which a call of another thread works until it is let go.
  private final class BusyVault: Sendable {
    let vault: Vault
    private let end = DispatchSemaphore(value: 0)
    private let waits = Atomic(true)

    init(_ vault: Vault) {
      self.vault = vault
      let begun = DispatchSemaphore(value: 0)
      Thread.detachNewThread { [self] in
        try? vault.change {
          begun.signal()
          // The ten minutes are for a failure: what is held up then goes on.
          if end.wait(timeout: .now() + .seconds(600)) == .timedOut {
            waits.store(false, ordering: .sequentiallyConsistent)
          }
        }
      }
      begun.wait()
    }

    /// - Returns: whether it was still busy.
    func letGo() -> Bool {
      end.signal()
      return waits.load(ordering: .sequentiallyConsistent)
    }
  }
}
