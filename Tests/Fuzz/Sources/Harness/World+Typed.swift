// What is done with what is typed, and kept nowhere: `checkRule`, `deriveKey`, `sealTyped`; and `publicKey`.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  public func checkAnyRule(_ handle: CUSTOM_KEYBOARD) {
    guard let (rule, text, isPointer) = anyRule() else { return }
    var due = stateCode(handle, whileOpen: true)
    if !isPointer || keyboards[handle] == nil || !rule.isRule {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if due == CUSTOM_KEYBOARD_OK, let model = keyboards[handle] {
      let verdict = rule.refuses(model) ? CUSTOM_KEYBOARD_REFUSED : CUSTOM_KEYBOARD_OK
      due = rule.text.count > 256 ? CUSTOM_KEYBOARD_MAXLEN : verdict
    }
    trace("checkRule: \(rule.kind.rawValue), \(rule.number), \(rule.text)")
    call("checkRule", handle, due: due) {
      CustomKeyboard_checkRule(handle, rule.kind, Int(bitPattern: rule.number), text.start, text.claimed)
    }
  }

  /// With cheap costs, or impossible ones. The same inputs make the same key.
  public func deriveAnything(_ handle: CUSTOM_KEYBOARD) {
    let lengths = [16, 8, 64, 7, 65, 0, 32]
    var salt = memory.copyThatMayBeOverrun(reader.scatteredBytes(reader.one(of: lengths)))
    var pepper = memory.copyThatMayBeOverrun(reader.scatteredBytes(reader.one(of: [0, 8, 64, 65])))
    let key = memory.space(reader.one(of: [32, 16, 64, 15, 65, 0]))
    let costs: [(UInt32, UInt32)] = [(8, 1), (9, 2), (8, 0), (0, 1), (7, 3), (.max, 1), (8, .max), (1 << 20, 5)]
    let (kibibytes, passes) = reader.one(of: costs)
    switch reader.number(below: 16) {
    case 12: salt = Piece(start: nil, claimed: salt.claimed)
    case 13: pepper = Piece(start: nil, claimed: 1)
    case 14: salt = .pastTheEnd(salt.claimed + 1)
    case 15: pepper.claimed = reader.one(of: impossibleSizes)
    default: break
    }
    var due = stateCode(handle, whileOpen: true)
    let isInBounds = kibibytes >= 8 && passes >= 1 && UInt64(kibibytes) * UInt64(passes) <= 4_194_304
    if !salt.isPointer || !pepper.isPointer || !salt.isInMemoryToRead || !pepper.isInMemoryToRead || !isInBounds
      || !(8...64 ~= salt.claimed) || !(16...64 ~= key.count) || pepper.overlaps(key, limit: .max)
    {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if due == CUSTOM_KEYBOARD_OK, UInt(bitPattern: pepper.claimed) > 64 {
      due = CUSTOM_KEYBOARD_MAXLEN
    }
    let before = key.bytes
    func derive(into key: Piece) {
      call("deriveKey", handle, due: due) {
        CustomKeyboard_deriveKey(
          handle, salt.start, salt.claimed, pepper.start, pepper.claimed, kibibytes, passes, key.start, key.count)
      }
    }
    derive(into: key)
    guard due == CUSTOM_KEYBOARD_OK else { return expect(key.bytes == before, "deriveKey failed but wrote a key") }
    let again = memory.space(key.count)
    derive(into: again)
    expect(key.bytes == again.bytes && key.bytes != before, "deriveKey makes another key")
  }

  /// For a pair's own key, or bytes that may be none.
  public func sealTypedAnything(_ handle: CUSTOM_KEYBOARD) {
    let way = reader.oneButSeldomTheLast(of: SealedWay.all)
    var bytes = reader.one(of: way.pairs).open
    switch reader.number(below: 8) {
    case 5: alterBytes(&bytes)
    case 6: bytes = reader.scatteredBytes(way.publicLength)
    case 7: bytes = anyPoint(way, bytes)
    default: break
    }
    let (key, contextBytes) = (memory.copyThatMayBeOverrun(bytes), reader.scatteredBytes(reader.number(below: 260)))
    var (given, context) = (key, memory.copy(contextBytes))
    var space = memory.space(reader.flag() ? way.textLength : reader.number(below: 560))
    var (offset, length): (UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Int>?) = (memory.answer(), memory.answer())
    var code = way.way
    switch reader.number(below: 32) {
    case 22: given = Piece(start: nil, claimed: key.claimed)
    case 23: context = Piece(start: nil, claimed: context.claimed)
    case 24: given = .pastTheEnd(key.claimed)
    case 25: context = .pastTheEnd(context.claimed)
    case 26: space = Piece(start: nil, claimed: space.claimed)
    case 27: space.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 28: offset = nil
    case 29: length = nil
    case 30: code = encryptionWay()
    case 31 where key.count >= 8 && key.count == key.claimed: space = key
    default: break
    }
    let places = [offset, length].compactMap { $0.map { Piece(answer: $0) } }
    let sealed = SealedWay.of(code)
    var due = stateCode(handle, whileOpen: true)
    if sealed == nil || ![given, context, space].allSatisfy(\.isPointer) || !given.isInMemoryToRead
      || !context.isInMemoryToRead || !space.isInMemory || places.count < 2 || given.overlaps(space, limit: .max)
      || context.overlaps(space, limit: .max) || places.contains(where: { $0.overlaps(space, limit: .max) })
    {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if due == CUSTOM_KEYBOARD_OK, let sealed {
      if contextBytes.count > 256 {
        due = CUSTOM_KEYBOARD_MAXLEN
      } else if !sealed.isPublic(bytes) {
        due = CUSTOM_KEYBOARD_ERR
      } else if keyboards[handle]!.origin != nil {
        due = CUSTOM_KEYBOARD_REFUSED
      } else if space.count < sealed.textLength(for: bytes) {
        due = CUSTOM_KEYBOARD_SPACE
      }
    }
    let (before, answersBefore) = (space.bytes, (offset?.pointee, length?.pointee))
    call("sealTyped", handle, due: due) {
      CustomKeyboard_sealTyped(
        handle, code, given.start, given.claimed, context.start, context.claimed, space.start, space.claimed, offset,
        length)
    }
    guard due == CUSTOM_KEYBOARD_OK, let sealed, let offset, let length else {
      let dueLength = due == CUSTOM_KEYBOARD_SPACE ? sealed?.textLength(for: bytes) : answersBefore.1
      expect(offset?.pointee == answersBefore.0 && length?.pointee == dueLength, "sealTyped failed but answers")
      return expect(space.bytes == before, "sealTyped answers \(due.rawValue) but has written")
    }
    expect(length.pointee == sealed.textLength(for: bytes), "a sealed text of another length")
    expect(offset.pointee >= 0 && offset.pointee <= space.count - length.pointee, "a text outside of its space")
    guard let secret = sealed.secret(of: bytes) else { return }
    let (clear, place, count) = (memory.space(160), memory.answer(), memory.answer())
    let (opener, clearBefore) = (memory.copy(secret), clear.bytes)
    let got = CustomKeyboard_unseal(
      code, opener.start, opener.claimed, context.start, context.claimed, space.start! + offset.pointee, length.pointee,
      clear.start, clear.claimed, place, count)
    expect(got == CUSTOM_KEYBOARD_OK, "what sealTyped has made does not open: \(got.rawValue)")
    clear.expectFilled(at: place.pointee, count.pointee, with: keyboards[handle]!.typed, before: clearBefore)
  }

  /// Of a pair's own private key, or bytes that may be none.
  public func publicKeyAnything() {
    let way = reader.oneButSeldomTheLast(of: SealedWay.all)
    let code = reader.number(below: 8) == 0 ? encryptionWay() : way.way
    var bytes = reader.one(of: way.pairs).secret
    switch reader.number(below: 6) {
    case 3: alterBytes(&bytes)
    case 4...5: bytes = anySecret(way)
    default: break
    }
    let hasPairs = [CUSTOM_ENCWAY_X25519, CUSTOM_ENCWAY_P256, CUSTOM_ENCWAY_SM2, CUSTOM_ENCWAY_XWING].contains(code)
    var secret = memory.copyThatMayBeOverrun(bytes)
    var open = memory.space(reader.flag() ? max(65, way.publicLength) : reader.number(below: 80))
    var answer: UnsafeMutablePointer<Int>? = memory.answer()
    switch reader.number(below: 16) {
    case 10: secret = Piece(start: nil, claimed: secret.claimed)
    case 11: secret.claimed = reader.one(of: impossibleSizes)
    case 12: open = Piece(start: nil, claimed: open.claimed)
    case 13: open.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 14: answer = nil
    case 15 where open.count >= 8: answer = UnsafeMutableRawPointer(open.start!).assumingMemoryBound(to: Int.self)
    default: break
    }
    var due = CUSTOM_KEYBOARD_OK
    let keys = SealedWay.of(code)
    if !hasPairs || !secret.isPointer || !secret.isInMemoryToRead || !open.isPointer || !open.isInMemory
      || answer == nil || answer.map({ Piece(answer: $0).overlaps(open, limit: .max) }) == true
      || secret.overlaps(open, limit: 32)
    {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if secret.claimed != bytes.count || keys!.verdict(onSecret: bytes) != .key {
      due = CUSTOM_KEYBOARD_ERR
    } else if open.count < keys!.publicLength {
      due = CUSTOM_KEYBOARD_SPACE
    }
    let (before, answerBefore) = (open.bytes, answer?.pointee)
    let got = CustomKeyboard_publicKey(code, secret.start, secret.claimed, open.start, open.claimed, answer)
    trace("publicKey: way \(code.rawValue), \(secret), \(open): \(got.rawValue)")
    expect(got == due, "publicKey answers \(got.rawValue), expected \(due.rawValue)")
    let isTold = due == CUSTOM_KEYBOARD_OK || due == CUSTOM_KEYBOARD_SPACE
    expect(answer?.pointee == (isTold ? keys!.publicLength : answerBefore), "publicKey answers another length")
    guard due == CUSTOM_KEYBOARD_OK, let keys else {
      return expect(open.bytes == before, "publicKey failed but wrote a key")
    }
    let made = Array(open.bytes.prefix(keys.publicLength))
    expect(keys.isPublic(made), "what publicKey has made is not a key")
    if let known = keys.open(of: bytes) { expect(made == known, "publicKey makes another key") }
    expect(open.bytes.dropFirst(made.count) == before.dropFirst(made.count), "publicKey has written behind the key")
  }
}
