// The algorithms in another way: the library's bare block ciphers, one block at a time, and padding by RFC 5652.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// Encrypts and decrypts passwords.
public enum Reference {
  public static func isWay(_ way: CUSTOM_ENCWAY) -> Bool { way.rawValue <= CUSTOM_ENCWAY_SM4.rawValue }

  public static func blockSize(_ way: CUSTOM_ENCWAY) -> Int { way == CUSTOM_ENCWAY_SM4 ? 16 : 8 }

  public static func accepts(_ way: CUSTOM_ENCWAY, keyLength: Int) -> Bool {
    switch way {
    case CUSTOM_ENCWAY_DES: keyLength == 8
    case CUSTOM_ENCWAY_3DES: keyLength == 16 || keyLength == 24
    default: keyLength == 16
    }
  }

  /// Whole blocks, with one call for each.
  static func crypt(_ way: CUSTOM_ENCWAY, _ key: [UInt8], _ blocks: [UInt8], decrypting: Bool) -> [UInt8] {
    var cipher = CUSTOM_KEYBOARD_CIPHER()
    expect(
      CustomKeyboard_setupCipher(&cipher, way, key, key.count, decrypting ? 1 : 0) == CUSTOM_KEYBOARD_OK,
      "setupCipher refuses a key of \(key.count) bytes")
    defer { _ = CustomKeyboard_wipeCipher(&cipher) }
    var result = blocks
    result.withUnsafeMutableBufferPointer { bytes in
      for offset in stride(from: 0, to: bytes.count, by: blockSize(way)) {
        let block = bytes.baseAddress! + offset
        let code = CustomKeyboard_cryptECB(&cipher, block, block, blockSize(way))
        expect(code == CUSTOM_KEYBOARD_OK, "cryptECB answers \(code.rawValue) for a block")
      }
    }
    return result
  }

  static func pad(_ bytes: [UInt8], _ way: CUSTOM_ENCWAY) -> [UInt8] {
    let count = blockSize(way) - bytes.count % blockSize(way)
    return bytes + [UInt8](repeating: UInt8(count), count: count)
  }

  /// nil if the padding is wrong.
  static func unpad(_ bytes: [UInt8], _ way: CUSTOM_ENCWAY) -> [UInt8]? {
    guard let last = bytes.last, last >= 1, last <= blockSize(way) else { return nil }
    // Planted fault: of a padding of three bytes, only the last is checked.
    let looked = Plant.answer && last == 3 ? 1 : Int(last)
    guard bytes.suffix(looked).allSatisfy({ $0 == last }) else { return nil }
    return Array(bytes.dropLast(Int(last)))
  }

  public static func encrypt(_ way: CUSTOM_ENCWAY, _ key: [UInt8], _ password: [UInt8]) -> [UInt8] {
    crypt(way, key, pad(password, way), decrypting: false)
  }
}
