// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// `make swift-package` puts this together. The sources are those of the library's own package, above the C header: what
// is below is in the frameworks. Tests on Linux take the C libraries that are installed there.
let isTest = Context.environment["CUSTOM_KEYBOARD_TEST"] == "1"

let libraries: [Target] = ["CCustomKeyboard", "CCustomVault", "CCustomFido"].map { name in
  isTest
    ? .systemLibrary(name: name, path: "Tests/" + name) : .binaryTarget(name: name, path: name + ".xcframework")
}
let tests: [Target] =
  isTest
  ? [
    .testTarget(
      name: "CustomKeyboardTests", dependencies: ["CustomKeyboard", "CCustomKeyboard"],
      path: "Tests/Swift/CustomKeyboardTests"),
    .testTarget(
      name: "KeyboardScreenTests", dependencies: ["KeyboardScreen", "CustomKeyboard"],
      path: "Tests/Swift/KeyboardScreenTests"),
    .testTarget(
      name: "KeyboardVaultTests", dependencies: ["KeyboardVault", "CustomKeyboard"],
      path: "Tests/Swift/KeyboardVaultTests"),
    .testTarget(
      name: "KeyboardFIDOTests", dependencies: ["KeyboardFIDO", "KeyboardVault", "CustomKeyboard", "CCustomFido"],
      path: "Tests/Swift/KeyboardFIDOTests"),
  ] : []

let settings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

let package = Package(
  name: "customkeyboard-apple",
  platforms: [.iOS(.v18)],
  products: [
    .library(name: "CustomKeyboard", targets: ["CustomKeyboard"]),
    .library(name: "CustomKeyboardUI", targets: ["CustomKeyboardUI"]),
    .library(name: "KeyboardVault", targets: ["KeyboardVault"]),
    .library(name: "KeyboardFIDO", targets: ["KeyboardFIDO"]),
  ],
  targets: libraries + tests + [
    .systemLibrary(name: "CKeyboardPlatform"),
    .target(name: "KeyboardCodes", dependencies: ["CCustomKeyboard"], swiftSettings: settings),
    .target(name: "KeyboardText", dependencies: ["CKeyboardPlatform"], swiftSettings: settings),
    .target(
      name: "KeyboardMemory", dependencies: ["KeyboardCodes", "CKeyboardPlatform"],
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "KeyboardCipher", dependencies: ["KeyboardOPAQUE", "KeyboardMemory"], swiftSettings: settings),
    .target(name: "KeyboardLayout", dependencies: ["CCustomKeyboard"], swiftSettings: settings),
    .target(name: "KeyboardRules", swiftSettings: settings),
    // Of OPAQUE the client's terms, and what a guess costs: Argon2id itself is in the framework.
    .target(name: "KeyboardHashes", swiftSettings: settings),
    .target(name: "KeyboardStretching", dependencies: ["KeyboardHashes", "KeyboardCodes"], swiftSettings: settings),
    .target(
      name: "KeyboardOPAQUE",
      dependencies: ["KeyboardStretching", "KeyboardHashes", "KeyboardMemory", "KeyboardCodes", "CCustomKeyboard"],
      swiftSettings: settings),
    .target(
      name: "CustomKeyboard",
      dependencies: [
        "KeyboardCipher", "KeyboardOPAQUE", "KeyboardLayout", "KeyboardRules", "KeyboardMemory", "KeyboardText",
        "KeyboardCodes", "CCustomKeyboard",
      ],
      swiftSettings: settings),
    .target(name: "KeyboardScreen", dependencies: ["CustomKeyboard"], swiftSettings: settings),
    .target(
      name: "CustomKeyboardUI", dependencies: ["KeyboardScreen", "CustomKeyboard"], swiftSettings: settings),
    .target(
      name: "KeyboardVault",
      dependencies: ["CustomKeyboard", "KeyboardMemory", "KeyboardCodes", "CCustomVault", "CCustomKeyboard"],
      swiftSettings: settings),
    .target(
      name: "KeyboardFIDO",
      dependencies: [
        "KeyboardVault", "CustomKeyboard", "KeyboardMemory", "KeyboardCodes", "CCustomFido", "CCustomVault",
        "CCustomKeyboard",
      ],
      swiftSettings: settings),
  ]
)
