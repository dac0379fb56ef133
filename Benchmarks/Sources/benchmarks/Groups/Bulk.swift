// SM4-ECB over 64 bytes to 1 MiB: the cost of SM4 itself. Every library encrypts in one call, into a separate buffer.
// SPDX-License-Identifier: Apache-2.0

import CBotan
import CCustomKeyboard
import CGcrypt
import COpenSSL

enum Bulk {
  static let sizes = [64, 256, 1024, 16_384, 1_048_576]
  static let name = Library.name

  static func label(_ size: Int) -> String {
    size >= 1_048_576 ? "\(size / 1_048_576) MiB" : size >= 1024 ? "\(size / 1024) KiB" : "\(size) B"
  }

  static func measure(_ run: Run) -> [Measurement] {
    var numbers = RepeatableNumbers(seed: 1)
    let key = numbers.bytes(16)
    let input = allocate(numbers.bytes(sizes.max()!))
    let output = allocate(sizes.max()!)
    return sizes.flatMap { size in
      let blockwise = contenders(key, input, output, size)
      requireEqualResults(blockwise, output, size)
      let counter = counterMode(key, input, output, size)
      return run.measure(.bulk, label(size), bytes: size, blockwise + [counter])
    }
  }

  private static func contenders(_ key: [UInt8], _ input: Bytes, _ output: Bytes, _ size: Int) -> [Contender] {
    let library = Library.cipher(CUSTOM_ENCWAY_SM4, key)
    let openSSL = OpenSSL.encrypting(key: key)
    let libgcrypt = Libgcrypt.open(GCRY_CIPHER_MODE_ECB, key: key)
    let botan = Botan.cipher(key: key)
    return [
      Contender(OpenSSL.sameContext) { repeats in
        var written: Int32 = 0
        for _ in 0..<repeats { EVP_EncryptUpdate(openSSL, output, &written, input, Int32(size)) }
        require(Int(written) == size, "OpenSSL encrypts \(size) bytes")
      },
      Contender(name) { repeats in
        var codes: UInt32 = 0
        for _ in 0..<repeats { codes |= CustomKeyboard_cryptECB(library, input, output, size).rawValue }
        Library.requireOK(codes, "cryptECB")
      },
      Contender(Libgcrypt.ecbName) { repeats in
        var errors: gcry_error_t = 0
        for _ in 0..<repeats { errors |= gcry_cipher_encrypt(libgcrypt, output, size, input, size) }
        require(errors == 0, "libgcrypt encrypts \(size) bytes")
      },
      Contender(Botan.name) { repeats in
        var errors: Int32 = 0
        for _ in 0..<repeats { errors |= botan_block_cipher_encrypt_blocks(botan, input, output, size / 16) }
        require(errors == 0, "Botan encrypts \(size) bytes")
      },
    ]
  }

  /// CTR is another mode, so it is checked in another way: the stream that it adds must be the encrypted counter.
  private static func counterMode(_ key: [UInt8], _ input: Bytes, _ output: Bytes, _ size: Int) -> Contender {
    let handle = Libgcrypt.open(GCRY_CIPHER_MODE_CTR, key: key)
    let contender = Contender(Libgcrypt.ctrName) { repeats in
      var errors: gcry_error_t = 0
      for _ in 0..<repeats { errors |= gcry_cipher_encrypt(handle, output, size, input, size) }
      require(errors == 0, "libgcrypt encrypts \(size) bytes in CTR")
    }
    Libgcrypt.setCounter(handle, [UInt8](repeating: 0, count: 16))
    contender.run(1)
    let counters = (0..<size / 16).flatMap { block in
      (0..<16).map { $0 < 8 ? 0 : UInt8(truncatingIfNeeded: block >> (8 * (15 - $0))) }
    }
    let stream = Library.encrypt(CUSTOM_ENCWAY_SM4, counters, key: key)
    require((0..<size).allSatisfy { output[$0] == input[$0] ^ stream[$0] }, "\(contender.name) is SM4 in CTR mode")
    return contender
  }
}
