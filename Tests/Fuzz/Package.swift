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
    fuzzer("state"),
    fuzzer("vault", .product(name: "CustomVaultC", package: "CustomKeyboard")),
    fuzzer(
      "fido", .product(name: "CustomVaultC", package: "CustomKeyboard"),
      .product(name: "CustomFidoC", package: "CustomKeyboard")),
    // Verifiers have no function in C yet.
    .executableTarget(
      name: "fuzz-verifier", dependencies: ["Harness", .product(name: "KeyboardCipher", package: "CustomKeyboard")],
      path: "Sources/verifier", packageAccess: false,
      swiftSettings: [.unsafeFlags(["-package-name", String(library)])]),
    // No C function leads to the patterns yet, so the library's sources are compiled once more, as a part of this
    // package.
    .target(
      name: "KeyboardRulesSources", dependencies: [.product(name: "CustomKeyboardC", package: "CustomKeyboard")],
      path: "Sources/KeyboardRulesSources"),
    fuzzer("pattern", "KeyboardRulesSources"),
  ]
)
