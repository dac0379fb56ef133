// One password or one ciphertext through one cipher, in a workspace.

package import KeyboardCodes
package import KeyboardMemory
import KeyboardSM4

/// The longest password in bytes: 1024 bits, the paper's limit.
public let maximumPasswordLength = 128

/// The longest ciphertext in bytes: 128 and a block of padding.
public let maximumTextLength = 144

/// The longest key in bytes: three DES keys.
public let maximumKeyLength = 24

/// A cipher and the blocks it works on, in a workspace, for one password.
///
///     0                      144   168
///     ├─ text (at most 144) ─┼ key ┼─ cipher context, or the round keys of one block: as much as is needed ─┤
package struct ECB: ~Copyable {
  package let workspace: Workspace

  /// - Parameter way: the only algorithm that will be used.
  /// - Throws: `.memory`.
  package init(_ way: EncryptionWay) throws(KeyboardError) {
    let byteCount = way == .sm4 ? SM4.blockScratchSize : CipherContext.usedByteCount(way)
    workspace = try Workspace(using: Self.contextOffset + byteCount)
  }

  private static var contextOffset: Int { maximumTextLength + maximumKeyLength }

  private var context: CipherContext { CipherContext(at: workspace.memory + Self.contextOffset) }

  /// Where the text goes in and comes out: 144 bytes.
  package var text: UnsafeMutableRawPointer { workspace.memory }

  /// Room for the longest key, for whoever has to unmask it first.
  package var key: UnsafeMutableRawPointer { text + maximumTextLength }

  /// Encrypts the password that stands in `text`.
  ///
  /// - Parameters:
  ///   - byteCount: at most 128.
  ///   - key: anywhere but in the context.
  /// - Returns: the ciphertext's length; it stands in `text`.
  /// - Throws: `.key`.
  package func encrypt(
    byteCount: Int, way: EncryptionWay, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Int {
    guard way.acceptsKey(byteCount: key.count) else { throw .key }
    context.setKey(way, key, for: .encryption)
    let length = PKCS7.paddedLength(byteCount, blockSize: way.blockSize)
    PKCS7.pad(text, byteCount: byteCount, blockSize: way.blockSize)
    context.crypt(way, input: text, output: text, blockCount: way.blockCount(byteCount: length))
    return length
  }

  /// Decrypts a ciphertext into `text`.
  ///
  /// - Parameter ciphertext: whole blocks, 1 … 144 bytes.
  /// - Returns: the password's length; it stands in `text`.
  /// - Throws: `.key`, `.undecryptable`.
  package func decrypt(
    _ ciphertext: UnsafeRawBufferPointer, way: EncryptionWay, key: UnsafeRawBufferPointer
  ) throws(KeyboardError) -> Int {
    guard way.acceptsKey(byteCount: key.count) else { throw .key }
    let blockSize = way.blockSize
    if way == .sm4 && ciphertext.count == SM4.blockSize {
      SM4.decryptBlock(
        key: key.baseAddress!, input: ciphertext.baseAddress!, output: text,
        scratch: workspace.memory + Self.contextOffset)
    } else {
      context.setKey(way, key, for: .decryption)
      context.crypt(
        way, input: ciphertext.baseAddress!, output: text, blockCount: way.blockCount(byteCount: ciphertext.count))
    }
    guard let length = PKCS7.unpaddedLength(text, byteCount: ciphertext.count, blockSize: blockSize)
    else { throw .undecryptable }
    return length
  }
}
