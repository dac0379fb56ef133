// One call of `unsealBatch`, chosen by the fuzzer, and each job compared with its own call of `unseal`.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A job, and the memory that its pointers point to.
private struct SealedTask {
  let context, text, clear: Piece

  var job: CUSTOM_KEYBOARD_SEALED_JOB {
    CUSTOM_KEYBOARD_SEALED_JOB(
      context: context.start, contextLength: context.claimed, text: text.start, textLength: text.claimed,
      clear: clear.start, clearCapacity: clear.claimed, clearLength: SealedTask.unanswered,
      rv: CUSTOM_KEYBOARD_RV(rawValue: 77))
  }

  /// The length in a job before it is answered.
  static var unanswered: Int { 0x1e9674 }

  /// The answer of `unseal`: the code, the password, and the needed length if there is too little room.
  func alone(
    _ way: CUSTOM_ENCWAY, _ key: Piece, _ memory: Memory
  ) -> (code: CUSTOM_KEYBOARD_RV, password: [UInt8], length: Int) {
    // unseal would fill the space otherwise.
    if text.overlaps(clear, limit: UInt(CUSTOM_KEYBOARD_MAXSEALEDSIZE)) || context.overlaps(clear, limit: 256)
      || key.overlaps(clear, limit: .max)
    {
      return (CUSTOM_KEYBOARD_ARGUMENT, [], 0)
    }
    let space = clear.claimed == clear.count && clear.start != nil ? memory.space(clear.count) : clear
    var (offset, length) = (0, 0)
    let code = CustomKeyboard_unseal(
      way, key.start, key.claimed, context.start, context.claimed, text.start, text.claimed, space.start,
      space.claimed, &offset, &length)
    return (code, code == CUSTOM_KEYBOARD_OK ? Array(space.bytes[offset..<offset + length]) : [], length)
  }
}

extension World {
  /// Any number of jobs, good and bad, for one key.
  public func unsealBatchOfAnything() {
    let texts = Originals.textsOfAnyWay(reader)
    let way = texts[0].way
    var keyBytes = reader.one(of: texts).secret
    if reader.number(below: 16) == 15 { keyBytes = anySecret(way) }
    var key = memory.copy(keyBytes)
    var tasks: [SealedTask] = []
    // Private keys of RSA take milliseconds. Eight texts fill the lanes.
    let most = way.way == CUSTOM_ENCWAY_RSA ? 3 : 20
    repeat {
      let count = reader.number(below: 8) == 7 ? 1 + reader.number(below: most) : 1
      let (original, shape) = (reader.one(of: texts), (0..<4).map { _ in Int(reader.byte()) })
      for number in 0..<count { tasks.append(task(original, shape, number, key)) }
    } while reader.number(below: 4) != 3 && tasks.count < most && !reader.isAtEnd
    var (code, count, isNull) = (way.way, tasks.count, false)
    switch reader.number(below: 32) {
    case 24: key = Piece(start: nil, claimed: key.claimed)
    case 25: key = .pastTheEnd(key.claimed)
    case 26: key.claimed = reader.one(of: impossibleSizes)
    case 27: code = encryptionWay()
    case 28: isNull = true
    case 29: count = reader.one(of: [-1, Int.min, Int.max, Int.max / 64 + 1, 1 << 58])
    case 30...31: count = reader.number(below: tasks.count)
    default: break
    }
    answer(code, key, keyBytes, tasks, isNull: isNull, count: count)
  }

  private func answer(
    _ code: CUSTOM_ENCWAY, _ key: Piece, _ keyBytes: [UInt8], _ tasks: [SealedTask], isNull: Bool, count: Int
  ) {
    var verdict = SealedWay.Verdict.none
    if key.claimed == keyBytes.count, let way = SealedWay.of(code) { verdict = way.verdict(onSecret: keyBytes) }
    var due = verdict == .none ? CUSTOM_KEYBOARD_ERR : CUSTOM_KEYBOARD_OK
    if SealedWay.of(code) == nil || key.start == nil || !key.isInMemoryToRead || isNull && count > 0
      || count < 0 || count > tasks.count
    {
      due = CUSTOM_KEYBOARD_ARGUMENT
    }
    let alone = due == CUSTOM_KEYBOARD_OK ? tasks.prefix(count).map { $0.alone(code, key, memory) } : []
    let (before, keyBefore) = (tasks.map(\.clear.bytes), key.bytes)
    let given = UnsafeMutablePointer<CUSTOM_KEYBOARD_SEALED_JOB>.allocate(capacity: tasks.count)
    for i in tasks.indices { (given + i).initialize(to: tasks[i].job) }
    defer { given.deallocate() }
    trace("unsealBatch: way \(code.rawValue), key \(key), \(count) jobs")
    let got = CustomKeyboard_unsealBatch(code, key.start, key.claimed, isNull ? nil : given, count)
    let isUnclear = due == CUSTOM_KEYBOARD_OK && verdict == .unclear && got == CUSTOM_KEYBOARD_ERR
    expect(got == due || isUnclear, "unsealBatch of \(count) jobs answers \(got.rawValue), expected \(due.rawValue)")
    expect(key.bytes == keyBefore, "unsealBatch has changed the key")
    for i in tasks.indices {
      let (rv, length) = (given[i].rv, given[i].clearLength)
      guard i < count, got == CUSTOM_KEYBOARD_OK else {
        expect(length == SealedTask.unanswered && tasks[i].clear.bytes == before[i], "job \(i) has changed")
        continue
      }
      // Whether such a key is noticed depends on drawn numbers, in both.
      let faults = [CUSTOM_KEYBOARD_ERR, CUSTOM_KEYBOARD_UNDECRYPTABLE]
      let isAlike = rv == alone[i].code || verdict == .unclear && faults.contains(rv) && faults.contains(alone[i].code)
      expect(isAlike, "job \(i) of \(count) answers \(rv.rawValue), and unseal \(alone[i].code.rawValue)")
      expect(length == alone[i].length, "job \(i) of \(count) says \(length) bytes, and unseal \(alone[i].length)")
      let filled = alone[i].password + before[i].dropFirst(alone[i].password.count)
      expect(tasks[i].clear.bytes == filled, "job \(i) of \(count) gives another password, or more than that")
    }
  }

  /// A job. `shape` decides what is wrong, where, and how much room there is.
  private func task(_ original: Original, _ shape: [Int], _ number: Int, _ key: Piece) -> SealedTask {
    let (fault, place) = (shape[0] % 32, shape[1] << 8 | shape[2])
    var (textBytes, contextBytes) = (original.text, original.context)
    // One bad job among good ones that share their lanes.
    if fault == 12 || fault == 13 && number == place % 8 { textBytes[place % textBytes.count] ^= 1 << (shape[3] & 7) }
    if fault == 14 { contextBytes = Array((contextBytes + [0]).prefix(place % 258)) }
    if fault == 15 { textBytes = Array(textBytes.prefix(place % textBytes.count)) }
    if fault == 16 { textBytes[place % textBytes.count] ^= UInt8(shape[3]) }
    var (context, text) = (memory.copy(contextBytes), memory.copyThatMayBeOverrun(textBytes))
    let size = impossibleSizes[place % impossibleSizes.count]
    if [20, 21, 25].contains(fault) {
      // Wrong sizes: the bytes after the piece must not by chance be another piece, because that would overlap.
      let behind = [UInt8](repeating: 0, count: Int(CUSTOM_KEYBOARD_MAXSEALEDSIZE))
      (context, text) = (memory.copy(contextBytes + behind), memory.copy(textBytes + behind))
      (context.claimed, text.claimed) = (contextBytes.count, textBytes.count)
    }
    var clear = memory.space(fault == 28 ? place % 20 : original.password.count + shape[3] % 3)
    switch fault {
    case 17: context = Piece(start: nil, claimed: context.claimed)
    case 18: text = Piece(start: nil, claimed: text.claimed)
    case 19: clear = Piece(start: nil, claimed: clear.claimed)
    case 20: context.claimed = size
    case 21: text.claimed = size
    case 22: clear.claimed = Int.min + place
    case 23: context = .pastTheEnd(context.claimed)
    case 24: text = .pastTheEnd(text.claimed)
    case 25: context.claimed = 257 + place
    case 26:
      let shift = place % max(1, text.count - 8)
      clear = Piece(start: text.start! + shift, count: min(8, text.count), claimed: min(8, text.count))
    case 27: clear = key
    default: break
    }
    return SealedTask(context: context, text: text, clear: clear)
  }
}
