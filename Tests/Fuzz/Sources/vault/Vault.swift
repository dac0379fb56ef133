// Files that may be vaults: whole ones, and one that is changed anywhere, its WAL too. Each is refused, or what is in
// it is what was put into it. Whatever is read from it is in memory of exactly that size.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CCustomVault
import Glibc
import Harness

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzVault(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  World.run(start, count) { world in
    let reader = world.reader
    // The first is what no bytes at all mean: the file as it is.
    switch reader.number(below: 4) {
    case 0: check(world, Given(file: changed(Template.copy, reader), wal: nil, isOlderAllowed: false))
    case 1: check(world, Given(file: reader.take(1 << 16), wal: nil, isOlderAllowed: true))
    case 2:
      let file = reader.flag() ? changed(Template.file, reader, most: 4) : Template.file
      check(world, Given(file: file, wal: changed(Template.wal, reader), isOlderAllowed: true))
    default: check(world, Given(file: Template.file, wal: reader.take(1 << 16), isOlderAllowed: true))
    }
  }
}

extension Reader {
  fileprivate func offset(in bytes: [UInt8]) -> Int { number(below: max(1, min(bytes.count, 1 << 16))) }
}

/// Changes bytes, numbers, ranges and pages, as often as the fuzzer says.
private func changed(_ original: [UInt8], _ reader: Reader, most: Int = .max) -> [UInt8] {
  var bytes = original
  var left = most
  while !reader.isAtEnd && left > 0 && bytes.count > 8192 {
    left -= 1
    let offset = reader.offset(in: bytes)
    switch reader.number(below: 8) {
    case 0: bytes[offset] ^= 1 << UInt8(reader.number(below: 8))
    case 1, 2: bytes[offset] = reader.byte()
    case 3: bytes.replaceSubrange(offset..<min(offset + 2, bytes.count), with: reader.take(2))
    case 4: bytes.replaceSubrange(offset..<min(offset + 4, bytes.count), with: reader.take(4))
    case 5:
      let (from, count) = (reader.offset(in: bytes), reader.number(below: 256))
      let range = Array(bytes[from..<min(from + count, bytes.count)])
      for (i, byte) in range.enumerated() where offset + i < bytes.count { bytes[offset + i] = byte }
    case 6:
      let (one, other) = (offset & ~4095, reader.offset(in: bytes) & ~4095)
      for i in 0..<4096 where one + i < bytes.count && other + i < bytes.count { bytes.swapAt(one + i, other + i) }
    default: bytes.removeLast(min(bytes.count, reader.number(below: 8192)))
    }
  }
  return bytes
}

/// What the library is given.
private struct Given {
  let file: [UInt8]
  let wal: [UInt8]?
  let isOlderAllowed: Bool

  /// Whether a code says that this is damaged. SQLite (3.40) calls a cell that says it has 2³² − 1 bytes a lack of
  /// memory; as SQLite writes numbers, that has three bytes of 0xff in a row.
  func isDamaged(_ code: CUSTOM_KEYBOARD_RV) -> Bool {
    code == CUSTOM_KEYBOARD_DAMAGED || code == CUSTOM_KEYBOARD_MEMORY && hasHugeNumber
  }

  private var hasHugeNumber: Bool {
    [file, wal ?? []].contains { bytes in
      bytes.indices.dropLast(2).contains { bytes[$0] & bytes[$0 + 1] & bytes[$0 + 2] == 0xff }
    }
  }
}

/// Opens a file, and compares what is in it.
private func check(_ world: World, _ given: Given) {
  Disk.remove()
  Disk.write(Disk.path, given.file)
  if let wal = given.wal { Disk.write(Disk.path + "-wal", wal) }
  var state = CUSTOM_VAULT_STATE()
  state.size = MemoryLayout<CUSTOM_VAULT_STATE>.size
  let stateCode = CustomVault_passcodeKeyState(Disk.path, &state)
  switch stateCode {
  case CUSTOM_KEYBOARD_OK, CUSTOM_KEYBOARD_LOCKED, CUSTOM_KEYBOARD_NOT_FOUND: break
  case let code where given.isDamaged(code): break
  default: complain("passcodeKeyState answers \(stateCode.rawValue)")
  }
  var vault: CUSTOM_VAULT = 0
  let code = CustomVault_open(&vault, Disk.path, Template.key, Template.key.count)
  // Planted fault: the model takes every file for a whole one.
  expect(!Plant.answer || code == CUSTOM_KEYBOARD_OK, "open answers \(code.rawValue), expected 0")
  guard code == CUSTOM_KEYBOARD_OK else {
    expect(given.isDamaged(code) || code == CUSTOM_KEYBOARD_MISMATCH, "open answers \(code.rawValue)")
    expect(vault == 0, "open answers \(code.rawValue), and gives a handle")
    return
  }
  var found = 0
  for (account, values) in Template.items {
    if checkItem(world, vault, account, given.isOlderAllowed ? values : [values.last!], given) { found += 1 }
  }
  checkRest(vault, found, given)
  // It can be changed. If a page that is free, or that was not read, is of something else, that is noticed afterwards.
  let change = CustomVault_addItem(vault, "s", "added", nil, nil, Template.key, 8)
  expect(change == CUSTOM_KEYBOARD_OK || given.isDamaged(change), "addItem answers \(change.rawValue)")
  expect(CustomVault_close(vault) == CUSTOM_KEYBOARD_OK, "close fails")
  guard change == CUSTOM_KEYBOARD_OK else { return }
  let again = CustomVault_open(&vault, Disk.path, Template.key, Template.key.count)
  expect(again == CUSTOM_KEYBOARD_OK || given.isDamaged(again), "open again answers \(again.rawValue)")
  guard again == CUSTOM_KEYBOARD_OK else { return }
  let whole = Given(file: given.file, wal: given.wal, isOlderAllowed: false)
  _ = checkItem(world, vault, "added", [Array(Template.key[..<8])], whole)
  expect(CustomVault_close(vault) == CUSTOM_KEYBOARD_OK, "close fails")
}

/// - Returns: whether the item is there.
private func checkItem(
  _ world: World, _ vault: CUSTOM_VAULT, _ account: String, _ values: [[UInt8]], _ given: Given
) -> Bool {
  var length = 0
  let asked = CustomVault_readItem(vault, "s", account, nil, 0, &length)
  guard asked == CUSTOM_KEYBOARD_SPACE else {
    expect(
      given.isDamaged(asked) || (given.isOlderAllowed && asked == CUSTOM_KEYBOARD_NOT_FOUND),
      "readItem of \(account) answers \(asked.rawValue)")
    return false
  }
  let space = world.memory.space(Plant.overrun ? length - 1 : length)
  let code = CustomVault_readItem(vault, "s", account, space.start, length, &length)
  expect(code == CUSTOM_KEYBOARD_OK, "readItem of \(account) answers \(code.rawValue)")
  expect(values.contains(space.bytes), "readItem of \(account) gives what it never was")
  return true
}

private func checkRest(_ vault: CUSTOM_VAULT, _ found: Int, _ given: Given) {
  var listed = 0
  let list = CustomVault_listItems(
    vault, nil,
    { count, item in
      guard let service = item.pointee.service, let account = item.pointee.account, strcmp(service, "s") == 0,
        Template.items.contains(where: { strcmp(account, $0.0) == 0 })
      else { complain("listItems gives an item that never was") }
      count!.assumingMemoryBound(to: Int.self).pointee += 1
      return 0
    }, &listed)
  expect(list == CUSTOM_KEYBOARD_OK || given.isDamaged(list), "listItems answers \(list.rawValue)")
  if list == CUSTOM_KEYBOARD_OK { expect(listed >= found, "listItems gives \(listed) items of \(found)") }
  var (length, words) = (0, [CChar](repeating: 0, count: Int(CUSTOM_VAULT_MAXWORDSSIZE)))
  let code = CustomVault_readWords(vault, "words", &words, words.count, &length)
  switch code {
  case CUSTOM_KEYBOARD_OK: expect(strcmp(words, Template.words) == 0, "readWords gives other words")
  case let code where given.isDamaged(code): break
  default: expect(given.isOlderAllowed && code == CUSTOM_KEYBOARD_NOT_FOUND, "readWords answers \(code.rawValue)")
  }
  var state = CUSTOM_VAULT_STATE()
  state.size = MemoryLayout<CUSTOM_VAULT_STATE>.size
  switch CustomVault_passcodeState(vault, "PIN", &state) {
  case CUSTOM_KEYBOARD_OK: expect(state.triesLeft == 5, "a passcode has \(state.triesLeft) tries left")
  case let code where given.isDamaged(code): break
  case let code:
    expect(given.isOlderAllowed && code == CUSTOM_KEYBOARD_NOT_FOUND, "passcodeState answers \(code.rawValue)")
  }
}
