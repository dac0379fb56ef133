// DES, 3DES and AES by mbedTLS, on the caller's memory, one block at a time.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardMbedTLS
import KeyboardCodes
import Synchronization

/// A key schedule of 3DES or AES: a view of memory that the caller wipes.
///
/// mbedTLS keeps a schedule inside its context, and none of the functions that are called here can fail.
///
/// - Timing: DES and 3DES look up tables. AES does if the processor has no AES instructions.
struct KeySchedule {
  private let memory: UnsafeMutableRawPointer

  /// Bytes of memory that a schedule takes.
  static var byteCount: Int { max(MemoryLayout<mbedtls_des3_context>.size, MemoryLayout<mbedtls_aes_context>.size) }

  /// - Parameter memory: `byteCount` bytes aligned to 8.
  init(at memory: UnsafeMutableRawPointer) { self.memory = memory }

  private var des: UnsafeMutablePointer<mbedtls_des_context> {
    memory.assumingMemoryBound(to: mbedtls_des_context.self)
  }
  private var des3: UnsafeMutablePointer<mbedtls_des3_context> {
    memory.assumingMemoryBound(to: mbedtls_des3_context.self)
  }
  private var aes: UnsafeMutablePointer<mbedtls_aes_context> {
    memory.assumingMemoryBound(to: mbedtls_aes_context.self)
  }

  /// Encrypts a block of 8 bytes with DES, as X9.24-1 does.
  @inline(never)
  func encryptByDES(_ block: UnsafeMutableRawPointer, key: UnsafeRawPointer) {
    mbedtls_des_init(des)
    _ = mbedtls_des_setkey_enc(des, key.assumingMemoryBound(to: UInt8.self))
    let block = block.assumingMemoryBound(to: UInt8.self)
    _ = mbedtls_des_crypt_ecb(des, block, block)
  }

  /// Expands a key of 16 or 24 bytes for 3DES.
  @inline(never)
  func expandTripleDES(_ key: UnsafeRawPointer, byteCount: Int, for direction: Direction) {
    let bytes = key.assumingMemoryBound(to: UInt8.self)
    mbedtls_des3_init(des3)
    switch (byteCount, direction) {
    case (16, .encryption): _ = mbedtls_des3_set2key_enc(des3, bytes)
    case (16, .decryption): _ = mbedtls_des3_set2key_dec(des3, bytes)
    case (_, .encryption): _ = mbedtls_des3_set3key_enc(des3, bytes)
    case (_, .decryption): _ = mbedtls_des3_set3key_dec(des3, bytes)
    }
  }

  /// Encrypts or decrypts a block of 8 bytes, as the key was expanded for.
  @inline(never)
  func cryptByTripleDES(_ block: UnsafeMutableRawPointer) {
    let block = block.assumingMemoryBound(to: UInt8.self)
    _ = mbedtls_des3_crypt_ecb(des3, block, block)
  }

  /// Expands a key of 16, 24 or 32 bytes for AES.
  @inline(never)
  func expandAES(_ key: UnsafeRawPointer, byteCount: Int, for direction: Direction) {
    let (bytes, bits) = (key.assumingMemoryBound(to: UInt8.self), UInt32(truncatingIfNeeded: 8 &* byteCount))
    mbedtls_aes_init(aes)
    switch direction {
    case .encryption: _ = mbedtls_aes_setkey_enc(aes, bytes, bits)
    case .decryption: _ = mbedtls_aes_setkey_dec(aes, bytes, bits)
    }
  }

  /// Encrypts or decrypts a block of 16 bytes, in the direction that the key was expanded for.
  @inline(never)
  func cryptByAES(_ block: UnsafeMutableRawPointer, _ direction: Direction) {
    let block = block.assumingMemoryBound(to: UInt8.self)
    let mode = direction == .encryption ? MBEDTLS_AES_ENCRYPT : MBEDTLS_AES_DECRYPT
    _ = mbedtls_aes_crypt_ecb(aes, mode, block, block)
  }
}

private let isBound = Atomic<Bool>(false)

/// Leaves nothing for the dynamic linker to do while registers hold secrets.
@inline(never)
package func bindPINBlocks() {
  guard !isBound.load(ordering: .acquiring) else { return }
  keyboard_bind_mbedtls()
  keyboard_bind_mbedtls_aes()
  isBound.store(true, ordering: .releasing)
}
