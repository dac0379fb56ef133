// Items of a vault, for Swift.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  extension Vault {
    /// What a list says of an item. Its data is read by name.
    public struct Item: Sendable, Hashable {
      /// What it belongs to, such as an app or a server. With the account, its name.
      public let service: String
      /// Whose it is there.
      public let account: String
      /// For people; may be empty.
      public let label: String
      /// What the data is, in the app's own words; may be empty.
      public let kind: String
      /// Seconds since 1970.
      public let created: Int64
      /// Seconds since 1970.
      public let modified: Int64
      /// The length of the data.
      public let byteCount: Int
    }

    /// The most bytes that an item's data has: 65,536.
    public static var maximumDataCount: Int { VaultHandle.maximumDataSize }

    /// Adds an item. It is on the disk when the call returns.
    ///
    /// - Parameters:
    ///   - service, account: 1 … 255 bytes of UTF-8 each. Together they are the item's name.
    ///   - label, kind: 0 … 255 bytes.
    ///   - data: 0 … 65,536 bytes.
    /// - Throws: `.argument` for a name, or a vault that was closed; `.tooLong` for the data; `.exists`; `.mismatch` if
    ///   another process has changed the key; `.damaged`, `.storage`, `.busy`, `.memory`, `.random`. Nothing is then
    ///   changed.
    /// - C: `CustomVault_addItem`.
    public func add(
      service: String, account: String, label: String = "", kind: String = "password", data: Span<UInt8>
    ) throws(KeyboardError) {
      try withNames(service, account, label, kind) { name, label, kind throws(KeyboardError) in
        try data.withUnsafeBytes { data throws(KeyboardError) in
          try handle.add(name, label: label, kind: kind, data: data)
        }
      }
    }

    /// Reads the data of an item.
    ///
    /// - Returns: 0 … 65,536 bytes in locked memory.
    /// - Throws: `.argument`, `.notFound`; `.mismatch` if another process has changed the key; `.damaged`, `.storage`,
    ///   `.busy`, `.memory`.
    /// - Timing: depends on the lengths only. SQLite's search depends on a keyed hash of the name.
    /// - C: `CustomVault_readItem`.
    public func read(service: String, account: String) throws(KeyboardError) -> SecretBytes {
      try withNames(service, account) { name, _, _ throws(KeyboardError) in
        // Most secrets are short.
        var capacity = 4096
        while true {
          do throws(KeyboardError) {
            var data = try SecretBytes(capacity: capacity)
            try data.extend { space throws(KeyboardError) in try handle.read(name, into: space) }
            return data
          } catch .spaceTooSmall(let needed) where needed > capacity {
            capacity = needed
          }
        }
      }
    }

    /// Changes this item and no other.
    ///
    /// - Parameter label, kind: nil for what stays.
    /// - Throws: `.notFound`, and what `add` throws but `.exists`. Nothing is then changed.
    /// - C: `CustomVault_updateItem`.
    public func update(
      service: String, account: String, label: String? = nil, kind: String? = nil, data: Span<UInt8>
    ) throws(KeyboardError) {
      try withNames(service, account, label, kind) { name, label, kind throws(KeyboardError) in
        try data.withUnsafeBytes { data throws(KeyboardError) in
          try handle.update(name, label: label, kind: kind, data: data)
        }
      }
    }

    /// Changes the data of an item, if it is still what was expected: a counter or a token that two programs renew.
    ///
    /// - Throws: `.mismatch` if the data is something else, and what `update` throws. Nothing is then changed.
    /// - Timing: the same for all data of one length.
    /// - C: `CustomVault_replaceItem`.
    public func replace(
      service: String, account: String, expected: Span<UInt8>, data: Span<UInt8>
    ) throws(KeyboardError) {
      try withNames(service, account) { name, _, _ throws(KeyboardError) in
        try expected.withUnsafeBytes { expected throws(KeyboardError) in
          try data.withUnsafeBytes { data throws(KeyboardError) in
            try handle.replace(name, expected: expected, with: data)
          }
        }
      }
    }

    /// Deletes an item.
    ///
    /// - Throws: `.notFound`, and what `add` throws but `.exists` and `.tooLong`.
    /// - C: `CustomVault_deleteItem`.
    public func delete(service: String, account: String) throws(KeyboardError) {
      try withNames(service, account) { name, _, _ throws(KeyboardError) in try handle.delete(name) }
    }

    /// All items, or those of one service: by service, then by account, in the order of their bytes.
    ///
    /// - Throws: `.argument`, `.mismatch`, `.damaged`, `.storage`, `.busy`, `.memory`.
    /// - C: `CustomVault_listItems`.
    public func items(service: String? = nil) throws(KeyboardError) -> [Item] {
      try service.withName { service throws(KeyboardError) in try handle.items(service: service) }
    }

    private func withNames<Result: ~Copyable>(
      _ service: String, _ account: String, _ label: String? = nil, _ kind: String? = nil,
      _ body: (VaultHandle.Name, UnsafePointer<CChar>?, UnsafePointer<CChar>?) throws(KeyboardError) -> Result
    ) throws(KeyboardError) -> Result {
      try service.withName { service throws(KeyboardError) in
        try account.withName { account throws(KeyboardError) in
          try label.withName { label throws(KeyboardError) in
            try kind.withName { kind throws(KeyboardError) in
              try body(VaultHandle.Name(service: service, account: account), label, kind)
            }
          }
        }
      }
    }
  }

  extension Vault.Item: CustomStringConvertible, CustomReflectable {
    /// The length of the data only: the file has the names sealed.
    public var description: String { "Item(byteCount: \(byteCount))" }
    /// The length of the data only.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": byteCount]) }
  }

  extension String? {
    /// Lends the text as C has it; nil for nil.
    fileprivate func withName<Result: ~Copyable>(
      _ body: (UnsafePointer<CChar>?) throws(KeyboardError) -> Result
    ) throws(KeyboardError) -> Result {
      guard let self else { return try body(nil) }
      return try self.withName { text throws(KeyboardError) in try body(text) }
    }
  }
#endif
