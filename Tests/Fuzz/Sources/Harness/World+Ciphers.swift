// The bare block ciphers, in the caller's memory.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A context, and how it was last set up.
public final class CipherModel {
  let memory: UnsafeMutablePointer<CUSTOM_KEYBOARD_CIPHER>
  private var setUp: (way: CUSTOM_ENCWAY, key: [UInt8], isDecrypting: Bool)?

  init() {
    memory = .allocate(capacity: 1)
    memory.initialize(to: CUSTOM_KEYBOARD_CIPHER())
  }

  deinit { memory.deallocate() }

  private var own: Piece {
    let count = MemoryLayout<CUSTOM_KEYBOARD_CIPHER>.size
    let start = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt8.self)
    return Piece(start: start, count: count, claimed: count)
  }

  func wipe() {
    setUp = nil
    let got = CustomKeyboard_wipeCipher(memory)
    expect(got == CUSTOM_KEYBOARD_OK && own.bytes.allSatisfy { $0 == 0 }, "wipeCipher leaves something")
  }

  func setUp(_ way: CUSTOM_ENCWAY, _ key: Piece, isDecrypting: Bool) {
    var due = CUSTOM_KEYBOARD_OK
    if !Reference.isWay(way) || !key.isPointer || key.overlaps(own, limit: 24) {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if !Reference.accepts(way, keyLength: key.claimed) {
      due = CUSTOM_KEYBOARD_ERR
    }
    let before = own.bytes
    let got = CustomKeyboard_setupCipher(memory, way, key.start, key.claimed, isDecrypting ? 1 : 0)
    expect(got == due, "setupCipher answers \(got.rawValue), expected \(due.rawValue)")
    if due == CUSTOM_KEYBOARD_OK {
      setUp = (way, key.bytes, isDecrypting)
    } else {
      expect(own.bytes == before, "setupCipher failed but changed the cipher")
    }
  }

  /// - Parameters:
  ///   - bytes: the contents of the input.
  ///   - isSame: whether input and output are the same memory.
  func crypt(_ input: Piece, _ bytes: [UInt8], into output: Piece, isSame: Bool) {
    var due = CUSTOM_KEYBOARD_ARGUMENT
    if let setUp, input.isPointer, output.isPointer, input.isInMemory, output.isInMemory,
      input.claimed % Reference.blockSize(setUp.way) == 0,
      isSame || !input.overlaps(output, limit: .max), !own.overlaps(output, limit: .max)
    {
      due = CUSTOM_KEYBOARD_OK
    }
    let (inputBefore, before) = (input.bytes, output.bytes)
    let got = CustomKeyboard_cryptECB(memory, input.start, output.start, input.claimed)
    expect(got == due, "cryptECB answers \(got.rawValue), expected \(due.rawValue)")
    guard due == CUSTOM_KEYBOARD_OK, let setUp else {
      return expect(output.bytes == before && input.bytes == inputBefore, "cryptECB failed but wrote something")
    }
    // In the other direction, one block at a time.
    let back = Reference.crypt(setUp.way, setUp.key, output.bytes, decrypting: !setUp.isDecrypting)
    expect(back == bytes, "cryptECB in both directions gives something else")
  }
}

extension World {
  /// One call of the bare ciphers, on one of two contexts.
  public func cipherAnything() {
    if ciphers.isEmpty { ciphers = [CipherModel(), CipherModel()] }
    let cipher = ciphers[reader.number(below: 2)]
    switch reader.number(below: 8) {
    case 0: cipher.wipe()
    case 1: checkNothing()
    case 2...4:
      let way = way()
      var key = memory.copy(key(for: way))
      if reader.number(below: 8) == 7 { key.claimed = reader.one(of: impossibleSizes) }
      if reader.number(below: 8) == 7 { key = cipher.piece(at: reader.number(below: 480), count: key.count) }
      cipher.setUp(way, key, isDecrypting: reader.flag())
    default: crypt(cipher)
    }
  }

  private func crypt(_ cipher: CipherModel) {
    let count = reader.flag() ? 16 * reader.number(below: 40) : reader.number(below: 80)
    var source = reader.scattered()
    let bytes = source.bytes(count)
    let kind = reader.number(below: 8)
    if kind < 3 {
      let whole = memory.copy(bytes)
      cipher.crypt(whole, bytes, into: whole, isSame: true)
    } else if kind < 6 {
      cipher.crypt(memory.copy(bytes), bytes, into: memory.space(count), isSame: false)
    } else if kind == 6 {
      // Input and output overlap, or both overlap the cipher.
      let whole = memory.copy(bytes + bytes)
      let input = Piece(start: whole.start, count: count, claimed: count)
      let shifted = Piece(start: whole.start! + reader.number(below: count + 1), count: count, claimed: count)
      let isSame = shifted.start == whole.start
      cipher.crypt(input, bytes, into: reader.flag() ? cipher.piece(at: 8, count: count) : shifted, isSame: isSame)
    } else {
      var (input, output) = (memory.copy(bytes), memory.space(count))
      if reader.flag() { input = Piece(start: nil, claimed: count) }
      if reader.flag() { output = Piece(start: nil, claimed: count) }
      if reader.flag() { (input.claimed, output.claimed) = (Int.min + count, Int.min + count) }
      guard !input.isPointer || !output.isPointer || input.claimed < 0 else { return }
      cipher.crypt(input, [], into: output, isSame: false)
    }
  }

  /// Calls with NULL instead of a cipher or handle, and the functions that always work.
  private func checkNothing() {
    let (way, block) = (way(), memory.space(16))
    let codes = [
      CustomKeyboard_wipeCipher(nil), CustomKeyboard_setupCipher(nil, way, block.start, 16, 0),
      CustomKeyboard_cryptECB(nil, block.start, block.start, 16), CustomKeyboard_create(nil),
    ]
    expect(codes.allSatisfy { $0 == CUSTOM_KEYBOARD_ARGUMENT }, "NULL is accepted")
    let code = CUSTOM_KEYBOARD_RV(rawValue: UInt32(truncatingIfNeeded: reader.word()))
    expect(CustomKeyboard_message(code)[0] != 0, "there is no message for \(code.rawValue)")
    expect(CustomKeyboard_cause()[0] != 0, "there is no cause")
    let rule = CUSTOM_KEYBOARD_RULE(rawValue: code.rawValue & (reader.flag() ? 15 : .max))
    expect(CustomKeyboard_ruleMessage(rule)[0] != 0, "there is no message for rule \(rule.rawValue)")
    expect(String(cString: CustomKeyboard_version()) == CUSTOM_KEYBOARD_VERSION, "the version is different")
  }
}

extension CipherModel {
  /// A piece of the context itself, from which calls must not read keys, and to which they must not write.
  fileprivate func piece(at offset: Int, count: Int) -> Piece {
    let start = UnsafeMutableRawPointer(memory).assumingMemoryBound(to: UInt8.self) + offset
    return Piece(start: start, count: min(count, 512 - offset), claimed: min(count, 512 - offset))
  }
}
