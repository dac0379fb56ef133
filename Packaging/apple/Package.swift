// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// `make swift-package` puts this together. The sources are those of the library's own package, above the C header: what
// is below is in the framework. Tests on Linux take the C library that is installed there.
let isTest = Context.environment["CUSTOM_KEYBOARD_TEST"] == "1"

let library: [Target] =
  isTest
  ? [.systemLibrary(name: "CCustomKeyboard", path: "Tests/CCustomKeyboard")]
  : [.binaryTarget(name: "CCustomKeyboard", path: "CCustomKeyboard.xcframework")]
let tests: [Target] =
  isTest
  ? [
    .testTarget(
      name: "CustomKeyboardTests", dependencies: ["CustomKeyboard", "CCustomKeyboard"],
      path: "Tests/Swift/CustomKeyboardTests"),
    .testTarget(
      name: "KeyboardScreenTests", dependencies: ["KeyboardScreen", "CustomKeyboard"],
      path: "Tests/Swift/KeyboardScreenTests"),
  ] : []

let settings: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

let package = Package(
  name: "customkeyboard-apple",
  platforms: [.iOS(.v18)],
  products: [
    .library(name: "CustomKeyboard", targets: ["CustomKeyboard"]),
    .library(name: "CustomKeyboardUI", targets: ["CustomKeyboardUI"]),
  ],
  targets: library + tests + [
    .systemLibrary(name: "CKeyboardPlatform"),
    .target(name: "KeyboardCodes", dependencies: ["CCustomKeyboard"], swiftSettings: settings),
    .target(name: "KeyboardText", dependencies: ["CKeyboardPlatform"], swiftSettings: settings),
    .target(
      name: "KeyboardMemory", dependencies: ["KeyboardCodes", "CKeyboardPlatform"],
      swiftSettings: settings + [.enableExperimentalFeature("Lifetimes")]),
    .target(name: "KeyboardCipher", dependencies: ["KeyboardMemory"], swiftSettings: settings),
    .target(name: "KeyboardLayout", dependencies: ["CCustomKeyboard"], swiftSettings: settings),
    .target(name: "KeyboardRules", swiftSettings: settings),
    .target(
      name: "CustomKeyboard",
      dependencies: [
        "KeyboardCipher", "KeyboardLayout", "KeyboardRules", "KeyboardMemory", "KeyboardText", "KeyboardCodes",
        "CCustomKeyboard",
      ],
      swiftSettings: settings),
    .target(name: "KeyboardScreen", dependencies: ["CustomKeyboard"], swiftSettings: settings),
    .target(
      name: "CustomKeyboardUI", dependencies: ["KeyboardScreen", "CustomKeyboard"], swiftSettings: settings),
  ]
)
