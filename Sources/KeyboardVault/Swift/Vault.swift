// The Swift interface of a vault: strings and spans in, locked memory out. VaultHandle decides.
// SPDX-License-Identifier: Apache-2.0

// Classes, strings and arrays need Swift's runtime, which the C library does without.
#if !hasFeature(Embedded)
  import Dispatch
  @_exported public import KeyboardCodes
  @_exported public import KeyboardMemory

  /// Secrets that are kept on the device, in one file that only their key opens.
  ///
  ///     let vault = try await Vault.open(path: "/home/kim/.bank/vault", key: key.span)
  ///     try await vault.add(service: "bank.example", account: "kim", kind: "token", data: token.span)
  ///     let token = try await vault.read(service: "bank.example", account: "kim")
  ///
  /// Any thread may call any function; calls on one vault wait for each other. Each function that reaches the file has
  /// two forms. The one that is called with `await` works on a thread of the vault's own and leaves the caller's
  /// executor free, the main actor for example. A call that has begun there is finished, even if its task is cancelled.
  ///
  /// Data and keys are in locked memory. Names (service, account, label, kind) are sealed in the file, but strings in
  /// the program: they must not hold a secret.
  public final class Vault: Sendable {
    package let handle: VaultHandle
    /// Where the forms with `await` work. One after the other, because the calls on a vault wait for each other anyway.
    let queue: DispatchQueue

    /// A key has 32 bytes.
    public static var keyByteCount: Int { VaultHandle.keySize }

    init(handle: VaultHandle, queue: DispatchQueue) {
      self.handle = handle
      self.queue = queue
    }

    /// Opens the vault in a file, and makes the file if there is none.
    ///
    /// - Parameters:
    ///   - path: a regular file of this user's with one name, which nobody else may read or write, in a folder of this
    ///     user's into which nobody else may write. Its name does not end in -wal, -shm or -journal, because SQLite
    ///     deletes such files beside a neighbour. Links in the folder's path are followed once.
    ///   - key: 32 bytes.
    /// - Throws: `.argument` for an empty path or such a name; `.operationDisabled` in the child of a fork of a process
    ///   that opened a vault, or tried to; `.key` for another length; `.storage` for the path or its rights, or for a
    ///   WAL that is left of a vault whose file is gone; `.busy` if this process has the file open, or another one has
    ///   it for five seconds; `.damaged`; `.mismatch` for another key; `.memory`, `.random`.
    /// - Timing: depends on the number of items: all of them are checked.
    /// - C: `CustomVault_open`.
    public convenience init(path: String, key: Span<UInt8>) throws(KeyboardError) {
      let handle = try path.withName { path throws(KeyboardError) in
        try key.withUnsafeBytes { key throws(KeyboardError) in try VaultHandle.open(path, key: key) }
      }
      self.init(handle: handle, queue: Self.makeQueue())
    }

    /// A vault that is still open is closed.
    deinit { try? handle.close() }

    static func makeQueue() -> DispatchQueue { DispatchQueue(label: "CustomVault") }

    /// Wipes the keys. Every later call answers `.argument`.
    ///
    /// - Throws: `.argument` if the vault was closed already; `.operationDisabled` in a forked child.
    /// - C: `CustomVault_close`.
    public func close() throws(KeyboardError) { try handle.close() }

    /// Gives the vault another key, and seals everything anew under a new root key, in one transaction. Other processes
    /// that have it open get `.mismatch` from then on. The old key still opens an old copy of the file. What it opened
    /// in the WAL is removed: for that, the call waits up to five seconds for processes that read.
    ///
    /// - Parameter key: 32 bytes.
    /// - Throws: `.key` for another length; `.mismatch`, `.damaged`, `.storage`, `.busy`, `.memory`, `.random`. The old
    ///   key then stays. Only after `.storage`, when the disk could not say whether it has the change, the next opening
    ///   may want the new key: keep both until one has opened the vault.
    /// - C: `CustomVault_changeKey`.
    public func changeKey(to key: Span<UInt8>) throws(KeyboardError) {
      try key.withUnsafeBytes { key throws(KeyboardError) in try handle.changeKey(to: key) }
    }

    /// Writes a copy of the vault, as it is at one moment, to a new file with the same key.
    ///
    /// - Parameter path: as for `init`.
    /// - Throws: `.argument` for an empty path; `.exists` if the path names something, which is never overwritten, or
    ///   if the WAL of a vault that was there is left; `.storage`, `.busy`, `.mismatch`, `.damaged`, `.memory`,
    ///   `.random`.
    /// - C: `CustomVault_backup`.
    public func backUp(to path: String) throws(KeyboardError) {
      try path.withName { path throws(KeyboardError) in try handle.backUp(to: path) }
    }
  }

  extension String {
    /// Lends the text as C has it, ended by a NUL.
    ///
    /// - Throws: `.argument` for a text with a NUL inside, of which C would read a part only.
    func withName<Result: ~Copyable>(
      _ body: (UnsafePointer<CChar>) throws(KeyboardError) -> Result
    ) throws(KeyboardError) -> Result {
      guard !utf8.contains(0) else { throw .argument(.nul) }
      let bytes = utf8CString
      return try bytes.span.withUnsafeBufferPointer { bytes throws(KeyboardError) in try body(bytes.baseAddress!) }
    }
  }
#endif
