// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

let phones = "customkeyboard-apple"

let package = Package(
  name: "app",
  platforms: [.iOS(.v18)],
  dependencies: [.package(path: "../" + phones)],
  targets: [
    .executableTarget(
      name: "app",
      dependencies: ["CustomKeyboard", "KeyboardVault", "KeyboardFIDO"].map { .product(name: $0, package: phones) },
      path: ".", sources: ["main.swift"])
  ]
)
