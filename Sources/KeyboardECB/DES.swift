// DES and 3DES (FIPS 46-3) by mbedTLS, which takes a context and one block at a time.
// SPDX-License-Identifier: Apache-2.0
//
// mbedTLS looks up tables, so its timing depends on keys and texts. That cannot be changed from outside. Parity bits
// are neither checked nor needed.

import CKeyboardMbedTLS
import KeyboardCodes
import Synchronization

/// Single DES. 56 bits of a key count; a search finds it in hours.
///
/// - Timing: not constant; mbedTLS's DES looks up tables.
enum DES {
  static var blockSize: Int { 8 }
  static var scheduleSize: Int { MemoryLayout<mbedtls_des_context>.size }

  private static let isBound = Atomic<Bool>(false)

  /// (In one file only, and with it the C function.)
  @inline(never) @export(interface)
  static func bind() {
    guard !isBound.load(ordering: .acquiring) else { return }
    keyboard_bind_mbedtls()
    isBound.store(true, ordering: .releasing)
  }

  static func expandKey(_ key: UnsafeRawBufferPointer, for direction: Direction, into schedule: UnsafeMutableRawPointer)
  {
    let context = schedule.bindMemory(to: mbedtls_des_context.self, capacity: 1)
    let bytes = key.baseAddress!.assumingMemoryBound(to: UInt8.self)
    mbedtls_des_init(context)
    // Both always answer 0: no key is refused.
    switch direction {
    case .encryption: _ = mbedtls_des_setkey_enc(context, bytes)
    case .decryption: _ = mbedtls_des_setkey_dec(context, bytes)
    }
  }

  static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    // mbedTLS only reads the context, although the parameter is not const.
    let context = UnsafeMutablePointer(mutating: schedule.assumingMemoryBound(to: mbedtls_des_context.self))
    eachBlock(input, output, blockCount) { _ = mbedtls_des_crypt_ecb(context, $0, $1) }
  }
}

/// Triple DES, encrypt–decrypt–encrypt, with the keys K1 K2 K3, or K1 K2 and K3 = K1.
///
/// - Timing: not constant; mbedTLS's DES looks up tables.
enum TripleDES {
  static var scheduleSize: Int { MemoryLayout<mbedtls_des3_context>.size }

  static func expandKey(_ key: UnsafeRawBufferPointer, for direction: Direction, into schedule: UnsafeMutableRawPointer)
  {
    let context = schedule.bindMemory(to: mbedtls_des3_context.self, capacity: 1)
    let bytes = key.baseAddress!.assumingMemoryBound(to: UInt8.self)
    mbedtls_des3_init(context)
    switch (key.count, direction) {
    case (16, .encryption): _ = mbedtls_des3_set2key_enc(context, bytes)
    case (16, .decryption): _ = mbedtls_des3_set2key_dec(context, bytes)
    case (_, .encryption): _ = mbedtls_des3_set3key_enc(context, bytes)
    case (_, .decryption): _ = mbedtls_des3_set3key_dec(context, bytes)
    }
  }

  static func crypt(
    schedule: UnsafeRawPointer, input: UnsafeRawPointer, output: UnsafeMutableRawPointer, blockCount: Int
  ) {
    let context = UnsafeMutablePointer(mutating: schedule.assumingMemoryBound(to: mbedtls_des3_context.self))
    eachBlock(input, output, blockCount) { _ = mbedtls_des3_crypt_ecb(context, $0, $1) }
  }
}

@inline(__always)
private func eachBlock(
  _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ blockCount: Int,
  _ body: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>) -> Void
) {
  var source = input.assumingMemoryBound(to: UInt8.self)
  var target = output.assumingMemoryBound(to: UInt8.self)
  for _ in 0..<blockCount {
    body(source, target)
    source += DES.blockSize
    target += DES.blockSize
  }
}
