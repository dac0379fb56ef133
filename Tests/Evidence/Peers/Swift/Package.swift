// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// swift-crypto as a peer of sealed texts. Tests/Evidence/peers.sh copies the package into the build directory and puts
// the recipe of Docs/SealedTexts.md beside main.swift.
let package = Package(
  name: "Peer",
  dependencies: [.package(url: "https://github.com/apple/swift-crypto", "3.12.0"..<"5.0.0")],
  targets: [
    .executableTarget(name: "peer", dependencies: [.product(name: "Crypto", package: "swift-crypto")])
  ])
