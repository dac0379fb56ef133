// What a keyboard asks of any way about keys.
// SPDX-License-Identifier: Apache-2.0
//
// What differs within a room is in that room's table: EncryptionWay+Cipher.swift, SealingWay+Table.swift,
// PINBlockFormat.swift.

package import KeyboardCodes
import KeyboardECB
package import KeyboardMemory
import KeyboardPIN
package import KeyboardSealing

extension Way {
  /// Whether a key can have this length.
  @inline(never) @export(interface)
  package func acceptsKey(byteCount: Int) -> Bool {
    switch self {
    case .ecb(let way): way.acceptsKey(byteCount: byteCount)
    case .sealed(let way): way.publicKeyLengths.contains(byteCount)
    #if arch(wasm32)
      case .pin: false
    #else
      case .pin(let format): format.acceptsKey(byteCount: byteCount)
    #endif
    }
  }

  /// Whether the key is a secret, which a keyboard masks. Another one is a public key, which it checks.
  package var hasSecretKey: Bool {
    switch self {
    case .ecb, .pin: true
    case .sealed(let way): way.origin == .shared
    }
  }

  /// Whether these bytes are a public key of the way.
  ///
  /// - Parameter key: of a length that is accepted.
  @inline(never) @export(interface)
  package func isPublicKey(_ key: UnsafeRawBufferPointer) -> Bool {
    switch self {
    case .ecb, .pin: false
    case .sealed(let way): way.isPublicKey(key)
    }
  }

  /// How deep the stack goes while a key is set.
  package var reachOfKeys: Residue.Reach {
    switch self {
    case .ecb, .pin: .ordinary
    case .sealed: .deep
    }
  }

  /// Leaves nothing for the dynamic linker to do while registers hold secrets of this way.
  @inline(never) @export(interface)
  package func bind() {
    switch self {
    case .ecb(let way): way.bind()
    case .sealed(let way): way.bind()
    #if arch(wasm32)
      case .pin: break
    #else
      case .pin: bindPINBlocks()
    #endif
    }
  }
}
