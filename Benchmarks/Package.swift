// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PackageDescription

// Compares the library with what a user would choose instead. A package of its own, so that the library's users never
// fetch, install or build what only a comparison needs. `make bench` in the folder above installs the peers and runs
// it.

// Measures the C library as it is installed, not a separate build of its sources.
let stage = Context.packageDirectory + "/../build/stage"

// The names of Botan's folder and library contain its version: 2 in Debian 12 and Ubuntu 24.04, 3 in Debian 13.
let botan = FileManager.default.fileExists(atPath: "/usr/include/botan-2") ? "botan-2" : "botan-3"

let package = Package(
  name: "Benchmarks",
  targets: [
    // The library, and the peers from Debian packages.
    .systemLibrary(name: "CCustomKeyboard"),
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CGcrypt", providers: [.apt(["libgcrypt20-dev"])]),
    .systemLibrary(name: "CBotan", providers: [.apt(["libbotan-2-dev"])]),
    .systemLibrary(name: "CMbedTLS", providers: [.apt(["libmbedtls-dev"])]),
    .systemLibrary(name: "CArgon2", providers: [.apt(["libargon2-dev"])]),

    // What Swift has no functions for: the processor's clock, its caches, and on which processor a thread runs.
    .target(name: "CMachine"),

    // Sealed texts and signatures as OpenSSL and mbedTLS make them, in C, as their users write it.
    .target(name: "CSealedPeers"),

    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CCustomKeyboard", "COpenSSL", "CGcrypt", "CBotan", "CMbedTLS", "CArgon2", "CMachine", "CSealedPeers",
      ],
      swiftSettings: [.unsafeFlags(["-Xcc", "-I" + stage + "/include", "-Xcc", "-I/usr/include/" + botan])],
      linkerSettings: [
        .linkedLibrary(botan),
        .unsafeFlags(["-L" + stage + "/lib", "-Xlinker", "-rpath", "-Xlinker", stage + "/lib"]),
      ]),
  ]
)
