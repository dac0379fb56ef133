// One call of `decryptBatch`, chosen by the fuzzer, and each job compared with its own call of `decrypt`.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard

/// A job, and the memory that its pointers point to.
private struct Task {
  let key, text, clear: Piece

  var job: CUSTOM_KEYBOARD_JOB {
    CUSTOM_KEYBOARD_JOB(
      key: key.start, keyLength: key.claimed, text: text.start, textLength: text.claimed, clear: clear.start,
      clearCapacity: clear.claimed, clearLength: Task.unanswered, rv: CUSTOM_KEYBOARD_RV(rawValue: 77))
  }

  /// The length in a job before it is answered.
  static var unanswered: Int { 0x1e9674 }

  /// The answer of `decrypt`: the code, the password, and the needed length if there is too little room.
  func alone(_ way: CUSTOM_ENCWAY, _ memory: Memory) -> (code: CUSTOM_KEYBOARD_RV, password: [UInt8], length: Int) {
    // decrypt would fill the space otherwise.
    if text.overlaps(clear, limit: 144) || key.overlaps(clear, limit: 24) { return (CUSTOM_KEYBOARD_ARGUMENT, [], 0) }
    let space = clear.claimed == clear.count && clear.start != nil ? memory.space(clear.count) : clear
    var (offset, length) = (0, 0)
    let code = CustomKeyboard_decrypt(
      way, key.start, key.claimed, text.start, text.claimed, space.start, space.claimed, &offset, &length)
    // Planted fault: wrong padding has a code of its own in texts of five blocks.
    let isPlanted = Plant.answer && code == CUSTOM_KEYBOARD_UNDECRYPTABLE && text.claimed == 80
    guard !isPlanted else { return (CUSTOM_KEYBOARD_ERR, [], 0) }
    return (code, code == CUSTOM_KEYBOARD_OK ? Array(space.bytes[offset..<offset + length]) : [], length)
  }
}

extension World {
  /// Any number of jobs, good and bad.
  public func decryptBatchOfAnything() {
    let way = way()
    var tasks: [Task] = []
    repeat {
      // Each of the fuzzer's jobs may be repeated, to fill the lanes, which takes 64 jobs.
      let count = reader.number(below: 8) == 7 ? 1 + reader.number(below: 80) : 1
      let seed = reader.scattered()
      let shape = (0..<4).map { _ in reader.byte() }
      for i in 0..<count { tasks.append(task(way, shape, Int(i), seed, before: tasks.last)) }
    } while reader.number(below: 4) != 3 && tasks.count < 256 && !reader.isAtEnd

    switch reader.number(below: 32) {
    case 29: refuse(way, tasks, isNull: true, count: 1 + reader.number(below: 9))
    case 30: refuse(way, tasks, isNull: false, count: reader.one(of: [-1, Int.min, Int.max, Int.max / 32, 1 << 58]))
    case 31: answer(way, tasks, count: reader.number(below: tasks.count))
    default: answer(way, tasks, count: tasks.count)
    }
  }

  /// A call that is refused as a whole and answers no job.
  private func refuse(_ way: CUSTOM_ENCWAY, _ tasks: [Task], isNull: Bool, count: Int) {
    let jobs = tasks.map(\.job)
    let given = UnsafeMutablePointer<CUSTOM_KEYBOARD_JOB>.allocate(capacity: jobs.count)
    given.initialize(from: jobs, count: jobs.count)
    defer { given.deallocate() }
    let before = tasks.map(\.clear.bytes)
    let got = CustomKeyboard_decryptBatch(way, isNull ? nil : given, count)
    expect(got == CUSTOM_KEYBOARD_ARGUMENT, "a batch of \(count) jobs answers \(got.rawValue)")
    for i in jobs.indices {
      expect(given[i].clearLength == Task.unanswered && given[i].rv == jobs[i].rv, "job \(i) is answered")
    }
    expect(tasks.map(\.clear.bytes) == before, "a batch that is refused has written")
  }

  private func answer(_ way: CUSTOM_ENCWAY, _ tasks: [Task], count: Int) {
    guard Reference.isWay(way) else { return refuse(way, tasks, isNull: false, count: count) }
    let due = tasks.map { $0.alone(way, memory) }
    let before = tasks.map(\.clear.bytes)
    let given = UnsafeMutablePointer<CUSTOM_KEYBOARD_JOB>.allocate(capacity: tasks.count)
    for i in tasks.indices { (given + i).initialize(to: tasks[i].job) }
    defer { given.deallocate() }
    trace("decryptBatch: way \(way.rawValue), \(count) jobs")
    let got = CustomKeyboard_decryptBatch(way, given, count)
    expect(got == CUSTOM_KEYBOARD_OK, "a batch of \(count) jobs answers \(got.rawValue)")
    for i in tasks.indices {
      let (rv, length) = (given[i].rv, given[i].clearLength)
      guard i < count else {
        expect(length == Task.unanswered && tasks[i].clear.bytes == before[i], "job \(i) has changed")
        continue
      }
      expect(rv == due[i].code, "job \(i) of \(count) answers \(rv.rawValue), and decrypt \(due[i].code.rawValue)")
      expect(length == due[i].length, "job \(i) of \(count) says \(length) bytes, and decrypt \(due[i].length)")
      let filled = due[i].password + before[i].dropFirst(due[i].password.count)
      expect(tasks[i].clear.bytes == filled, "job \(i) of \(count) gives another password, or more than that")
    }
  }

  /// A job. `shape` decides the password's length, what is wrong, where, and how much room there is.
  private func task(_ way: CUSTOM_ENCWAY, _ shape: [UInt8], _ number: Int, _ seed: Scattered, before: Task?) -> Task {
    var source = Scattered(seed: seed.first &+ UInt64(number))
    let isWay = Reference.isWay(way)
    let size = Reference.blockSize(way)
    let fault = shape[1] % 32
    let password = source.bytes(Int(shape[0] % 129))
    let keyBytes = source.bytes(way == CUSTOM_ENCWAY_DES ? 8 : way == CUSTOM_ENCWAY_3DES && fault & 1 == 0 ? 24 : 16)
    var padded = Reference.pad(password, way)
    let place = Int(shape[2])
    // One bad job among good ones that share their lanes.
    if fault == 16 || fault == 17 && number == place { padded[padded.count - 1 - place % size] ^= 1 + shape[3] % 255 }
    var textBytes = isWay ? Reference.crypt(way, keyBytes, padded, decrypting: false) : padded
    if fault == 18 { textBytes = source.bytes(place) }

    var (key, text) = (memory.copy(keyBytes), memory.copyThatMayBeOverrun(textBytes, way))
    let room = shape[3] & 3 == 0 ? place % 160 : shape[3] & 3 == 1 ? password.count : padded.count + place % 8
    var clear = memory.space(room)
    if 24...25 ~= fault || fault == 19 {
      // Wrong sizes: the bytes after the piece must not by chance be another piece, because that would overlap.
      let behind = [UInt8](repeating: 0, count: 160)
      (key, text) = (memory.copy(keyBytes + behind), memory.copy(textBytes + behind))
      (key.claimed, text.claimed) = (keyBytes.count, textBytes.count)
    }
    switch fault {
    case 19: key.claimed = place % 40 <= keyBytes.count ? place % 40 : -place
    case 20: text.claimed = min(place, text.count)
    case 21: key = Piece(start: nil, claimed: key.claimed)
    case 22: text = Piece(start: nil, claimed: text.claimed)
    case 23: clear = Piece(start: nil, claimed: clear.claimed)
    case 24: key.claimed = impossibleSizes[place % impossibleSizes.count]
    case 25: text.claimed = impossibleSizes[place % impossibleSizes.count]
    case 26: clear.claimed = Int.min + place
    case 27: text = Piece(start: .nearTheEnd, claimed: text.claimed)
    case 28: key = Piece(start: .nearTheEnd, claimed: key.claimed)
    case 29: return overlapping(keyBytes, textBytes, place, room)
    // Two jobs may read the same bytes.
    case 30: key = before?.key ?? key
    case 31: text = before?.text ?? text
    default: break
    }
    return Task(key: key, text: text, clear: clear)
  }

  /// A job whose `clear` is somewhere around its key and text.
  private func overlapping(_ key: [UInt8], _ text: [UInt8], _ place: Int, _ room: Int) -> Task {
    let whole = memory.copy([UInt8](repeating: 0, count: 256) + key + text + [UInt8](repeating: 0, count: 256))
    let keyStart = whole.start! + 256
    let clear = whole.start! + 64 + place
    return Task(
      key: Piece(start: keyStart, count: key.count, claimed: key.count),
      text: Piece(start: keyStart + key.count, count: text.count, claimed: text.count),
      clear: Piece(start: clear, count: room, claimed: room))
  }
}
