// What `unseal` and `receive` are given, and what they must answer.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A sealed text that a keyboard has made, and what it was made from.
struct Original: Sendable {
  let way: SealedWay
  let secret, context, password, text: [UInt8]
}

/// What both functions are given.
struct OpenRequest {
  var way = CUSTOM_ENCWAY_X25519
  var key = Piece.none
  var context = Piece.none
  var text = Piece.none
  /// The contents of the three, as far as a call may look at them. A piece itself may be one byte short.
  var keyBytes: [UInt8] = []
  var contextBytes: [UInt8] = []
  var textBytes: [UInt8] = []
  /// What the text was before something was changed.
  var original: Original?

  /// NULL for no bytes only, and no bytes behind the end of memory.
  var isReadable: Bool {
    [key, context, text].allSatisfy { $0.isPointer && $0.isInMemoryToRead }
  }

  /// What is due after ARGUMENT and OP_DISABLE.
  struct Answer {
    let code: CUSTOM_KEYBOARD_RV
    var password: [UInt8] = []
    /// ERR instead, if the model cannot tell whether the key is one.
    var other: CUSTOM_KEYBOARD_RV?
  }

  var answer: Answer {
    let isECB = Reference.isWay(way)
    if let pin = PINWay.of(way) { return answer(ofBlock: pin) }
    guard UInt(bitPattern: context.claimed) <= 256, !isECB || UInt(bitPattern: text.claimed) <= 144
    else { return Answer(code: CUSTOM_KEYBOARD_MAXLEN) }
    let bytes = key.claimed == keyBytes.count ? keyBytes : []
    let verdict = isECB ? verdictForECB : SealedWay.of(way)!.verdict(onSecret: bytes)
    guard verdict != .none else { return Answer(code: CUSTOM_KEYBOARD_ERR) }
    let other = verdict == .unclear ? CUSTOM_KEYBOARD_ERR : nil
    guard text.claimed == textBytes.count, let password = isECB ? decrypted : unsealed
    else { return Answer(code: CUSTOM_KEYBOARD_UNDECRYPTABLE, other: other) }
    return Answer(code: CUSTOM_KEYBOARD_OK, password: password, other: other)
  }

  private func answer(ofBlock pin: PINWay) -> Answer {
    guard UInt(bitPattern: context.claimed) <= 256 else { return Answer(code: CUSTOM_KEYBOARD_MAXLEN) }
    guard key.claimed == keyBytes.count, pin.accepts(keyBytes), context.claimed == contextBytes.count,
      pin.takes(contextBytes)
    else { return Answer(code: CUSTOM_KEYBOARD_ERR) }
    guard text.claimed == textBytes.count, let found = pin.open(textBytes, key: keyBytes, context: contextBytes)
    else { return Answer(code: CUSTOM_KEYBOARD_UNDECRYPTABLE) }
    return Answer(code: CUSTOM_KEYBOARD_OK, password: found)
  }

  /// A context makes every key wrong: ECB cannot be bound to one.
  private var verdictForECB: SealedWay.Verdict {
    context.claimed == 0 && Reference.accepts(way, keyLength: key.claimed) ? .key : .none
  }

  private var decrypted: [UInt8]? {
    guard !textBytes.isEmpty, textBytes.count % Reference.blockSize(way) == 0 else { return nil }
    return Reference.unpad(Reference.crypt(way, keyBytes, textBytes, decrypting: true), way)
  }

  /// SM4_GCM is computed. A text of another way opens if it and everything that belongs to it is unaltered.
  private var unsealed: [UInt8]? {
    if way == CUSTOM_ENCWAY_SM4_GCM {
      return GCMReference.open(textBytes, key: keyBytes, context: contextBytes).flatMap { GCMReference.unpad($0) }
    }
    guard let original, original.way.way == way, original.text == textBytes, original.context == contextBytes,
      original.way.isSame(original.secret, keyBytes)
    else { return nil }
    return original.password
  }

  fileprivate var inputs: [[UInt8]] { [key.bytes, context.bytes, text.bytes] }

  /// The same with `unseal`, whose answers go to `offset` and `length`.
  ///
  /// - Parameters:
  ///   - offset, length: NULL, or places that may be inside of `space`.
  func checkUnseal(
    into space: Piece, offset: UnsafeMutablePointer<Int>?, length: UnsafeMutablePointer<Int>?
  ) {
    let due = answerOfUnseal(space, offset, length)
    let (before, inputsBefore) = (space.bytes, inputs)
    let (offsetBefore, lengthBefore) = (offset?.pointee, length?.pointee)
    let got = CustomKeyboard_unseal(
      way, key.start, key.claimed, context.start, context.claimed, text.start, text.claimed, space.start,
      space.claimed, offset, length)
    trace("unseal: way \(way.rawValue), key \(key), context \(context), text \(text), space \(space): \(got.rawValue)")
    expect(
      got == due.code || got == due.other,
      "unseal of way \(way.rawValue) answers \(got.rawValue), expected \(due.code.rawValue)")
    if got == CUSTOM_KEYBOARD_OK, let offset, let length {
      space.expectFilled(at: offset.pointee, length.pointee, with: due.password, before: before)
    } else {
      expect(space.bytes == before, "unseal answers \(got.rawValue) but has written to the space")
      expect(offset?.pointee == offsetBefore, "unseal answers \(got.rawValue) but also an offset")
      let dueLength = got == CUSTOM_KEYBOARD_SPACE ? due.password.count : lengthBefore
      expect(
        length?.pointee == dueLength, "unseal answers \(got.rawValue) but also a length of \(length?.pointee ?? 0)")
    }
    // What the space does not overlap.
    for (input, (piece, limit)) in zip(inputsBefore, zip([key, context, text], [UInt.max, .max, .max]))
    where !piece.overlaps(space, limit: limit) {
      expect(piece.bytes == input, "unseal has changed what it reads")
    }
  }

  private func answerOfUnseal(
    _ space: Piece, _ offset: UnsafeMutablePointer<Int>?, _ length: UnsafeMutablePointer<Int>?
  ) -> Answer {
    guard let sealed = SealedWay.of(way), isReadable, space.isPointer, space.isInMemory, let offset, let length,
      !Piece(answer: offset).overlaps(space, limit: .max), !Piece(answer: length).overlaps(space, limit: .max),
      !text.overlaps(space, limit: UInt(CUSTOM_KEYBOARD_MAXSEALEDSIZE)),
      !key.overlaps(space, limit: sealed.longestSecret), !context.overlaps(space, limit: 256)
    else { return Answer(code: CUSTOM_KEYBOARD_ARGUMENT) }
    let answer = answer
    guard answer.code == CUSTOM_KEYBOARD_OK, answer.password.count > space.count else { return answer }
    return Answer(code: CUSTOM_KEYBOARD_SPACE, password: answer.password, other: answer.other)
  }
}

extension World {
  /// Calls `receive`, which must open the keyboard or change nothing.
  func checkReceive(_ handle: CUSTOM_KEYBOARD, _ request: OpenRequest) {
    var due = OpenRequest.Answer(code: stateCode(handle, whileOpen: false))
    let pin = PINWay.of(request.way)
    if !request.isReadable || !Reference.isWay(request.way) && SealedWay.of(request.way) == nil && pin == nil {
      due = OpenRequest.Answer(code: CUSTOM_KEYBOARD_ARGUMENT)
    }
    if due.code == CUSTOM_KEYBOARD_OK {
      due = request.answer
      if due.code == CUSTOM_KEYBOARD_OK, !KeyboardModel.isText(due.password) {
        due = OpenRequest.Answer(code: CUSTOM_KEYBOARD_UNDECRYPTABLE, other: due.other)
      } else if due.code == CUSTOM_KEYBOARD_OK, due.password.count > 128 {
        due = OpenRequest.Answer(code: CUSTOM_KEYBOARD_MAXLEN)
      }
    }
    let before = request.inputs
    let got = call("receive", handle, due: due.code, or: due.other) {
      CustomKeyboard_receive(
        handle, request.way, request.key.start, request.key.claimed, request.context.start, request.context.claimed,
        request.text.start, request.text.claimed)
    }
    trace("receive: way \(request.way.rawValue), key \(request.key), text \(request.text): \(got.rawValue)")
    expect(request.inputs == before, "receive has changed what it reads")
    guard got == CUSTOM_KEYBOARD_OK else { return }
    keyboards[handle]!.isOpen = true
    keyboards[handle]!.typed = due.password
    keyboards[handle]!.origin = pin.map { PINOrigin(card: $0.hasCard ? request.contextBytes : []) }
    keyboards[handle]!.layout.open()
  }
}
