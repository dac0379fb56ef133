// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The fuzzers: a package of its own, so that the library's users never see it. Tests/Check/fuzz.sh builds and runs it,
// and says how; it is of no use without the flags that are given there.

/// A program whose `main` is libFuzzer's. It holds one function, in the folder of its name.
func fuzzer(_ name: String) -> Target {
  .executableTarget(name: "fuzz-" + name, dependencies: ["Harness"], path: "Sources/" + name)
}

let package = Package(
  name: "Fuzz",
  dependencies: [.package(name: "CustomKeyboard", path: "../..", traits: [])],
  targets: [
    // Without edge counters: what the fuzzers explore, and what their figures tell of, is the library.
    .target(
      name: "Harness", dependencies: [.product(name: "CustomKeyboardC", package: "CustomKeyboard")],
      swiftSettings: [.unsafeFlags(["-Xfrontend", "-sanitize=address"])]),
    fuzzer("decrypt"),
    fuzzer("decryptBatch"),
    fuzzer("input"),
    fuzzer("touch"),
    fuzzer("state"),
  ]
)
