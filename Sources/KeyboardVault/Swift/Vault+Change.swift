// Several calls as one transaction, for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  extension Vault {
    /// Runs `body` once. What it does to this vault is one transaction: all of it is on the disk when the call returns,
    /// none of it if anything is thrown, and nobody sees a part.
    ///
    /// Other threads and processes wait meanwhile, and get `.busy` after five seconds. So `body` waits for nobody who
    /// may use this vault. A call inside that throws `.storage`, `.damaged`, `.memory`, `.random` or `.busy` spoils the
    /// change, also if `body` goes on. Tries of passcodes, `changeKey`, `backUp`, `close` and another change throw
    /// `.operationDisabled` inside, and no FIDO client may be called on this vault there.
    ///
    /// - Returns: what `body` returns.
    /// - Throws: what `body` throws; or as a `KeyboardError`, before it: `.argument` for a vault that was closed,
    ///   `.operationDisabled` inside another change of this vault, `.busy`, `.storage`, `.damaged`, `.mismatch`,
    ///   `.memory`; after it, what has spoiled the change, or `.storage`, `.damaged`, `.memory`, `.random`. Only after
    ///   `.storage`, when the disk could not say whether it has the change, it may be there, whole, when the file is
    ///   opened again.
    /// - C: `CustomVault_change`.
    public func change<Answer: ~Copyable>(_ body: () throws -> Answer) throws -> Answer {
      var outcome: Result<Answer, any Error>?
      _ = try handle.change {
        do {
          outcome = .success(try body())
          return 0
        } catch {
          outcome = .failure(error)
          // Any code but 0: what was thrown is thrown again.
          return 1
        }
      }
      return try outcome.take()!.get()
    }

    /// As the other `change`, without holding up the caller's executor: `body` runs on the vault's own thread, and
    /// calls the forms without `await`. What it uses of an actor is captured before:
    ///
    ///     try await vault.change { [vault, token, next] in
    ///       try vault.update(service: "bank.example", account: "token", data: token.span)
    ///       try vault.update(service: "bank.example", account: "refresh token", data: next.span)
    ///     }
    public nonisolated(nonsending) func change<Answer: ~Copyable & Sendable>(
      _ body: @escaping @Sendable () throws -> Answer
    ) async throws -> Answer {
      try await QueuedCall.run(on: queue) { () throws in try self.change(body) }
    }
  }
#endif
