// Lists of a vault as Swift has them.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import KeyboardCodes

  extension VaultHandle {
    /// - Parameter service: nil for all.
    func items(service: UnsafePointer<CChar>?) throws(KeyboardError) -> [Vault.Item] {
      let list = try list(service: service)
      return (0..<list.count).map { Vault.Item(list[$0]) }
    }

    func passcodeNames() throws(KeyboardError) -> [String] { Self.names(of: try listPasscodes()) }

    func wordNames() throws(KeyboardError) -> [String] { Self.names(of: try listWords()) }

    private static func names(of list: consuming VaultList) -> [String] {
      (0..<list.count).map { String(cString: list[$0].account) }
    }
  }

  extension Vault.Item {
    fileprivate init(_ item: VaultList.Item) {
      self.init(
        service: String(cString: item.service), account: String(cString: item.account),
        label: String(cString: item.label), kind: String(cString: item.kind), created: item.created,
        modified: item.modified, byteCount: Int(item.dataSize))
    }
  }
#endif
