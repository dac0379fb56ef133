// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// An example server. A package of its own, so that the library's users never fetch or build what only a server needs.
// `make bank` in the folder above the last builds and starts it.
let package = Package(
  name: "Bank",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "bank", targets: ["Bank"])],
  dependencies: [
    // Your package names a repository and a version instead of a path.
    .package(name: "CustomKeyboard", path: "../..", traits: []),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(name: "CBankSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CBankPostgreSQL", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    .systemLibrary(name: "CBankSystem"),
    .systemLibrary(name: "CBankMbedTLS", providers: [.apt(["libmbedtls-dev"])]),
    .executableTarget(
      name: "Bank",
      dependencies: [
        "CBankSQLite", "CBankPostgreSQL", "CBankMbedTLS", "CBankSystem",
        .product(name: "CustomKeyboard", package: "CustomKeyboard"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOPosix", package: "swift-nio"),
        .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),
  ],
  swiftLanguageModes: [.v6])
