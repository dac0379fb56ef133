// The forms of a vault's functions that leave the caller's executor free.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import Dispatch

  extension Vault {
    /// As `init(path:key:)`, without holding up the caller's executor.
    public nonisolated(nonsending) static func open(
      path: String, key: Span<UInt8>
    ) async throws(KeyboardError) -> Vault {
      let key = try SecretBytes(copying: key)
      let queue = makeQueue()
      return try await working(on: queue) { () throws(KeyboardError) in
        let handle = try path.withName { path throws(KeyboardError) in try VaultHandle.open(path, key: key.bytes) }
        return Vault(handle: handle, queue: queue)
      }
    }

    /// As the other `close`, without holding up the caller's executor. Calls that were made before are finished first.
    public nonisolated(nonsending) func close() async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.close() }
    }

    /// As the other `changeKey`, without holding up the caller's executor.
    public nonisolated(nonsending) func changeKey(to key: Span<UInt8>) async throws(KeyboardError) {
      let key = try SecretBytes(copying: key)
      try await working { vault throws(KeyboardError) in try vault.handle.changeKey(to: key.bytes) }
    }

    /// As the other `backUp`, without holding up the caller's executor.
    public nonisolated(nonsending) func backUp(to path: String) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.backUp(to: path) }
    }

    /// As the other `add`, without holding up the caller's executor.
    public nonisolated(nonsending) func add(
      service: String, account: String, label: String = "", kind: String = "password", data: Span<UInt8>
    ) async throws(KeyboardError) {
      let data = try copyOfData(data)
      try await working { vault throws(KeyboardError) in
        try vault.add(service: service, account: account, label: label, kind: kind, data: data.span)
      }
    }

    /// As the other `read`, without holding up the caller's executor.
    public nonisolated(nonsending) func read(
      service: String, account: String
    ) async throws(KeyboardError) -> SecretBytes {
      try await working { vault throws(KeyboardError) in try vault.read(service: service, account: account) }
    }

    /// As the other `update`, without holding up the caller's executor.
    public nonisolated(nonsending) func update(
      service: String, account: String, label: String? = nil, kind: String? = nil, data: Span<UInt8>
    ) async throws(KeyboardError) {
      let data = try copyOfData(data)
      try await working { vault throws(KeyboardError) in
        try vault.update(service: service, account: account, label: label, kind: kind, data: data.span)
      }
    }

    /// As the other `replace`, without holding up the caller's executor.
    public nonisolated(nonsending) func replace(
      service: String, account: String, expected: Span<UInt8>, data: Span<UInt8>
    ) async throws(KeyboardError) {
      // What is longer than any data is not the item's.
      let expected = try SecretBytes(copying: expected.extracting(first: Self.maximumDataCount + 1))
      let data = try copyOfData(data)
      try await working { vault throws(KeyboardError) in
        try vault.replace(service: service, account: account, expected: expected.span, data: data.span)
      }
    }

    /// As the other `delete`, without holding up the caller's executor.
    public nonisolated(nonsending) func delete(service: String, account: String) async throws(KeyboardError) {
      try await working { vault throws(KeyboardError) in try vault.delete(service: service, account: account) }
    }

    /// As the other `items`, without holding up the caller's executor.
    public nonisolated(nonsending) func items(service: String? = nil) async throws(KeyboardError) -> [Item] {
      try await working { vault throws(KeyboardError) in try vault.items(service: service) }
    }

    /// - Throws: `.tooLong`, before so much memory is locked; `.memory`.
    private func copyOfData(_ data: Span<UInt8>) throws(KeyboardError) -> SecretBytes {
      guard data.count <= Self.maximumDataCount else { throw .tooLong(.data) }
      return try SecretBytes(copying: data)
    }

    /// Runs `body` on the vault's own thread. Swift's threads for concurrent tasks are as few as the processors, and a
    /// call may wait five seconds for another process.
    nonisolated(nonsending) func working<Result: ~Copyable & Sendable>(
      _ body: @escaping @Sendable (Vault) throws(KeyboardError) -> Result
    ) async throws(KeyboardError) -> Result {
      try await Self.working(on: queue) { () throws(KeyboardError) in try body(self) }
    }

    nonisolated(nonsending) static func working<Result: ~Copyable & Sendable>(
      on queue: DispatchQueue, _ body: @escaping @Sendable () throws(KeyboardError) -> Result
    ) async throws(KeyboardError) -> Result {
      try await QueuedCall.run(on: queue, body)
    }
  }
#endif
