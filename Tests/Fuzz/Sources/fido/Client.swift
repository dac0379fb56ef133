// The client that the fuzzer talks to: a vault with a key for each of two appIDs, as it was when the fuzzer began.
// SPDX-License-Identifier: Apache-2.0

import CCustomFido
import CCustomKeyboard
import CCustomVault
import Glibc
import Harness

/// An item of the vault: a key's names, and what is kept of it.
struct Key: Equatable {
  let service: String
  let name: String
  let kind: String
  let data: [UInt8]
}

enum Client {
  static let facet = "ios:bundle-id:com.example.bank"
  static let list = "https://bank.example/facets"
  static let facets = #"{"trustedFacets":[{"version":{"major":1,"minor":0},"ids":["x","\#(facet)"]}]}"#
  /// How the services begin that keys are in: one for each appID.
  static let service = "CustomFido keys 3 "

  static let (vault, fido): (CUSTOM_VAULT, CUSTOM_FIDO) = {
    let place = getenv("FUZZ_FOLDER").map { String(cString: $0) } ?? "/tmp"
    var folder = Array((place + "/fido.XXXXXX").utf8CString)
    guard mkdtemp(&folder) != nil else { complain("there is no folder in \(place)") }
    let path = String(decoding: folder.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/vault"
    let key = Array("the key of the fuzzer's vaults..".utf8)
    var (vault, fido): (CUSTOM_VAULT, CUSTOM_FIDO) = (0, 0)
    guard CustomVault_open(&vault, path, key, key.count) == CUSTOM_KEYBOARD_OK,
      CustomFido_create(&fido, vault, facet) == 0, CustomFido_setAAID(fido, CUSTOM_FIDO_PASSCODE, "C0DE#0001") == 0,
      CustomFido_setAAID(fido, CUSTOM_FIDO_PATTERN, "C0DE#0002") == 0
    else { complain("there is no client") }
    // The library keeps SQLite's memory where the leak sanitizer does not look.
    atexit {
      CustomFido_destroy(Client.fido)
      CustomVault_close(Client.vault)
    }
    return (vault, fido)
  }()

  /// The keys that are registered when the fuzzer begins, the first for the facet, the second for `list`.
  static let keys: [Key] = {
    for appID in ["", list] {
      let request = Template.request("Reg", appID: appID)
      guard begin(Array(request.utf8), facets: facets) == CUSTOM_FIDO_AUTH_READY.rawValue, finish(sets: true) == 0
      else { complain("nothing can be registered") }
    }
    let keys = keysNow()
    guard keys.count == 2 else { complain("there are \(keys.count) keys") }
    let (one, other) = (keys[0].data, Array(list.utf8))
    let isListFirst = one.indices.contains { one[$0...].starts(with: other) }
    return isListFirst ? [keys[1], keys[0]] : keys
  }()

  static func begin(_ request: [UInt8], facets: String?) -> Int32 {
    CustomFido_begin(fido, request.map { CChar(bitPattern: $0) }, request.count, facets, nil)
  }

  private static func typed() -> CUSTOM_KEYBOARD {
    var keyboard: CUSTOM_KEYBOARD = 0
    guard CustomKeyboard_create(&keyboard) == CUSTOM_KEYBOARD_OK, CustomKeyboard_open(keyboard) == CUSTOM_KEYBOARD_OK,
      CustomKeyboard_input(keyboard, Array("4917".utf8), 4) == CUSTOM_KEYBOARD_OK
    else { complain("nothing can be typed") }
    return keyboard
  }

  /// The person types the passcode. It costs as much as thousands of requests.
  static func finish(sets: Bool = false) -> Int32 {
    let (keyboard, again) = (typed(), sets ? typed() : 0)
    defer {
      CustomKeyboard_destroy(keyboard)
      if sets { CustomKeyboard_destroy(again) }
    }
    return CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, "kim", keyboard, again)
  }

  static func resume() -> Int32 {
    let keyboard = typed()
    defer { CustomKeyboard_destroy(keyboard) }
    return CustomFido_resume(fido, CUSTOM_FIDO_PASSCODE, "kim", keyboard, 0)
  }

  // MARK: What is kept

  static func keysNow() -> [Key] {
    final class Names { var all: [(service: String, name: String, kind: String)] = [] }
    let names = Names()
    let code = CustomVault_listItems(
      vault, nil,
      { context, item in
        let item = item.pointee
        Unmanaged<Names>.fromOpaque(context!).takeUnretainedValue().all.append(
          (String(cString: item.service!), String(cString: item.account!), String(cString: item.kind!)))
        return 0
      }, Unmanaged.passUnretained(names).toOpaque())
    expect(code == CUSTOM_KEYBOARD_OK, "listItems answers \(code.rawValue)")
    return names.all.filter { $0.service.hasPrefix(service) }.map { key in
      var (data, count) = ([UInt8](repeating: 0, count: 2048), 0)
      let code = CustomVault_readItem(vault, key.service, key.name, &data, data.count, &count)
      expect(code == CUSTOM_KEYBOARD_OK, "readItem answers \(code.rawValue)")
      return Key(service: key.service, name: key.name, kind: key.kind, data: Array(data[..<count]))
    }
  }

  /// Puts the keys back, after a run that may have changed them.
  static func restore() {
    for key in keysNow() where !keys.contains(key) { CustomVault_deleteItem(vault, key.service, key.name) }
    let left = keysNow()
    for key in keys where !left.contains(key) {
      let code = CustomVault_addItem(vault, key.service, key.name, nil, key.kind, key.data, key.data.count)
      expect(code == CUSTOM_KEYBOARD_OK, "addItem answers \(code.rawValue)")
    }
  }

  /// Complains if a request waits, or an answer is there.
  static func expectNothingWaits(_ result: Int32) {
    var (each, count, text) = (CUSTOM_FIDO_PASSCODE, 0, [CChar](repeating: 0, count: 16))
    let none = Int32(CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST.rawValue)
    expect(CustomFido_choices(fido, &each, 1, &count) == none, "after \(result) there are choices")
    expect(CustomFido_transaction(fido, &text, 16, &count) == none, "after \(result) there is a transaction")
    expect(CustomFido_response(fido, &text, 16, &count) == none, "after \(result) there is an answer")
    expect(
      CustomFido_finish(fido, CUSTOM_FIDO_PASSCODE, nil, 0, 0) == none, "after \(result) a request can be finished")
  }

  /// Complains unless a person can agree to the request that waits.
  static func expectRequestWaits() {
    var each = [CUSTOM_FIDO_PASSCODE, CUSTOM_FIDO_PASSCODE]
    var (count, length, text) = (0, 0, [CChar](repeating: 0, count: 1024))
    expect(CustomFido_choices(fido, &each, 2, &count) == 0 && (1...2).contains(count), "there are \(count) choices")
    expect(CustomFido_transaction(fido, &text, text.count, &length) == 0, "there is no transaction")
    expect(length <= 800 && !text[..<length].contains(0) && text[length] == 0, "a transaction of \(length) bytes")
    let shown = text[..<length].map { UInt8(bitPattern: $0) }
    expect(String(validating: shown, as: UTF8.self) != nil, "a transaction that is not text")
    let response = CustomFido_response(fido, &text, text.count, &length)
    expect(response == CUSTOM_FIDO_AUTH_REQUEST_NOT_EXIST.rawValue, "there is an answer before anyone agreed")
  }
}
