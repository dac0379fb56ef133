// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// Your package names a repository and a version instead of a path.
let package = Package(
  name: "swift-pin",
  dependencies: [.package(name: "CustomKeyboard", path: "../..", traits: [])],
  targets: [
    .executableTarget(name: "pin", dependencies: [.product(name: "CustomKeyboard", package: "CustomKeyboard")])
  ],
  swiftLanguageModes: [.v6])
