// DES and 3DES through the library, which calls mbedTLS, compared with mbedTLS alone: the overhead of the library.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CMbedTLS

enum DES {
  static let size = 1024
  static let items = ["DES", "3DES"]

  static func measure(_ run: Run) -> [Measurement] {
    var numbers = RepeatableNumbers(seed: 4)
    let input = allocate(numbers.bytes(size))
    let output = allocate(size)
    let desKey = numbers.bytes(8)
    let tripleKey = numbers.bytes(24)

    let des = MbedTLS.des(key: desKey)
    let bareDES = Contender(MbedTLS.name) { repeats in
      var errors: Int32 = 0
      for _ in 0..<repeats {
        for i in stride(from: 0, to: size, by: 8) { errors |= mbedtls_des_crypt_ecb(des, input + i, output + i) }
      }
      require(errors == 0, "mbedTLS encrypts")
    }
    let tripleDES = MbedTLS.tripleDES(key: tripleKey)
    let bareTripleDES = Contender(MbedTLS.name) { repeats in
      var errors: Int32 = 0
      for _ in 0..<repeats {
        for i in stride(from: 0, to: size, by: 8) { errors |= mbedtls_des3_crypt_ecb(tripleDES, input + i, output + i) }
      }
      require(errors == 0, "mbedTLS encrypts")
    }

    return [(bareDES, CUSTOM_ENCWAY_DES, desKey), (bareTripleDES, CUSTOM_ENCWAY_3DES, tripleKey)].enumerated()
      .flatMap { i, pair in
        let contenders = [pair.0, library(pair.1, pair.2, input, output)]
        requireEqualResults(contenders, output, size)
        return run.measure(.des, items[i], bytes: size, contenders)
      }
  }

  private static func library(_ way: CUSTOM_ENCWAY, _ key: [UInt8], _ input: Bytes, _ output: Bytes) -> Contender {
    let cipher = Library.cipher(way, key)
    return Contender(Library.name) { repeats in
      var codes: UInt32 = 0
      for _ in 0..<repeats { codes |= CustomKeyboard_cryptECB(cipher, input, output, size).rawValue }
      Library.requireOK(codes, "cryptECB")
    }
  }
}
