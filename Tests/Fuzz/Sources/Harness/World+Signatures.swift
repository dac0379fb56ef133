// Signatures, chosen by the fuzzer: new ones, and real ones with something altered.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  private func signatureWay(_ usual: SignedWay) -> CUSTOM_SIGNWAY {
    let code = reader.number(below: 16)
    if code < 12 { return usual.way }
    return CUSTOM_SIGNWAY(rawValue: code < 15 ? UInt32(code - 12) : UInt32(truncatingIfNeeded: reader.word()))
  }

  /// `signText` with anything. What it signs must verify.
  public func signAnything() {
    let usual = reader.oneButSeldomTheLast(of: SignedWay.all)
    let code = signatureWay(usual)
    let pair = reader.one(of: usual.keys.pairs)
    let secret = reader.number(below: 4) == 3 ? anySecret(usual.keys) : pair.secret
    let contextBytes = reader.scatteredBytes(reader.flag() ? reader.number(below: 24) : reader.number(below: 300))
    let textBytes = reader.scatteredBytes(reader.flag() ? reader.number(below: 300) : 64 * reader.number(below: 24))
    var (key, context, text) = (memory.copy(secret), memory.copy(contextBytes), memory.copy(textBytes))
    let usualLength = usual.signatureLength(under: pair.secret)
    var signature = memory.space(reader.one(of: [usualLength, usualLength, 0, 1, usualLength - 1, 100]))
    var answer: UnsafeMutablePointer<Int>? = memory.answer()
    switch reader.number(below: 32) {
    case 18: key = Piece(start: nil, claimed: key.claimed)
    case 19: context = Piece(start: nil, claimed: context.claimed)
    case 20: text = Piece(start: nil, claimed: text.claimed)
    case 21: signature = Piece(start: nil, claimed: signature.claimed)
    case 22: key.claimed = reader.one(of: impossibleSizes)
    case 23: context.claimed = reader.one(of: impossibleSizes)
    case 24: text.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })  // others would be read
    case 25: signature.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 26: text = .pastTheEnd(text.claimed)
    case 27: key = .pastTheEnd(key.claimed)
    case 28: answer = nil
    case 29 where signature.count >= 8:
      answer = UnsafeMutableRawPointer(signature.start!).assumingMemoryBound(to: Int.self)
    case 30...31:
      // The signature's place is somewhere around one of the others.
      let near = reader.one(of: [key, context, text])
      let whole = memory.space(256 + near.count + max(256, signature.count))
      let moved = Piece(start: whole.start! + 128, count: near.count, claimed: near.count)
      moved.start!.update(from: near.bytes, count: near.count)
      if near.start == key.start {
        key = moved
      } else if near.start == context.start {
        context = moved
      } else {
        text = moved
      }
      let start = whole.start! + reader.number(below: near.count + 256)
      signature = Piece(start: start, count: signature.count, claimed: signature.count)
    default: break
    }
    var (due, verdict) = (CUSTOM_KEYBOARD_OK, SealedWay.Verdict.key)
    let way = SignedWay.of(code)
    let isReadable =
      [key, context].allSatisfy { $0.isPointer && $0.isInMemoryToRead } && text.isPointer && text.isInMemory
    if way == nil || !isReadable || !signature.isPointer || !signature.isInMemory || answer == nil
      || Piece(answer: answer!).overlaps(signature, limit: .max) || text.overlaps(signature, limit: .max)
      || key.overlaps(signature, limit: way!.keys.longestSecret) || context.overlaps(signature, limit: 256)
    {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if UInt(bitPattern: context.claimed) > 256 {
      due = CUSTOM_KEYBOARD_MAXLEN
    } else {
      verdict = key.claimed == key.count ? way!.keys.verdict(onSecret: key.bytes) : .none
      if verdict == .none {
        due = CUSTOM_KEYBOARD_ERR
      } else if signature.claimed < way!.signatureLength(under: key.bytes) {
        due = CUSTOM_KEYBOARD_SPACE
      }
    }
    let (before, answerBefore) = (signature.bytes, answer?.pointee)
    let got = CustomKeyboard_signText(
      code, key.start, key.claimed, context.start, context.claimed, text.start, text.claimed, signature.start,
      signature.claimed, answer)
    trace("signText: way \(code.rawValue), key \(key), context \(context), text \(text): \(got.rawValue)")
    if verdict == .unclear, got == CUSTOM_KEYBOARD_ERR { due = got }
    expect(got == due, "signText of way \(code.rawValue) answers \(got.rawValue), expected \(due.rawValue)")
    let isAnswered = due == CUSTOM_KEYBOARD_OK || due == CUSTOM_KEYBOARD_SPACE
    let dueLength = isAnswered ? way!.signatureLength(under: key.bytes) : answerBefore
    expect(answer?.pointee == dueLength, "signText answers another length")
    guard due == CUSTOM_KEYBOARD_OK, let way else {
      return expect(signature.bytes == before, "signText answers \(got.rawValue) but has written")
    }
    let made = Array(signature.bytes.prefix(dueLength!))
    expect(signature.bytes.dropFirst(made.count) == before.dropFirst(made.count), "signText has written behind it")
    guard let open = way.keys.open(of: key.bytes) else { return }
    let signer = KeyPair(secret: key.bytes, open: open)
    let signed = Originals.Signed(way: way, pair: signer, context: context.bytes, text: text.bytes, signature: made)
    verify(signed, way.way, open, context.bytes, text.bytes, made)
  }

  /// `verifyText` with a real signature, or with something altered.
  public func verifyAnything() {
    let signed = Originals.anySignature(reader)
    var (key, context, text, signature) = (signed.pair.open, signed.context, signed.text, signed.signature)
    let way = signatureWay(signed.way)
    if reader.number(below: 4) > 0 {
      repeat {
        switch reader.number(below: 10) {
        case 0...1: alterBytes(&signature)
        case 2: signature = signed.way.twin(of: signature) ?? signature
        case 3:
          if case .rsa = signed.way.keys.keys { alterNumber(&signature, RSAPublicKey(key)) }
          // Half of it is 0, or the order, or more.
          guard case .curve(let curve) = signed.way.keys.keys, signature.count == 64 else { break }
          let half = reader.one(of: [Number(0), curve.order, curve.order.adding(Number(1)).sum, Number(1)]).bytes
          signature = reader.flag() ? half + signature[32...] : signature[..<32] + half
        case 4: alterBytes(&context)
        case 5: alterBytes(&text)
        case 6:
          // The same bytes, with another end of the context.
          let whole = context + text
          context = Array(whole.prefix(reader.number(below: min(whole.count, 256) + 1)))
          text = Array(whole.dropFirst(context.count))
        case 7: key = reader.one(of: signed.way.keys.pairs).open
        case 8: key = anyPoint(signed.way.keys, signed.pair.open)
        default: alterBytes(&key)
        }
      } while reader.number(below: 4) == 3
    }
    verify(signed, way, key, context, text, signature)
  }

  private func verify(
    _ signed: Originals.Signed, _ code: CUSTOM_SIGNWAY, _ keyBytes: [UInt8], _ contextBytes: [UInt8],
    _ textBytes: [UInt8], _ signatureBytes: [UInt8]
  ) {
    var (key, context) = (memory.copy(keyBytes), memory.copy(contextBytes))
    var (text, signature) = (memory.copy(textBytes), memory.copy(signatureBytes))
    switch reader.number(below: 32) {
    case 20: key = Piece(start: nil, claimed: key.claimed)
    case 21: context = Piece(start: nil, claimed: context.claimed)
    case 22: text = Piece(start: nil, claimed: text.claimed)
    case 23: signature = Piece(start: nil, claimed: signature.claimed)
    case 24: key.claimed = reader.one(of: impossibleSizes)
    case 25: context.claimed = reader.one(of: impossibleSizes)
    case 26: text.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 27: signature.claimed = reader.one(of: impossibleSizes)
    case 28: key = .pastTheEnd(key.claimed)
    case 29: signature = .pastTheEnd(signature.claimed)
    default: break
    }
    let way = SignedWay.of(code)
    let isReadable =
      [key, context, signature].allSatisfy { $0.isPointer && $0.isInMemoryToRead } && text.isPointer && text.isInMemory
    var due = CUSTOM_KEYBOARD_MISMATCH
    if way == nil || !isReadable {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if UInt(bitPattern: context.claimed) > 256 {
      due = CUSTOM_KEYBOARD_MAXLEN
    } else if key.claimed != key.count || !way!.keys.isPublic(keyBytes) {
      due = CUSTOM_KEYBOARD_ERR
    } else if code == signed.way.way, keyBytes == signed.pair.open, contextBytes == signed.context,
      textBytes == signed.text, signature.claimed == signature.count,
      signatureBytes == signed.signature || signatureBytes == signed.way.twin(of: signed.signature)
    {
      due = CUSTOM_KEYBOARD_OK
    }
    let got = CustomKeyboard_verifyText(
      code, key.start, key.claimed, context.start, context.claimed, text.start, text.claimed, signature.start,
      signature.claimed)
    trace("verifyText: way \(code.rawValue), key \(key), context \(context), text \(text): \(got.rawValue)")
    expect(got == due, "verifyText of way \(code.rawValue) answers \(got.rawValue), expected \(due.rawValue)")
  }
}
