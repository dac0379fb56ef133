// The users of an authenticator's keys as Swift has them.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  import CCustomFido

  extension FidoHandle {
    func accountNames(of authenticator: CUSTOM_FIDO_AUTHENTICATOR) throws(FidoResult) -> [String] {
      let names = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.namesSize, alignment: 1)
      defer { names.deallocate() }
      let count = try accounts(of: authenticator, into: names.baseAddress!)
      // Each has a NUL after it.
      return names[..<count].split(separator: 0, omittingEmptySubsequences: false).dropLast()
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }
#endif
