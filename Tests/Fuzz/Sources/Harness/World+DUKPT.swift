// Calls of DUKPT, chosen by the fuzzer: keys of a host, and two terminals' devices, whole and altered.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

extension World {
  /// One call, or a change of a device by another hand.
  public func dukptAnything(_ handle: CUSTOM_KEYBOARD) {
    if devices.isEmpty { devices = [DeviceModel(), DeviceModel()] }
    let device = reader.one(of: devices)
    let step = reader.number(below: 16)
    // A terminal without a device can do nothing.
    if step >= 7, device.current == nil, reader.number(below: 8) < 7 { loadRightly(device) }
    switch step {
    case 0: makeHostKey(isInitial: true)
    case 1...2: makeHostKey(isInitial: false)
    case 3...5: load(device)
    case 6: alter(device)
    case 7: jump(device)
    case 8...11: useNextKey(device, handle)
    default: setNextKey(device, handle)
    }
  }

  // MARK: What is given

  private func anyScheme() -> DUKPTWay { reader.one(of: DUKPTWay.all) }

  /// A key of the scheme's, or bytes of another length.
  private func anyKey(_ way: DUKPTWay) -> [UInt8] {
    let length = reader.one(of: way.keyLengths)
    return reader.scatteredBytes(reader.number(below: 16) == 15 ? reader.number(below: 40) : length)
  }

  /// A serial number: its counter is mostly one that has a transaction.
  private func anyNumber(_ way: DUKPTWay, isFirst: Bool = false) -> [UInt8] {
    let number = way.number(reader.scatteredBytes(way.numberLength), isFirst ? 0 : anyCounter(way))
    return reader.number(below: 16) == 15 ? Array((number + [0, 0]).prefix(reader.number(below: 15))) : number
  }

  private func anyCounter(_ way: DUKPTWay) -> UInt32 {
    let bits = UInt32(way.counterBits)
    switch reader.number(below: 8) {
    case 0: return 0
    case 1...2: return 1 + UInt32(reader.byte())
    // One run of ones, the longest of which no transaction has.
    case 3...4:
      let (count, place) = (UInt32(1 + reader.number(below: 18)), UInt32(reader.byte()))
      return ((1 << count - 1) << (place % (bits - min(bits - 1, count) + 1))) & (~0 >> (32 - bits))
    default: return UInt32(truncatingIfNeeded: reader.word()) & (~0 >> (32 - bits))
    }
  }

  /// Two inputs, perhaps with sizes or at places that no caller should pass.
  private func give(_ key: [UInt8], _ number: [UInt8]) -> (key: Piece, number: Piece) {
    var (key, number) = (memory.copyThatMayBeOverrun(key), memory.copyThatMayBeOverrun(number))
    switch reader.number(below: 32) {
    case 26: key = Piece(start: nil, claimed: key.claimed)
    case 27: number = Piece(start: nil, claimed: number.claimed)
    case 28: key = .pastTheEnd(key.claimed)
    case 29: number = .pastTheEnd(number.claimed)
    case 30: key.claimed = reader.one(of: impossibleSizes)
    case 31: number.claimed = reader.one(of: impossibleSizes)
    default: break
    }
    return (key, number)
  }

  /// The code for inputs and output; what they hold is not looked at.
  private func codeOfPieces(_ key: Piece, _ number: Piece, _ output: Piece) -> CUSTOM_KEYBOARD_RV {
    let isAllowed =
      [key, number, output].allSatisfy(\.isPointer) && key.isInMemoryToRead && number.isInMemoryToRead
      && output.isInMemory && !key.overlaps(output, limit: 32) && !number.overlaps(output, limit: 12)
    return isAllowed ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_ARGUMENT
  }

  // MARK: The host

  private func makeHostKey(isInitial: Bool) {
    let way = anyScheme()
    let (keyBytes, numberBytes) = (anyKey(way), anyNumber(way))
    let (key, number) = give(keyBytes, numberBytes)
    let due = isInitial ? keyBytes.count : way.workingLength
    var space = memory.space(reader.number(below: 4) == 3 ? reader.number(below: 40) : due)
    var answer: UnsafeMutablePointer<Int>? = memory.answer()
    var scheme = way.scheme
    switch reader.number(below: 32) {
    case 26: scheme = CUSTOM_DUKPT(rawValue: 6)
    case 27: scheme = CUSTOM_DUKPT(rawValue: UInt32(truncatingIfNeeded: reader.word()) | 8)
    case 28: space = Piece(start: nil, claimed: space.claimed)
    case 29: space.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 30: answer = nil
    case 31: space = reader.flag() ? key : number
    default: break
    }
    var code = codeOfPieces(key, number, space)
    if DUKPTWay.of(scheme) == nil || answer == nil || answer.map({ Piece(answer: $0).overlaps(space, limit: .max) })! {
      code = CUSTOM_KEYBOARD_ARGUMENT
    }
    let counter = numberBytes.count == way.numberLength ? way.counter(of: numberBytes) : 0
    if code == CUSTOM_KEYBOARD_OK {
      if key.claimed != keyBytes.count || !way.keyLengths.contains(keyBytes.count) || number.claimed != way.numberLength
        || numberBytes.count != way.numberLength || !isInitial && !way.hasTransaction(counter)
      {
        code = CUSTOM_KEYBOARD_ERR
      } else if space.claimed < due {
        code = CUSTOM_KEYBOARD_SPACE
      }
    }
    let (before, answerBefore) = (space.bytes, answer?.pointee)
    let function = isInitial ? CustomKeyboard_dukptInitialKey : CustomKeyboard_dukptKey
    let got = function(
      scheme, key.start, key.claimed, number.start, number.claimed, space.start, space.claimed, answer)
    let name = isInitial ? "dukptInitialKey" : "dukptKey"
    trace("\(name) of scheme \(scheme.rawValue), key \(key), number \(number), space \(space): \(got.rawValue)")
    expect(got == code, "\(name) answers \(got.rawValue), expected \(code.rawValue)")
    let isTold = [CUSTOM_KEYBOARD_OK, CUSTOM_KEYBOARD_SPACE].contains(code)
    expect(answer?.pointee == (isTold ? due : answerBefore), "\(name) answers another length")
    guard code == CUSTOM_KEYBOARD_OK else {
      return expect(space.bytes == before, "\(name) failed but wrote a key")
    }
    let initialKey = isInitial ? way.initialKey(keyBytes, numberBytes) : []
    let expected =
      isInitial
      ? initialKey : way.workingKey(way.initialKey(keyBytes, numberBytes), numberBytes, counter)
    expect(space.bytes == expected + before.dropFirst(due), "\(name) makes another key")
  }

  // MARK: The terminal

  private func loadRightly(_ device: DeviceModel) {
    let way = anyScheme()
    let (key, number) = (reader.scatteredBytes(reader.one(of: way.keyLengths)), [UInt8](repeating: 0x5a, count: 10))
    let first = way.number(number + [0, 0], 0)
    let got = CustomKeyboard_dukptLoad(device.memory, way.scheme, key, key.count, first, first.count)
    expect(got == CUSTOM_KEYBOARD_OK, "dukptLoad answers \(got.rawValue)")
    device.accept(.init(way: way, initialKey: key, number: first, counter: 1), register: 0)
  }

  private func load(_ device: DeviceModel) {
    let way = anyScheme()
    let (keyBytes, numberBytes) = (anyKey(way), anyNumber(way, isFirst: reader.number(below: 8) < 7))
    var (key, number) = give(keyBytes, numberBytes)
    var (scheme, isNull) = (way.scheme, false)
    switch reader.number(below: 32) {
    case 28: scheme = CUSTOM_DUKPT(rawValue: 6 + UInt32(reader.byte()))
    case 29: isNull = true
    case 30: key = part(of: device, keyBytes.count)
    case 31: number = part(of: device, numberBytes.count)
    default: break
    }
    var due = codeOfPieces(key, number, device.piece)
    if isNull || DUKPTWay.of(scheme) == nil { due = CUSTOM_KEYBOARD_ARGUMENT }
    if due == CUSTOM_KEYBOARD_OK,
      key.claimed != keyBytes.count || !way.keyLengths.contains(keyBytes.count) || number.claimed != numberBytes.count
        || numberBytes.count != way.numberLength || way.counter(of: numberBytes) != 0
    {
      due = CUSTOM_KEYBOARD_ERR
    }
    let before = device.piece.bytes
    let got = CustomKeyboard_dukptLoad(
      isNull ? nil : device.memory, scheme, key.start, key.claimed, number.start, number.claimed)
    trace("dukptLoad of scheme \(scheme.rawValue), key \(key), number \(number): \(got.rawValue)")
    expect(got == due, "dukptLoad answers \(got.rawValue), expected \(due.rawValue)")
    guard due == CUSTOM_KEYBOARD_OK else {
      return expect(device.piece.bytes == before, "dukptLoad failed but changed the device")
    }
    let now = DeviceModel.Loaded(way: way, initialKey: keyBytes, number: numberBytes, counter: 1)
    device.accept(now, register: reader.number(below: way.counterBits))
  }

  /// Some of a device's own bytes, from which it cannot be loaded.
  private func part(of device: DeviceModel, _ count: Int) -> Piece {
    let start = device.piece.start! + reader.number(below: DeviceModel.size - 40)
    return Piece(start: start, count: count, claimed: count)
  }

  /// Alters bytes, alters the same ones again, empties the device, or copies the other one.
  private func alter(_ device: DeviceModel) {
    switch reader.number(below: 4) {
    case 0: device.write([UInt8](repeating: 0, count: DeviceModel.size))
    case 1:
      let other = devices[devices[0] === device ? 1 : 0]
      device.write(other.piece.bytes)
      (device.loaded, device.bytesWhenRight) = (other.loaded, other.bytesWhenRight)
    default:
      // Mostly in the first bytes, which say what the rest is.
      let place = reader.number(below: reader.flag() ? 24 : DeviceModel.size)
      device.piece.start![place] ^= reader.flag() ? 1 : reader.byte()
    }
  }

  /// Puts a device there that has gone on to a later counter: of AES one with few registers that have keys.
  private func jump(_ device: DeviceModel) {
    guard var now = device.current else { return }
    var counter = anyCounter(now.way)
    if now.way.counterBits == 32 { counter &= ~0 << UInt32(24 + reader.number(below: 8)) }
    if reader.number(below: 4) == 3 {
      let (bits, most) = (UInt32(now.way.counterBits), UInt32(now.way.mostBits))
      counter = (1 << most - 1) << (bits - most)  // the last one
    }
    guard now.way.hasTransaction(counter) else { return }
    now.counter = counter
    device.write(now.way.device(now.initialKey, now.number, counter))
    (device.loaded, device.bytesWhenRight) = (now, device.piece.bytes)
  }

  private func setNextKey(_ device: DeviceModel, _ handle: CUSTOM_KEYBOARD) {
    let current = device.current
    let fitting = PINWay.all.filter { current?.way.serves($0) != false }
    var way = reader.one(of: reader.number(below: 8) == 7 ? PINWay.all : fitting).way
    var given: UnsafeMutablePointer<CUSTOM_DUKPT_DEVICE>? = device.memory
    var space = memory.space(reader.number(below: 4) == 3 ? reader.number(below: 16) : 12)
    var answer: UnsafeMutablePointer<Int>? = memory.answer()
    switch reader.number(below: 32) {
    case 26: way = encryptionWay()
    case 27: given = nil
    case 28: space = Piece(start: nil, claimed: space.claimed)
    case 29: space.claimed = reader.one(of: impossibleSizes.filter { $0 < 0 })
    case 30: answer = nil
    case 31: space = part(of: device, 12)
    default: break
    }
    var due = CUSTOM_KEYBOARD_OK
    if let pin = PINWay.of(way), given != nil, space.isPointer, space.isInMemory, answer != nil,
      !space.overlaps(device.piece, limit: .max), !device.isBlank, current?.way.serves(pin) != false
    {
      due = stateCode(handle, whileOpen: false)
    } else {
      due = CUSTOM_KEYBOARD_ARGUMENT
    }
    if due == CUSTOM_KEYBOARD_OK {
      if current == nil {
        due = CUSTOM_KEYBOARD_DAMAGED
      } else if current!.counter == 0 {
        due = CUSTOM_KEYBOARD_REFUSED
      } else if space.count < current!.way.numberLength {
        due = CUSTOM_KEYBOARD_SPACE
      }
    }
    let (before, spaceBefore, answerBefore) = (device.piece.bytes, space.bytes, answer?.pointee)
    trace("dukptNext: way \(way.rawValue), counter \(current?.counter ?? 0), space \(space)")
    call("dukptNext", handle, due: due) {
      CustomKeyboard_dukptNext(given, handle, way, space.start, space.claimed, answer)
    }
    let isTold = [CUSTOM_KEYBOARD_OK, CUSTOM_KEYBOARD_SPACE].contains(due)
    expect(answer?.pointee == (isTold ? current!.way.numberLength : answerBefore), "dukptNext answers another length")
    guard due == CUSTOM_KEYBOARD_OK, var now = current else {
      return expect(
        device.piece.bytes == before && space.bytes == spaceBefore, "dukptNext failed but wrote something")
    }
    let number = now.way.number(now.number, now.counter)
    expect(space.bytes == number + spaceBefore.dropFirst(number.count), "dukptNext answers another serial number")
    keyboards[handle]!.key = now.way.workingKey(now.initialKey, now.number, now.counter)
    keyboards[handle]!.way = way
    keyboards[handle]!.isKeyForOneText = true
    now.counter = now.way.counter(after: now.counter)
    device.accept(now, register: reader.number(below: now.way.counterBits))
  }

  /// The next key, and a PIN block under it: what a terminal does for each transaction.
  private func useNextKey(_ device: DeviceModel, _ handle: CUSTOM_KEYBOARD) {
    if keyboards[handle]?.isOpen == true { close(handle) }
    setNextKey(device, handle)
    guard let pin = keyboards[handle].flatMap({ PINWay.of($0.way) }) else { return }
    setContext(handle, memory.copy(anyCard(for: pin)))
    open(handle)
    input(handle, Array("0918273645546".utf8.prefix(3 + reader.number(below: 11))))
    for _ in 0...reader.number(below: 2) { checkText(handle, spaceSize: 8 + reader.number(below: 16)) }
    close(handle)
  }
}
