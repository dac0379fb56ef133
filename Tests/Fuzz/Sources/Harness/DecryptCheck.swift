// Checks `decrypt` against the contract: the first code that applies, the password, and what must not change.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// The arguments of a call of `decrypt`.
public struct DecryptRequest {
  public var way = CUSTOM_ENCWAY_SM4
  public var key = Piece.none
  public var text = Piece.none
  public var space = Piece.none
  public var hasOffset = true
  public var hasLength = true

  public init() {}

  /// The expected code, and the password or what is known of it.
  ///
  /// - Parameters:
  ///   - keyBytes, textBytes: the contents of the two, as far as the call may look at them.
  private func answer(_ keyBytes: [UInt8], _ textBytes: [UInt8]) -> (CUSTOM_KEYBOARD_RV, password: [UInt8]) {
    guard Reference.isWay(way), key.isPointer, text.isPointer, space.isPointer, space.isInMemory, hasOffset, hasLength,
      text.isInMemoryToRead, key.isInMemoryToRead, !text.overlaps(space, limit: 144), !key.overlaps(space, limit: 24)
    else { return (CUSTOM_KEYBOARD_ARGUMENT, []) }
    guard Reference.accepts(way, keyLength: key.claimed) else { return (CUSTOM_KEYBOARD_ERR, []) }
    guard UInt(bitPattern: text.claimed) <= 144 else { return (CUSTOM_KEYBOARD_MAXLEN, []) }
    guard text.claimed > 0, text.claimed % Reference.blockSize(way) == 0,
      let password = Reference.unpad(Reference.crypt(way, keyBytes, textBytes, decrypting: true), way)
    else { return (CUSTOM_KEYBOARD_UNDECRYPTABLE, []) }
    return (password.count <= space.count ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_SPACE, password)
  }

  /// Calls `decrypt`, and complains about any answer but the expected one.
  ///
  /// - Parameters:
  ///   - keyBytes, textBytes: the contents of the two; the pieces themselves may be one byte short.
  @discardableResult
  public func check(key keyBytes: [UInt8], text textBytes: [UInt8]) -> CUSTOM_KEYBOARD_RV {
    let (code, password) = answer(keyBytes, textBytes)
    let (keyBefore, textBefore, spaceBefore) = (key.bytes, text.bytes, space.bytes)
    let (noOffset, noLength) = (0x0ff5e7, 0x1e9674)
    var (offset, length) = (noOffset, noLength)
    let got = withUnsafeMutablePointer(to: &offset) { offset in
      withUnsafeMutablePointer(to: &length) { length in
        CustomKeyboard_decrypt(
          way, key.start, key.claimed, text.start, text.claimed, space.start, space.claimed,
          hasOffset ? offset : nil, hasLength ? length : nil)
      }
    }
    trace("decrypt: way \(way.rawValue), key \(key), text \(text), space \(space): \(got.rawValue)")
    expect(got == code, "decrypt answers \(got.rawValue), expected \(code.rawValue)")
    if code == CUSTOM_KEYBOARD_OK {
      space.expectFilled(at: offset, length, with: password, before: spaceBefore)
      expect(Reference.encrypt(way, keyBytes, password) == textBytes, "the password encrypts to another text")
      if !key.overlaps(space, limit: 24) { expect(key.bytes == keyBefore, "the key has changed") }
      if !text.overlaps(space, limit: 144) { expect(text.bytes == textBefore, "the text has changed") }
    } else {
      expect(space.bytes == spaceBefore, "decrypt answers \(got.rawValue) but has written to the space")
      expect(offset == noOffset, "decrypt answers \(got.rawValue) but also an offset")
      let due = code == CUSTOM_KEYBOARD_SPACE ? password.count : noLength
      expect(length == due, "decrypt answers \(got.rawValue) but also a length of \(length)")
      expect(key.bytes == keyBefore && text.bytes == textBefore, "a call that fails has changed the key or the text")
    }
    return got
  }
}

extension World {
  /// A text to decrypt, chosen by the fuzzer: a password's ciphertext, well or badly padded, or any bytes.
  public func text(_ way: CUSTOM_ENCWAY, _ key: [UInt8]) -> [UInt8] {
    let kind = reader.number(below: 8)
    guard Reference.isWay(way), Reference.accepts(way, keyLength: key.count), kind < 6 else {
      return reader.take(reader.number(below: 161))
    }
    var source = reader.scattered()
    let password = kind == 0 ? reader.take(reader.number(below: 129)) : source.bytes(reader.number(below: 129))
    guard kind > 3 else { return Reference.encrypt(way, key, password) }
    // Changes the last byte, or another one of the padding.
    var padded = Reference.pad(password, way)
    let place = kind == 4 ? 1 : 1 + reader.number(below: Reference.blockSize(way))
    padded[padded.count - place] = reader.byte()
    let text = Reference.crypt(way, key, padded, decrypting: false)
    return Array(text.dropLast(reader.number(below: 8) == 7 ? 1 : 0))
  }
}
