// An app as it is released: optimised, and the compiler takes parts of the package into it. What is private there may
// not be found from here.
// SPDX-License-Identifier: Apache-2.0

import CustomKeyboard
import KeyboardFIDO
import KeyboardVault

func run(path: String) throws {
  let keyboard = try Keyboard()
  try keyboard.open()
  try keyboard.input(ContiguousArray("483725".utf8).span)
  print(try keyboard.seal(for: .x25519([9] + Array(repeating: 0, count: 31)), context: [1]).bytes.count)

  let registration = try keyboard.beginRegistration()
  do { print(try registration.finish(with: [UInt8](repeating: 0, count: 64)).record.count) } catch { print(error.code) }
  let login = try keyboard.beginLogin()
  do { print(try login.finish(with: []).ke3.count) } catch { print(error.code) }
  print(try keyboard.beginLogin().ke1.count)

  let key = try SecretBytes(copying: ContiguousArray(0..<32).span)
  let vault = try Vault(path: path, key: key.span)
  try vault.setPasscode("app", typedOn: keyboard)
  switch try vault.checkPasscode("app", typedOn: keyboard) {
  case .right(let key): print(key.count)
  default: print("wrong")
  }
  let client = try FIDOClient(vault: vault, facetID: "ios:bundle-id:com.example.bank")
  print(try client.token()?.count ?? 0)
}

try run(path: CommandLine.arguments[1])
