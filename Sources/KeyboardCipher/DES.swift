// DES and 3DES (FIPS 46-3) are mbedTLS's: what it takes is a context and one block at a time.
//
// mbedTLS looks up tables, so that its timing depends on keys and texts. That cannot be mended from outside; the README
// says so. Parity bits are neither checked nor needed.

import CKeyboardMbedTLS

/// Single DES. A key has 56 bits that count; it falls to a search in hours.
///
/// - Timing: not constant; mbedTLS's DES looks up tables.
enum DES: BlockCipher {
  static var blockSize: Int { 8 }
  static var scheduleSize: Int { MemoryLayout<mbedtls_des_context>.size }

  static func acceptsKey(byteCount: Int) -> Bool { byteCount == 8 }

  static func setKey(_ key: UnsafeRawBufferPointer, for direction: Direction, schedule: UnsafeMutableRawPointer) {
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
    // mbedTLS's context parameter is not const, but only read.
    let context = UnsafeMutablePointer(mutating: schedule.assumingMemoryBound(to: mbedtls_des_context.self))
    eachBlock(input, output, blockCount) { _ = mbedtls_des_crypt_ecb(context, $0, $1) }
  }
}

/// Triple DES, encrypt–decrypt–encrypt, with the keys K1 K2 K3, or K1 K2 and K3 = K1.
///
/// - Timing: not constant; mbedTLS's DES looks up tables.
enum TripleDES: BlockCipher {
  static var blockSize: Int { 8 }
  static var scheduleSize: Int { MemoryLayout<mbedtls_des3_context>.size }

  static func acceptsKey(byteCount: Int) -> Bool { byteCount == 16 || byteCount == 24 }

  static func setKey(_ key: UnsafeRawBufferPointer, for direction: Direction, schedule: UnsafeMutableRawPointer) {
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
