// Keys for sealed texts, chosen by the fuzzer: what a keyboard takes, its context, and `generateKey`.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  /// Sets a key of a way of sealing: a pair's own, one that was generated in this run, or bytes that may be none.
  public func setAnyRecipient(_ handle: CUSTOM_KEYBOARD) {
    let way = reader.one(of: SealedWay.all)
    var bytes = reader.one(of: way.pairs).open
    switch reader.number(below: 12) {
    case 5: alterBytes(&bytes)
    case 6: bytes = reader.scatteredBytes(way.publicLength)
    case 7: bytes = reader.scatteredBytes(reader.number(below: 80))
    case 8...9: bytes = anyPoint(way, bytes)
    case 10: bytes = reader.one(of: SealedWay.all).pairs[0].open
    case 11: bytes = generated.last { $0.way.way == way.way }?.pair.open ?? bytes
    default: break
    }
    var key = memory.copy(bytes)
    switch reader.number(below: 32) {
    case 29: key = Piece(start: nil, claimed: key.claimed)
    case 30: key.claimed = reader.one(of: impossibleSizes)
    case 31: key = .pastTheEnd(key.claimed)
    default: break
    }
    setKey(handle, key, way.way)
  }

  /// A point near a real one: mirrored, written in another form, or with coordinates out of range. Or a key of RSA.
  func anyPoint(_ way: SealedWay, _ point: [UInt8]) -> [UInt8] {
    guard case .curve(let curve) = way.keys else {
      if case .rsa = way.keys { return anyPublicKeyOfRSA() }
      if case .xwing = way.keys {
        // A number of q, or a point of low order.
        var key = point
        if reader.flag() {
          let place = 3 * reader.number(below: 384)
          key.replaceSubrange(place..<place + 3, with: [0x01, 0x0d | key[place + 1] & 0xf0, key[place + 2]])
        } else {
          key.replaceSubrange(1184..<1216, with: [UInt8](repeating: 0, count: 32))
        }
        return key
      }
      guard case .x25519 = way.keys else { return point }
      let number = reader.flag() ? reader.one(of: lowOrderOf25519) : primeOf25519.adding(Number(1)).sum
      var bytes = Array((number &- Number(UInt128(reader.number(below: 4)))).bytes.reversed())
      if reader.number(below: 4) == 3 { bytes[31] |= 0x80 }
      return bytes
    }
    switch reader.number(below: 6) {
    case 0...1: return curve.mirrored(point)
    case 2: return [reader.byte()] + point[1...]
    case 3: return [UInt8](repeating: 0, count: 65)
    case 4: return [4] + (Number(point[1..<33]).adding(curve.prime).sum).bytes + point[33...]
    default: return [4] + curve.prime.bytes + point[33...]
    }
  }

  public func setAnyContext(_ handle: CUSTOM_KEYBOARD) {
    let bytes = reader.scatteredBytes(reader.flag() ? reader.number(below: 24) : reader.number(below: 300))
    var context = memory.copy(bytes)
    switch reader.number(below: 16) {
    case 12: context = Piece(start: nil, claimed: 0)
    case 13: context = Piece(start: nil, claimed: context.claimed)
    case 14: context.claimed = reader.one(of: impossibleSizes)
    case 15: context = .pastTheEnd(context.claimed)
    default: break
    }
    setContext(handle, context)
  }

  func setContext(_ handle: CUSTOM_KEYBOARD, _ context: Piece) {
    var due = keyboards[handle] == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK
    if !context.isPointer || !context.isInMemoryToRead { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK, UInt(bitPattern: context.claimed) > 256 { due = CUSTOM_KEYBOARD_MAXLEN }
    if due == CUSTOM_KEYBOARD_OK { keyboards[handle]!.context = context.bytes }
    call("setContext", handle, due: due) { CustomKeyboard_setContext(handle, context.start, context.claimed) }
  }

  /// `generateKey` with any capacities. A pair that it makes may be set later, and texts for it must open.
  public func generateAnything() {
    let code = encryptionWay()
    let way = SealedWay.all.first { $0.way == code && $0.hasGenerator }
    let isShared = way?.pairs[0].secret == way?.pairs[0].open
    let (secretLength, openLength) = (way?.secretLength ?? 32, isShared ? 0 : way?.publicLength ?? 32)
    func capacity(_ usual: Int) -> Int { reader.number(below: 4) > 0 ? usual : reader.number(below: 80) }
    var (secret, open) = (memory.space(capacity(secretLength)), memory.space(capacity(openLength)))
    var (first, second): (UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int>?) = (memory.answer(), memory.answer())
    switch reader.number(below: 32) {
    case 22: secret = Piece(start: nil, claimed: secret.claimed)
    case 23: open = Piece(start: nil, claimed: open.claimed)
    case 24: open = Piece(start: nil, claimed: 0)
    case 25: secret.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 26: open.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 27: first = nil
    case 28: second = nil
    case 29: second = first
    case 30:
      let (whole, count) = (memory.space(256 + open.count), secret.count + 80)
      secret = Piece(start: whole.start! + 64, count: secret.count, claimed: secret.count)
      open = Piece(start: whole.start! + reader.number(below: count), count: open.count, claimed: open.count)
    case 31 where secret.count >= 8:
      first = UnsafeMutableRawPointer(secret.start!).assumingMemoryBound(to: Int.self)
    default: break
    }
    let places = [first, second].compactMap { $0.map { Piece(answer: $0) } }
    var due = CUSTOM_KEYBOARD_OK
    if way == nil || !secret.isPointer || !open.isPointer || !secret.isInMemory || !open.isInMemory
      || places.count < 2 || first == second || secret.overlaps(open, limit: .max)
      || places.contains(where: { $0.overlaps(secret, limit: .max) || $0.overlaps(open, limit: .max) })
    {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if secret.claimed < secretLength || open.claimed < openLength {
      due = CUSTOM_KEYBOARD_SPACE
    }
    let (secretBefore, openBefore, answersBefore) = (secret.bytes, open.bytes, (first?.pointee, second?.pointee))
    let got = CustomKeyboard_generateKey(code, secret.start, secret.claimed, first, open.start, open.claimed, second)
    trace("generateKey: way \(code.rawValue), \(secret), \(open): \(got.rawValue)")
    expect(got == due, "generateKey answers \(got.rawValue), expected \(due.rawValue)")
    if due == CUSTOM_KEYBOARD_ARGUMENT {
      expect(first?.pointee == answersBefore.0 && second?.pointee == answersBefore.1, "it failed but answers")
    } else {
      expect(first?.pointee == secretLength && second?.pointee == openLength, "generateKey answers other lengths")
    }
    guard due == CUSTOM_KEYBOARD_OK, let way else {
      return expect(secret.bytes == secretBefore && open.bytes == openBefore, "generateKey failed but wrote a key")
    }
    let made = KeyPair(
      secret: Array(secret.bytes.prefix(secretLength)),
      open: Array((isShared ? secret : open).bytes.prefix(way.publicLength)))
    expect(
      way.verdict(onSecret: made.secret) == .key && way.isPublic(made.open), "what generateKey has made is not a key")
    let behind = secret.bytes.dropFirst(secretLength) + open.bytes.dropFirst(openLength)
    expect(behind.allSatisfy { $0 == Memory.untouched }, "generateKey has written behind the keys")
    generated.append((way, made))
  }
}
