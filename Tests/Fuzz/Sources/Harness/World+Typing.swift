// The calls of a keyboard that is typed on, each compared with its model.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  @discardableResult
  public func create() -> CUSTOM_KEYBOARD {
    var handle: CUSTOM_KEYBOARD = 0
    call("create", 0, due: CUSTOM_KEYBOARD_OK) { CustomKeyboard_create(&handle) }
    expect(handle != 0 && keyboards[handle] == nil && !destroyed.contains(handle), "handle \(handle) is not new")
    keyboards[handle] = KeyboardModel()
    handles.append(handle)
    return handle
  }

  public func destroy(_ handle: CUSTOM_KEYBOARD) {
    let due = keyboards[handle] == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK
    if keyboards.removeValue(forKey: handle) != nil {
      handles.removeAll { $0 == handle }
      destroyed.append(handle)
    }
    call("destroy", handle, due: due) { CustomKeyboard_destroy(handle) }
  }

  public func setKey(_ handle: CUSTOM_KEYBOARD, _ key: Piece, _ way: CUSTOM_ENCWAY) {
    var due = CUSTOM_KEYBOARD_OK
    let sealed = SealedWay.of(way)
    let isWay = Reference.isWay(way) || sealed != nil || PINWay.of(way) != nil
    check: if !key.isPointer || !key.isInMemoryToRead || !isWay || keyboards[handle] == nil {
      due = CUSTOM_KEYBOARD_ARGUMENT
    } else if keyboards[handle]!.isOpen {
      due = CUSTOM_KEYBOARD_OP_DISABLE
    } else if let sealed, key.claimed != key.count || !sealed.isPublic(key.bytes) {
      due = CUSTOM_KEYBOARD_ERR
    } else if let pin = PINWay.of(way) {
      guard key.claimed == key.count, pin.accepts(key.bytes) else {
        due = CUSTOM_KEYBOARD_ERR
        break check
      }
      (keyboards[handle]!.key, keyboards[handle]!.way) = (key.bytes, way)
      keyboards[handle]!.isKeyForOneText = false
    } else if sealed == nil, !Reference.accepts(way, keyLength: key.claimed) {
      due = CUSTOM_KEYBOARD_ERR
    } else {
      keyboards[handle]!.key = key.bytes
      keyboards[handle]!.way = way
      keyboards[handle]!.isKeyForOneText = false
    }
    trace("setEncKey: way \(way.rawValue), key \(key)")
    call("setEncKey", handle, due: due) { CustomKeyboard_setEncKey(handle, key.start, key.claimed, way) }
  }

  public func open(_ handle: CUSTOM_KEYBOARD) {
    let due = stateCode(handle, whileOpen: false)
    if due == CUSTOM_KEYBOARD_OK {
      keyboards[handle]!.isOpen = true
      keyboards[handle]!.layout.open()
    }
    call("open", handle, due: due) { CustomKeyboard_open(handle) }
  }

  public func close(_ handle: CUSTOM_KEYBOARD) {
    let due = stateCode(handle, whileOpen: true)
    if due == CUSTOM_KEYBOARD_OK {
      keyboards[handle]!.isOpen = false
      keyboards[handle]!.typed = []
      keyboards[handle]!.context = nil
      keyboards[handle]!.origin = nil
      keyboards[handle]!.forgetKeyForOneText()
      keyboards[handle]!.layout.close()
    }
    call("close", handle, due: due) { CustomKeyboard_close(handle) }
  }

  /// The expected code of a call that is allowed only while the keyboard is open, or only while it is not.
  func stateCode(_ handle: CUSTOM_KEYBOARD, whileOpen: Bool) -> CUSTOM_KEYBOARD_RV {
    guard let model = keyboards[handle] else { return CUSTOM_KEYBOARD_ARGUMENT }
    return model.isOpen == whileOpen ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_OP_DISABLE
  }

  public func input(_ handle: CUSTOM_KEYBOARD, _ bytes: [UInt8]) {
    input(handle, memory.copyThatMayBeOverrun(bytes), bytes)
  }

  /// - Parameter bytes: the contents of the piece, as far as the call may look at them.
  public func input(_ handle: CUSTOM_KEYBOARD, _ piece: Piece, _ bytes: [UInt8]) {
    let isReadable = piece.claimed == bytes.count
    var due = stateCode(handle, whileOpen: true)
    if !piece.isPointer || isReadable && !KeyboardModel.isText(bytes) { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK {
      if !isReadable || keyboards[handle]!.typed.count + bytes.count > 128 {
        due = CUSTOM_KEYBOARD_MAXLEN
      } else {
        keyboards[handle]!.typed += bytes
      }
    }
    call("input", handle, due: due, tells: due == CUSTOM_KEYBOARD_OK && !bytes.isEmpty) {
      CustomKeyboard_input(handle, piece.start, piece.claimed)
    }
  }

  public func deleteBackward(_ handle: CUSTOM_KEYBOARD) {
    let due = stateCode(handle, whileOpen: true)
    let tells = due == CUSTOM_KEYBOARD_OK && !keyboards[handle]!.typed.isEmpty
    if tells { keyboards[handle]!.removeLastCharacter() }
    call("deleteBackward", handle, due: due, tells: tells) { CustomKeyboard_deleteBackward(handle) }
  }

  public func clear(_ handle: CUSTOM_KEYBOARD) {
    let due = stateCode(handle, whileOpen: true)
    let tells = due == CUSTOM_KEYBOARD_OK && !keyboards[handle]!.typed.isEmpty
    if tells { keyboards[handle]!.typed = [] }
    if due == CUSTOM_KEYBOARD_OK { keyboards[handle]!.begunStep = nil }
    call("clear", handle, due: due, tells: tells) { CustomKeyboard_clear(handle) }
  }

  public func checkCount(_ handle: CUSTOM_KEYBOARD) {
    let before = 0xc0c0c0
    var count = before
    let due = keyboards[handle] == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK
    let expected = keyboards[handle]?.characterCount ?? before
    call("count", handle, due: due) { CustomKeyboard_count(handle, &count) }
    expect(count == expected, "count answers \(count), expected \(expected)")
  }

  /// Gets the text, in a space of some size, and decrypts it.
  public func checkText(_ handle: CUSTOM_KEYBOARD, spaceSize: Int = 160) {
    checkText(handle, memory.space(spaceSize), hasOffset: true, hasLength: true)
  }

  public func checkText(_ handle: CUSTOM_KEYBOARD, _ space: Piece, hasOffset: Bool, hasLength: Bool) {
    let (noOffset, noLength) = (0x0ff5e7, 0x1e9674)
    var (offset, length) = (noOffset, noLength)
    var (due, dueLength) = (stateCode(handle, whileOpen: true), noLength)
    let model = keyboards[handle] ?? KeyboardModel()
    if !space.isPointer || !space.isInMemory || !hasOffset || !hasLength { due = CUSTOM_KEYBOARD_ARGUMENT }
    let (sealed, pin) = (SealedWay.of(model.way), PINWay.of(model.way))
    if due == CUSTOM_KEYBOARD_OK {
      let context = model.context ?? []
      let hasFittingContext = pin?.takes(context) ?? (sealed == nil ? context.isEmpty : model.context != nil)
      let isAllowed = pin.map { PINWay.isPIN(model.typed) && model.origin?.allows($0, context) != false }
      if model.key.isEmpty || !hasFittingContext {
        due = CUSTOM_KEYBOARD_ERR
      } else if !(isAllowed ?? (model.origin == nil)) {
        due = CUSTOM_KEYBOARD_REFUSED
      } else {
        let length = sealed?.textLength(for: model.key) ?? pin?.blockSize
        dueLength = length ?? Reference.pad(model.typed, model.way).count
        if dueLength > space.count { due = CUSTOM_KEYBOARD_SPACE }
      }
    }
    call("getText", handle, due: due) {
      withUnsafeMutablePointer(to: &offset) { offset in
        withUnsafeMutablePointer(to: &length) { length in
          CustomKeyboard_getText(
            handle, space.start, space.claimed, hasOffset ? offset : nil, hasLength ? length : nil)
        }
      }
    }
    expect(length == dueLength, "getText answers a length of \(length), expected \(dueLength)")
    guard due == CUSTOM_KEYBOARD_OK else {
      expect(space.bytes.allSatisfy { $0 == Memory.untouched }, "getText failed but wrote to the space")
      return expect(offset == noOffset, "getText failed but answers an offset")
    }
    expect(offset >= 0 && offset <= space.count - length, "\(length) bytes at \(offset) of \(space.count)")
    let text = Array(space.bytes[offset..<offset + length])
    keyboards[handle]!.forgetKeyForOneText()
    if let sealed { return checkSealed(text, sealed, model, context: model.context!) }
    if let pin {
      return expect(
        pin.open(text, key: model.key, context: model.context ?? []) == model.typed, "a block holds another PIN")
    }
    expect(text == Reference.encrypt(model.way, model.key, model.typed), "getText gives another text")

    var request = DecryptRequest()
    request.way = model.way
    (request.key, request.text) = (memory.copy(model.key), memory.copy(text))
    request.space = memory.space(model.typed.count)
    let code = request.check(key: model.key, text: text)
    expect(code == CUSTOM_KEYBOARD_OK && request.space.bytes == model.typed, "it decrypts to something else")
  }

  /// Opens what a keyboard has sealed, if the recipient's secret key is known.
  private func checkSealed(_ text: [UInt8], _ way: SealedWay, _ model: KeyboardModel, context: [UInt8]) {
    let made = generated.last { $0.way.way == way.way && $0.pair.open == model.key }
    guard let secret = made?.pair.secret ?? way.secret(of: model.key) else { return }
    var request = OpenRequest()
    request.way = way.way
    (request.keyBytes, request.contextBytes, request.textBytes) = (secret, context, text)
    (request.key, request.context, request.text) = (memory.copy(secret), memory.copy(context), memory.copy(text))
    request.original = Original(way: way, secret: secret, context: context, password: model.typed, text: text)
    request.checkUnseal(into: memory.space(model.typed.count), offset: memory.answer(), length: memory.answer())
  }
}
