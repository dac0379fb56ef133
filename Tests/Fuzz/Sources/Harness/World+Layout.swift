// The calls of layout and touch, each compared with its model.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  public func setLayout(_ handle: CUSTOM_KEYBOARD, _ kind: UInt32, _ shuffle: UInt32, maximumCount: UInt) {
    var due = stateCode(handle, whileOpen: false)
    let isKnown = kind <= 5 && shuffle <= 2
    if let layout = keyboards[handle]?.layout, !isKnown || !LayoutModel.isSize(kind, layout.width, layout.height) {
      due = CUSTOM_KEYBOARD_ARGUMENT
    }
    if due == CUSTOM_KEYBOARD_OK {
      keyboards[handle]!.layout.set(kind, shuffle: shuffle, maximumCount: maximumCount)
    }
    call("setLayout", handle, due: due) {
      CustomKeyboard_setLayout(
        handle, CUSTOM_KEYBOARD_LAYOUT(rawValue: kind), CUSTOM_KEYBOARD_SHUFFLE(rawValue: shuffle),
        Int(bitPattern: maximumCount))
    }
  }

  public func setSize(
    _ handle: CUSTOM_KEYBOARD, _ width: Double, _ height: Double, _ columnGap: Double, _ rowGap: Double
  ) {
    var due = CUSTOM_KEYBOARD_ARGUMENT
    if let kind = keyboards[handle]?.layout.kind, LayoutModel.isSize(kind, width, height),
      LayoutModel.isGap(columnGap), LayoutModel.isGap(rowGap)
    {
      due = CUSTOM_KEYBOARD_OK
      keyboards[handle]!.layout.setSize(width, height)
    }
    call("setSize", handle, due: due) { CustomKeyboard_setSize(handle, width, height, columnGap, rowGap) }
  }

  /// The keys that are shown, as the library reports them; none while the keyboard is not open.
  @discardableResult
  public func checkKeys(_ handle: CUSTOM_KEYBOARD) -> [CUSTOM_KEYBOARD_KEY] {
    let count = keyboards[handle]?.layout.keyCount ?? 0
    return checkKeys(handle, room: Plant.overrun ? count - 1 : count, claimed: count, hasCount: true)
  }

  /// - Parameters:
  ///   - room: there is memory for this many keys; nil for none, and NULL.
  ///   - claimed: the size that the library is told; it may be more only where the library must not write.
  @discardableResult
  public func checkKeys(
    _ handle: CUSTOM_KEYBOARD, room: Int?, claimed: Int, hasCount: Bool
  ) -> [CUSTOM_KEYBOARD_KEY] {
    let untouched = 0xc0c0c0
    var (due, dueCount) = (stateCode(handle, whileOpen: true), untouched)
    let isSize = claimed >= 0 && claimed <= Int.max / MemoryLayout<CUSTOM_KEYBOARD_KEY>.stride
    if room == nil && claimed != 0 || !isSize || !hasCount { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK {
      dueCount = keyboards[handle]!.layout.keyCount
      if dueCount > claimed { due = CUSTOM_KEYBOARD_SPACE }
    }

    let keys = room.map { UnsafeMutablePointer<CUSTOM_KEYBOARD_KEY>.allocate(capacity: max($0, 0)) }
    defer { keys?.deallocate() }
    var count = untouched
    call("keys", handle, due: due) {
      withUnsafeMutablePointer(to: &count) { CustomKeyboard_keys(handle, keys, claimed, hasCount ? $0 : nil) }
    }
    expect(count == dueCount, "keys counts \(count), expected \(dueCount)")
    guard due == CUSTOM_KEYBOARD_OK, let keys else { return [] }
    let reported = Array(UnsafeBufferPointer(start: keys, count: count))
    keyboards[handle]!.layout.check(reported)
    return reported
  }

  public func pressKey(_ handle: CUSTOM_KEYBOARD, _ index: Int) {
    let keys = checkKeys(handle)
    press("pressKey", handle, index, keys) { CustomKeyboard_pressKey(handle, index) }
  }

  public func touch(_ handle: CUSTOM_KEYBOARD, _ x: Double, _ y: Double) {
    let keys = checkKeys(handle)
    let layout = keyboards[handle]?.layout ?? LayoutModel()
    let isInside = x >= 0 && x <= layout.width && y >= 0 && y <= layout.height
    let nearest = isInside ? keys.indices.min { keys[$0].distance(x, y) < keys[$1].distance(x, y) } ?? 0 : -1
    press("touch", handle, nearest, keys) { CustomKeyboard_touch(handle, x, y) }
  }

  /// Predicts what a press does, and checks it.
  private func press(
    _ name: StaticString, _ handle: CUSTOM_KEYBOARD, _ index: Int, _ keys: [CUSTOM_KEYBOARD_KEY],
    _ body: () -> CUSTOM_KEYBOARD_RV
  ) {
    var due = stateCode(handle, whileOpen: true)
    let keyCount = keyboards[handle]?.layout.keyCount ?? 0
    if index < 0 || index >= keyCount { due = CUSTOM_KEYBOARD_ARGUMENT }
    var (tells, isComplete) = (false, false)
    if due == CUSTOM_KEYBOARD_OK {
      let key = keys[index]
      switch key.role {
      case CUSTOM_KEYBOARD_ROLE_CHARACTER, CUSTOM_KEYBOARD_ROLE_SPACE:
        let character = key.role == CUSTOM_KEYBOARD_ROLE_SPACE ? UInt8(ascii: " ") : key.character
        (due, tells, isComplete) = type(character, handle)
      case CUSTOM_KEYBOARD_ROLE_DELETE:
        tells = !keyboards[handle]!.typed.isEmpty
        keyboards[handle]!.removeLastCharacter()
      case CUSTOM_KEYBOARD_ROLE_RETURN: isComplete = true
      default: keyboards[handle]!.layout.press(role: key.role)
      }
    }
    call(name, handle, due: due, tells: tells, isComplete: isComplete, body)
  }

  private func type(
    _ character: UInt8, _ handle: CUSTOM_KEYBOARD
  ) -> (due: CUSTOM_KEYBOARD_RV, tells: Bool, isComplete: Bool) {
    let maximum = keyboards[handle]!.layout.maximumCount
    if maximum > 0 && keyboards[handle]!.characterCount >= maximum { return (CUSTOM_KEYBOARD_OK, false, false) }
    if keyboards[handle]!.typed.count == 128 { return (CUSTOM_KEYBOARD_MAXLEN, false, false) }
    keyboards[handle]!.typed.append(character)
    keyboards[handle]!.layout.typed(character)
    return (CUSTOM_KEYBOARD_OK, true, keyboards[handle]!.characterCount == maximum)
  }

  /// Sets a field, or removes it. Its context is a number that no other field has.
  public func setField(_ handle: CUSTOM_KEYBOARD, _ isSet: Bool) {
    let context = UnsafeMutableRawPointer(bitPattern: reader.number(below: 256))
    let due = keyboards[handle] == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK
    keyboards[handle]?.field = isSet ? KeyboardModel.Callback(context: context) : nil
    call("setTextField", handle, due: due) {
      guard isSet else { return CustomKeyboard_setTextField(handle, nil, context) }
      let tell: @convention(c) (UnsafeMutableRawPointer?, CUSTOM_KEYBOARD, Int) -> Void = {
        World.current?.fieldWasTold($0, $1, $2)
      }
      return CustomKeyboard_setTextField(handle, tell, context)
    }
  }

  public func setAction(_ handle: CUSTOM_KEYBOARD, _ isSet: Bool) {
    let context = UnsafeMutableRawPointer(bitPattern: reader.number(below: 256))
    let due = keyboards[handle] == nil ? CUSTOM_KEYBOARD_ARGUMENT : CUSTOM_KEYBOARD_OK
    keyboards[handle]?.action = isSet ? KeyboardModel.Callback(context: context) : nil
    call("setOKAction", handle, due: due) {
      guard isSet else { return CustomKeyboard_setOKAction(handle, nil, context) }
      let act: @convention(c) (UnsafeMutableRawPointer?, CUSTOM_KEYBOARD) -> Void = {
        World.current?.actionWasCalled($0, $1)
      }
      return CustomKeyboard_setOKAction(handle, act, context)
    }
  }
}

extension CUSTOM_KEYBOARD_KEY {
  /// The square of a point's distance from the key; 0 inside and on the edges.
  fileprivate func distance(_ px: Double, _ py: Double) -> Double {
    let (dx, dy) = (max(max(x - px, px - (x + width)), 0), max(max(y - py, py - (y + height)), 0))
    return dx * dx + dy * dy
  }
}
