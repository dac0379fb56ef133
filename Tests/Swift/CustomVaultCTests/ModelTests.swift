// A vault against a dictionary: the same random operations on both, with closing, opening and changes of the key
// between.
// SPDX-License-Identifier: Apache-2.0

import CCustomKeyboard
import CCustomVault
import Foundation
import Testing

@Suite struct ModelTests {
  private struct Name: Hashable {
    let service: String
    let account: String
  }

  private struct Item {
    var label: String
    var data: [UInt8]
  }

  @Test func agreesWithADictionary() throws {
    let seed = UInt64(ProcessInfo.processInfo.environment["SEED"] ?? "") ?? .random(in: 0 ... .max)
    var random = Numbers(state: seed)
    let folder = FileManager.default.temporaryDirectory.appending(path: "vault-model-\(UUID())").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    chmod(folder, 0o700)
    defer { try? FileManager.default.removeItem(atPath: folder) }

    var model: [Name: Item] = [:]
    var key = random.bytes(32)
    var vault: CUSTOM_VAULT = 0
    try #require(CustomVault_open(&vault, folder + "/vault", key, 32) == CUSTOM_KEYBOARD_OK)
    for step in 0..<400 {
      let name = Name(service: "s\(random.next(3))", account: "a\(random.next(5))")
      let data = random.bytes(random.next(2) == 0 ? random.next(40) : random.next(3000))
      let label = "label \(random.next(100))"
      let old = model[name]
      var rv = CUSTOM_KEYBOARD_OK
      var wanted = CUSTOM_KEYBOARD_OK
      switch random.next(12) {
      case 0...2:
        rv = CustomVault_addItem(vault, name.service, name.account, label, nil, data, data.count)
        wanted = old == nil ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_EXISTS
        if old == nil { model[name] = Item(label: label, data: data) }
      case 3...5:
        let next: String? = random.next(2) == 0 ? nil : label
        rv = CustomVault_updateItem(vault, name.service, name.account, next, nil, data, data.count)
        wanted = old == nil ? CUSTOM_KEYBOARD_NOT_FOUND : CUSTOM_KEYBOARD_OK
        if let old { model[name] = Item(label: next ?? old.label, data: data) }
      case 6...7:
        let isRight = random.next(2) == 0
        let expected = isRight ? old?.data ?? [] : random.bytes(8)
        rv = CustomVault_replaceItem(
          vault, name.service, name.account, expected, expected.count, data, data.count)
        wanted =
          old == nil
          ? CUSTOM_KEYBOARD_NOT_FOUND : expected == old?.data ? CUSTOM_KEYBOARD_OK : CUSTOM_KEYBOARD_MISMATCH
        if let old, expected == old.data { model[name] = Item(label: old.label, data: data) }
      case 8...9:
        rv = CustomVault_deleteItem(vault, name.service, name.account)
        wanted = old == nil ? CUSTOM_KEYBOARD_NOT_FOUND : CUSTOM_KEYBOARD_OK
        model[name] = nil
      case 10:
        #expect(CustomVault_close(vault) == CUSTOM_KEYBOARD_OK)
        rv = CustomVault_open(&vault, folder + "/vault", key, 32)
      default:
        if random.next(4) == 0 {
          key = random.bytes(32)
          rv = CustomVault_changeKey(vault, key, 32)
        }
      }
      try #require(rv == wanted, "step \(step), seed \(seed)")
      if step % 20 == 0 { try #require(contents(of: vault) == expected(model), "step \(step), seed \(seed)") }
    }
    #expect(contents(of: vault) == expected(model), "seed \(seed)")
    #expect(CustomVault_close(vault) == CUSTOM_KEYBOARD_OK)
  }

  /// A line for each item, in the order of the list.
  private func contents(of vault: CUSTOM_VAULT) -> [String] {
    final class Lines { var all: [(String, String, String)] = [] }
    let lines = Lines()
    _ = CustomVault_listItems(
      vault, nil,
      { context, item in
        let lines = Unmanaged<Lines>.fromOpaque(context!).takeUnretainedValue()
        let item = item.pointee
        lines.all.append(
          (String(cString: item.service!), String(cString: item.account!), String(cString: item.label!)))
        return 0
      }, Unmanaged.passUnretained(lines).toOpaque())
    return lines.all.map { service, account, label in
      var data = [UInt8](repeating: 0, count: 4000)
      var count = 0
      let rv = CustomVault_readItem(vault, service, account, &data, data.count, &count)
      return "\(service) \(account) \(label) \(rv.rawValue) \(data[..<count])"
    }
  }

  private func expected(_ model: [Name: Item]) -> [String] {
    model.sorted { ($0.key.service, $0.key.account) < ($1.key.service, $1.key.account) }.map {
      "\($0.key.service) \($0.key.account) \($0.value.label) 0 \($0.value.data[...])"
    }
  }

  /// SplitMix64.
  private struct Numbers {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = state
      word = (word ^ (word >> 30)) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ (word >> 27)) &* 0x94d0_49bb_1331_11eb
      return Int((word ^ (word >> 31)) % UInt64(bound))
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(next(256)) } }
  }
}
