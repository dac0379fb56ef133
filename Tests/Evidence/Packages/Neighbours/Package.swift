// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A server's package: the keyboard together with swift-system, swift-nio and swift-crypto, as most servers have them.
// Target names must be unique among all of these packages. Tests/Evidence/packages.sh builds and runs it.
let package = Package(
  name: "Neighbours",
  dependencies: [
    .package(name: "CustomKeyboard", path: "../../../.."),
    .package(url: "https://github.com/apple/swift-system", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.81.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0"),
  ],
  targets: [
    .executableTarget(
      name: "neighbours",
      dependencies: [
        .product(name: "CustomKeyboard", package: "CustomKeyboard"),
        .product(name: "SystemPackage", package: "swift-system"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "Crypto", package: "swift-crypto"),
      ])
  ])
