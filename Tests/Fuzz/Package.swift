// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The fuzzers are a package of their own, so that the library's users never see it. Tests/Evidence/fuzz.sh builds and
// runs it; without the flags given there it is of no use.

/// A program whose `main` is libFuzzer's. It has one function, in the folder with its name.
func fuzzer(_ name: String, _ others: Target.Dependency...) -> Target {
  .executableTarget(name: "fuzz-" + name, dependencies: ["Harness"] + others, path: "Sources/" + name)
}

/// The library's own package name, as SwiftPM makes it of the folder's: a program that is given it may use what is
/// declared `package`.
let library = Context.packageDirectory.split(separator: "/").dropLast(2).last!.lowercased()
  .map { $0.isLetter || $0.isNumber ? $0 : "_" }

let insider: [SwiftSetting] = [.unsafeFlags(["-package-name", String(library)])]

func inside(_ name: String, _ others: Target.Dependency...) -> Target {
  .executableTarget(
    name: "fuzz-" + name, dependencies: ["Harness"] + others, path: "Sources/" + name, packageAccess: false,
    swiftSettings: insider)
}

let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "CustomKeyboard", path: "../..", traits: [])],
  targets: [
    // Without edge counters, so that the fuzzers explore and count only the library.
    .target(
      name: "Harness", dependencies: [.product(name: "CustomKeyboardC", package: "CustomKeyboard")],
      swiftSettings: [.unsafeFlags(["-Xfrontend", "-sanitize=address"])]),
    fuzzer("decrypt"),
    fuzzer("decryptBatch"),
    fuzzer("input"),
    fuzzer("touch"),
    fuzzer("sealed"),
    fuzzer("opaque"),
    fuzzer("state"),
    fuzzer("vault", .product(name: "CustomVaultC", package: "CustomKeyboard")),
    fuzzer(
      "fido", .product(name: "CustomVaultC", package: "CustomKeyboard"),
      .product(name: "CustomFidoC", package: "CustomKeyboard")),
    // What is declared `package`: verifiers and patterns without a keyboard.
    inside("verifier", .product(name: "KeyboardCipher", package: "CustomKeyboard")),
    inside("pattern", "KeyboardRulesSources"),
    // The patterns are in no product, so the library's sources are compiled once more.
    .target(
      name: "KeyboardRulesSources", dependencies: [.product(name: "CustomKeyboardC", package: "CustomKeyboard")],
      path: "Sources/KeyboardRulesSources", packageAccess: false, swiftSettings: insider),
  ]
)
