// swift-tools-version: 6.2
// SPDX-License-Identifier: Apache-2.0

import PackageDescription

// The sources are built in two ways: as an ordinary package for Swift programs, and as Embedded Swift for C programs,
// which then need no Swift runtime. The Makefile asks for the second with this variable. It is not a package trait,
// because tools that switch every trait on (`swift package dump-symbol-graph`, DocC) could then not read the package.
let isCLibrary = Context.environment["CUSTOM_KEYBOARD_C_LIBRARY"] == "1"

// `make docs` asks for DocC's plug-in. No other build fetches it.
let documentation: [Package.Dependency] =
  Context.environment["CUSTOM_KEYBOARD_DOCS"] == "1"
  ? [.package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0")] : []

let embedded: [SwiftSetting] = isCLibrary ? [.enableExperimentalFeature("Embedded")] : []

/// Compiles a module as a whole in debug builds too: file by file, the compiler crashes on shuffles whose order is an
/// argument. With one thread, the compiler writes an object for each file, as SwiftPM expects in debug builds.
///
/// Naming the feature Embedded under a condition that is never true has the same effect. But SwiftPM then links no C++
/// library into a program that uses this package, and swift-crypto needs one.
let wholeModule: [SwiftSetting] = [
  .unsafeFlags(
    ["-disable-batch-mode", "-whole-module-optimization", "-num-threads", "1"], .when(configuration: .debug))
]
let everyBuild = embedded + [.enableUpcomingFeature("InternalImportsByDefault")]

let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"]))

/// For code that runs once per key press: the C library should be small. Where no comment says otherwise,
/// `@inline(never)` is there so that a function is compiled once, and not into each of its callers. The two passes
/// would copy a function for every closure that is given to it, 3 KB in all.
let withoutCopiesForClosures = ["closure-specialize", "capture-prop"].flatMap { ["-Xllvm", "-sil-disable-pass=" + $0] }
let small = everyBuild + (isCLibrary ? [.unsafeFlags(["-Osize"] + withoutCopiesForClosures)] : [])

/// Loops are not written out turn by turn before LLVM sees them: sixteen calls one after the other, 5 KB in all. Not
/// for small modules that compute with vectors of the standard library, whose operators are loops.
let loopsOnce: [SwiftSetting] = isCLibrary ? [.unsafeFlags(["-Xllvm", "-sil-disable-pass=loop-unroll"])] : []

/// Settings of a module that computes: SM4, GHASH, the curves. Instruction sets are set per module; `-Xarch_…` leaves
/// other processors alone (arm64 has two names, one of them Apple's). Optimised in debug builds too: a shuffle's order
/// must become a constant, and one multiplication on a curve would take 20 ms. No cross-module optimisation: a kernel
/// inlined into its caller would run on processors without its instructions.
///
/// A `small` one has few functions in which time is spent. They say `@_optimize(speed)`, and the C library takes the
/// others small. There a division by a power of two is a division, if it is not written as a shift.
func kernel(x86: [String] = [], arm64: [String] = [], small isSmall: Bool = false) -> [SwiftSetting] {
  let flags =
    x86.flatMap { ["-Xarch_x86_64", $0] } + arm64.flatMap { ["-Xarch_aarch64", $0, "-Xarch_arm64", $0] }
    + (x86 + arm64).prefix(1).map { _ in "-Qunused-arguments" }
  return embedded + wholeModule + [
    .enableExperimentalFeature("BuiltinModule"),
    .unsafeFlags(flags.flatMap { ["-Xcc", $0] } + ["-disable-cmo", isCLibrary && isSmall ? "-Osize" : "-O"]),
  ]
}

// A target's name must be unique among all packages that a program uses, so every name here begins with the library's
// own word: Keyboard.
let package = Package(
  name: "CustomKeyboard",
  products: [
    .library(name: "CustomKeyboard", targets: ["CustomKeyboard"]),
    .library(name: "KeyboardCipher", targets: ["KeyboardCipher"]),
    .library(name: "KeyboardVault", targets: ["KeyboardVault"]),
    .library(name: "KeyboardFIDO", targets: ["KeyboardFIDO"]),
    .library(name: "CustomKeyboardC", type: .static, targets: ["CustomKeyboardC"]),
    .library(name: "CustomVaultC", type: .static, targets: ["CustomVaultC"]),
    .library(name: "CustomFidoC", type: .static, targets: ["CustomFidoC"]),
    .executable(name: "keyboard", targets: ["KeyboardTool"]),
  ],
  traits: [
    .trait(
      name: "Tool", description: "The command-line tool `keyboard`, the only part that needs swift-argument-parser."),
    .default(enabledTraits: ["Tool"]),
  ],
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")] + documentation,
  targets: [
    // C: at the bottom and at the top, nowhere else.
    .systemLibrary(name: "CKeyboardMbedTLS", providers: [.apt(["libmbedtls-dev"])]),
    .systemLibrary(name: "CKeyboardSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CKeyboardPlatform"),
    .target(name: "CKeyboardStack"),
    .systemLibrary(name: "CCustomKeyboard"),
    .systemLibrary(name: "CCustomVault"),
    .systemLibrary(name: "CCustomFido"),

    // What a secret is made of, then what is done with it.
    .target(name: "KeyboardCodes", dependencies: ["CCustomKeyboard"], swiftSettings: small),
    .target(name: "KeyboardText", dependencies: ["CKeyboardPlatform"], swiftSettings: small),
    .target(
      name: "KeyboardMemory",
      dependencies: ["CKeyboardPlatform", "CKeyboardStack", "KeyboardCodes", "KeyboardChaCha20AVX512"],
      exclude: ["AVX512"],
      // Lifetimes: SecretBytes.span.
      swiftSettings: small + ["BuiltinModule", "Lifetimes"].map { .enableExperimentalFeature($0) }),
    .target(
      name: "KeyboardChaCha20AVX512", path: "Sources/KeyboardMemory/AVX512",
      swiftSettings: kernel(x86: ["-mavx512f", "-mprefer-vector-width=512"])),
    .target(
      name: "KeyboardSM4",
      dependencies: [
        "KeyboardSM4Vector", "KeyboardSM4AESNI", "KeyboardSM4GFNI256", "KeyboardSM4GFNI512", "KeyboardSM4Jobs",
        "KeyboardSM4NEON", "KeyboardSM4ARMv8SM4", "KeyboardCodes", "CKeyboardPlatform",
      ],
      exclude: ["Vector", "AESNI", "GFNI256", "GFNI512", "Jobs", "NEON", "ARMv8SM4"],
      swiftSettings: kernel()),
    .target(name: "KeyboardSM4Vector", path: "Sources/KeyboardSM4/Vector", swiftSettings: kernel()),
    .target(
      name: "KeyboardSM4AESNI", dependencies: ["KeyboardSM4Vector"], path: "Sources/KeyboardSM4/AESNI",
      swiftSettings: kernel(x86: ["-maes", "-mavx2", "-mtune=haswell"])),
    .target(
      name: "KeyboardSM4GFNI256", dependencies: ["KeyboardSM4Vector"], path: "Sources/KeyboardSM4/GFNI256",
      swiftSettings: kernel(x86: ["-mgfni", "-mavx2", "-mtune=haswell"])),
    .target(
      name: "KeyboardSM4GFNI512", dependencies: ["KeyboardSM4Vector"], path: "Sources/KeyboardSM4/GFNI512",
      swiftSettings: kernel(x86: ["-mgfni", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mprefer-vector-width=512"])),
    .target(
      name: "KeyboardSM4Jobs", dependencies: ["KeyboardSM4Vector"], path: "Sources/KeyboardSM4/Jobs",
      swiftSettings: kernel(x86: ["-mgfni", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mprefer-vector-width=512"])),
    // armv8-a, not armv8.2-a: that would put atomics that older processors lack into the shared parts of a module.
    .target(
      name: "KeyboardSM4NEON", dependencies: ["KeyboardSM4Vector"], path: "Sources/KeyboardSM4/NEON",
      swiftSettings: kernel(arm64: ["-march=armv8-a+aes"])),
    .target(
      name: "KeyboardSM4ARMv8SM4", dependencies: ["KeyboardSM4Vector"], path: "Sources/KeyboardSM4/ARMv8SM4",
      swiftSettings: kernel(arm64: ["-march=armv8-a+sm4"])),
    .target(
      name: "KeyboardHashes",
      dependencies: [
        "KeyboardArgon2Block", "KeyboardArgon2AVX2", "KeyboardKeccakRounds", "KeyboardKeccakAVX2", "CKeyboardPlatform",
      ],
      exclude: ["Argon2/Block", "Argon2/AVX2", "Keccak/Rounds", "Keccak/AVX2"], swiftSettings: kernel()),
    .target(name: "KeyboardArgon2Block", path: "Sources/KeyboardHashes/Argon2/Block", swiftSettings: kernel()),
    .target(
      name: "KeyboardArgon2AVX2", dependencies: ["KeyboardArgon2Block"], path: "Sources/KeyboardHashes/Argon2/AVX2",
      swiftSettings: kernel(x86: ["-mavx2", "-mtune=haswell"])),
    .target(name: "KeyboardKeccakRounds", path: "Sources/KeyboardHashes/Keccak/Rounds", swiftSettings: kernel()),
    .target(
      name: "KeyboardKeccakAVX2", dependencies: ["KeyboardKeccakRounds"], path: "Sources/KeyboardHashes/Keccak/AVX2",
      swiftSettings: kernel(x86: ["-mavx2", "-mtune=haswell"])),
    .target(
      name: "KeyboardGHASH", dependencies: ["KeyboardGHASHField", "KeyboardGHASHCarryless", "CKeyboardPlatform"],
      exclude: ["Field", "Carryless"], swiftSettings: kernel(small: true)),
    .target(name: "KeyboardGHASHField", path: "Sources/KeyboardGHASH/Field", swiftSettings: kernel(small: true)),
    .target(
      name: "KeyboardGHASHCarryless", dependencies: ["KeyboardGHASHField"], path: "Sources/KeyboardGHASH/Carryless",
      swiftSettings: kernel(x86: ["-mpclmul", "-mavx2"], arm64: ["-march=armv8-a+aes"])),
    .target(
      name: "KeyboardCurves", dependencies: ["KeyboardCurvesIFMA", "CKeyboardPlatform"], exclude: ["IFMA"],
      swiftSettings: kernel() + loopsOnce),
    // No gathering: addresses come from general registers only, where the traces of `make check` see them.
    .target(
      name: "KeyboardCurvesIFMA", path: "Sources/KeyboardCurves/IFMA",
      swiftSettings: kernel(
        x86: ["-mavx512f", "-mavx512ifma", "-mavx512vl", "-mprefer-vector-width=512", "-mno-gather"])),
    .target(
      name: "KeyboardLattice",
      dependencies: [
        "KeyboardLatticeRing", "KeyboardLatticeAVX2", "KeyboardHashes", "KeyboardCurves", "CKeyboardPlatform",
      ],
      exclude: ["Ring", "AVX2"], swiftSettings: kernel()),
    .target(name: "KeyboardLatticeRing", path: "Sources/KeyboardLattice/Ring", swiftSettings: kernel()),
    .target(
      name: "KeyboardLatticeAVX2", dependencies: ["KeyboardLatticeRing"], path: "Sources/KeyboardLattice/AVX2",
      swiftSettings: kernel(x86: ["-mavx2", "-mtune=haswell"])),
    .target(
      name: "KeyboardSHA2", dependencies: ["KeyboardSHA256Instructions", "CKeyboardPlatform"],
      exclude: ["Instructions"], swiftSettings: kernel(small: true)),
    .target(
      name: "KeyboardSHA256Instructions", path: "Sources/KeyboardSHA2/Instructions",
      swiftSettings: kernel(x86: ["-msha", "-msse4.1"])),
    .target(
      name: "KeyboardRSA",
      dependencies: ["KeyboardRSAIFMA", "KeyboardSHA2", "KeyboardMemory", "KeyboardCodes", "CKeyboardPlatform"],
      exclude: ["IFMA"], swiftSettings: kernel(small: true) + [.enableUpcomingFeature("InternalImportsByDefault")]),
    .target(
      name: "KeyboardRSAIFMA", path: "Sources/KeyboardRSA/IFMA",
      swiftSettings: kernel(
        x86: ["-mavx512f", "-mavx512ifma", "-mavx512vl", "-mprefer-vector-width=512", "-mno-gather"]) + loopsOnce),
    .target(
      name: "KeyboardGCM", dependencies: ["KeyboardGHASH", "KeyboardMemory", "CKeyboardMbedTLS"],
      swiftSettings: small, linkerSettings: [.linkedLibrary("mbedcrypto")]),

    .target(
      name: "KeyboardStretching", dependencies: ["KeyboardHashes", "KeyboardMemory", "KeyboardCodes"],
      swiftSettings: small),

    // What happens to a password: rooms that do not know each other.
    .target(
      name: "KeyboardECB",
      dependencies: [
        "KeyboardSM4", "KeyboardMemory", "KeyboardCodes", "CKeyboardMbedTLS", "CKeyboardPlatform",
      ],
      swiftSettings: small + [.enableExperimentalFeature("BuiltinModule")],
      linkerSettings: [.linkedLibrary("mbedcrypto")]),
    .target(
      name: "KeyboardSealing",
      dependencies: [
        "KeyboardCurves", "KeyboardLattice", "KeyboardHashes", "KeyboardSM4", "KeyboardGHASH", "KeyboardGCM",
        "KeyboardRSA", "KeyboardSHA2", "KeyboardMemory", "KeyboardCodes", "CKeyboardMbedTLS",
      ],
      swiftSettings: small),
    .target(
      name: "KeyboardSigning",
      dependencies: [
        "KeyboardCurves", "KeyboardHashes", "KeyboardRSA", "KeyboardSHA2", "KeyboardMemory", "KeyboardCodes",
      ],
      swiftSettings: small + loopsOnce),
    .target(
      name: "KeyboardVerifiers",
      dependencies: [
        "KeyboardStretching", "KeyboardHashes", "KeyboardSHA2", "KeyboardMemory", "KeyboardText", "KeyboardCodes",
      ],
      swiftSettings: small),
    .target(
      name: "KeyboardOPAQUE",
      dependencies: [
        "KeyboardCurves", "KeyboardStretching", "KeyboardHashes", "KeyboardSHA2", "KeyboardMemory", "KeyboardCodes",
      ],
      swiftSettings: small),
    .target(
      name: "KeyboardPIN",
      dependencies: ["KeyboardSHA2", "KeyboardMemory", "KeyboardCodes", "CKeyboardMbedTLS"],
      swiftSettings: small + loopsOnce),
    .target(
      name: "KeyboardCipher",
      dependencies: [
        "KeyboardECB", "KeyboardSealing", "KeyboardSigning", "KeyboardVerifiers", "KeyboardOPAQUE", "KeyboardPIN",
        "KeyboardMemory", "KeyboardCodes",
      ],
      swiftSettings: small),
    // Optimised in debug builds too: its tests check every PIN there is.
    .target(
      name: "KeyboardRules", dependencies: ["KeyboardText", "KeyboardCodes"],
      swiftSettings: small + [.unsafeFlags(["-O"], .when(configuration: .debug))]),
    .target(name: "KeyboardLayout", dependencies: ["KeyboardMemory", "KeyboardCodes"], swiftSettings: small),
    .target(
      name: "CustomKeyboard",
      dependencies: [
        "KeyboardCipher", "KeyboardOPAQUE", "KeyboardPIN", "KeyboardLayout", "KeyboardRules", "KeyboardMemory",
        "KeyboardText", "KeyboardCodes", "CKeyboardPlatform",
      ],
      swiftSettings: small),
    // What a view draws, says and does, without the view: that is in the package for phones.
    .target(
      name: "KeyboardScreen", dependencies: ["CustomKeyboard"],
      swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
    // For all C libraries.
    .target(
      name: "KeyboardArguments",
      dependencies: ["KeyboardMemory", "KeyboardCodes", "CKeyboardStack", "CCustomKeyboard"],
      swiftSettings: small),
    .target(
      name: "CustomKeyboardC",
      dependencies: [
        "CustomKeyboard", "KeyboardArguments", "KeyboardOPAQUE", "KeyboardPIN", "KeyboardLayout", "KeyboardRules",
        "KeyboardMemory", "CKeyboardStack", "CCustomKeyboard",
      ],
      swiftSettings: small),

    // Services use a keyboard only through its header. The C library finds its functions in libcustomkeyboard.so.
    .target(
      name: "KeyboardVault",
      dependencies: [
        "KeyboardGCM", "KeyboardSHA2", "KeyboardMemory", "KeyboardText", "KeyboardCodes", "CKeyboardMbedTLS",
        "CKeyboardSQLite", "CKeyboardPlatform", "CCustomKeyboard",
      ] + (isCLibrary ? [] : ["CustomKeyboardC", "CustomKeyboard"]),
      swiftSettings: small, linkerSettings: [.linkedLibrary("mbedcrypto"), .linkedLibrary("sqlite3")]),
    .target(
      name: "CustomVaultC",
      dependencies: [
        "KeyboardVault", "KeyboardArguments", "KeyboardMemory", "KeyboardCodes", "CKeyboardStack", "CCustomVault",
        "CCustomKeyboard",
      ],
      swiftSettings: small),

    .target(
      name: "KeyboardFIDO",
      dependencies: [
        "KeyboardSigning", "KeyboardSHA2", "KeyboardMemory", "KeyboardText", "KeyboardCodes", "CKeyboardMbedTLS",
        "CKeyboardPlatform", "CCustomFido", "CCustomVault", "CCustomKeyboard",
      ] + (isCLibrary ? [] : ["CustomVaultC", "KeyboardVault", "CustomKeyboard"]),
      swiftSettings: small, linkerSettings: [.linkedLibrary("mbedcrypto")]),
    .target(
      name: "CustomFidoC",
      dependencies: [
        "KeyboardFIDO", "KeyboardArguments", "KeyboardMemory", "KeyboardText", "KeyboardCodes", "CKeyboardPlatform",
        "CKeyboardStack", "CCustomFido", "CCustomVault", "CCustomKeyboard",
      ],
      swiftSettings: small),

    // The tool: what it is made of, in folders of its own.
    .target(
      name: "KeyboardTerminal", dependencies: ["CustomKeyboard", "KeyboardMemory", "KeyboardText"],
      path: "Sources/KeyboardTool", sources: ["Terminal", "Secrets", "Failure.swift"]),
    .target(
      name: "KeyboardKeys",
      dependencies: [
        "KeyboardTerminal", "CustomKeyboard", "KeyboardCipher", "KeyboardMemory", "KeyboardText", argumentParser,
      ],
      path: "Sources/KeyboardTool", sources: ["Keys"]),
    .executableTarget(
      name: "KeyboardTool",
      dependencies: [
        "KeyboardKeys", "KeyboardTerminal", "CustomKeyboard", "KeyboardVault", "KeyboardFIDO", "KeyboardCipher",
        "KeyboardLayout", "KeyboardSHA2", "KeyboardMemory", "KeyboardText", "CCustomKeyboard", argumentParser,
      ],
      exclude: ["Terminal", "Secrets", "Failure.swift", "Keys"],
      // As for the C library: lazy binding would save vector registers, and what is in them, to the stack.
      linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))]),

    // Swift tests run on the ordinary build; the C programs of Tests/C run on the other.
    .testTarget(
      name: "KeyboardSM4Tests",
      dependencies: ["KeyboardSM4", "KeyboardSM4Vector", "KeyboardCodes", "KeyboardTestSupport"],
      path: "Tests/Swift/KeyboardSM4Tests",
      swiftSettings: [.enableExperimentalFeature("BuiltinModule")]),
    .testTarget(
      name: "KeyboardCurvesTests", dependencies: ["KeyboardCurves", "KeyboardSHA2", "KeyboardTestSupport"],
      path: "Tests/Swift/KeyboardCurvesTests"),
    // For tests only: what several of them need, and a library that they compare Argon2id with.
    .target(
      name: "KeyboardTestSupport", dependencies: ["KeyboardText"], path: "Tests/Swift/KeyboardTestSupport",
      swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault")]),
    .systemLibrary(name: "CKeyboardArgon2", path: "Tests/Swift/CKeyboardArgon2", providers: [.apt(["libargon2-dev"])]),
    .testTarget(
      name: "KeyboardHashesTests",
      dependencies: ["KeyboardHashes", "KeyboardSHA2", "KeyboardTestSupport", "CKeyboardArgon2"],
      path: "Tests/Swift/KeyboardHashesTests"),
    .testTarget(
      name: "KeyboardLatticeTests",
      dependencies: ["KeyboardLattice", "KeyboardLatticeRing", "KeyboardHashes", "KeyboardTestSupport"],
      path: "Tests/Swift/KeyboardLatticeTests"),
    // X-Wing for programs in other languages, which compare it with theirs.
    .executableTarget(
      name: "KeyboardLatticePeer", dependencies: ["KeyboardLattice"], path: "Tests/Swift/KeyboardLatticePeer"),
    .testTarget(
      name: "KeyboardGHASHTests", dependencies: ["KeyboardGHASH", "KeyboardTestSupport"],
      path: "Tests/Swift/KeyboardGHASHTests"),
    .testTarget(
      name: "KeyboardCodesTests", dependencies: ["KeyboardCodes", "CCustomKeyboard"],
      path: "Tests/Swift/KeyboardCodesTests"),
    .testTarget(
      name: "KeyboardTextTests", dependencies: ["KeyboardText", "KeyboardTestSupport"],
      path: "Tests/Swift/KeyboardTextTests"),
    .testTarget(
      name: "KeyboardMemoryTests", dependencies: ["KeyboardMemory", "KeyboardCodes"],
      path: "Tests/Swift/KeyboardMemoryTests"),
    .testTarget(
      name: "KeyboardCipherTests",
      dependencies: [
        "KeyboardCipher", "KeyboardECB", "KeyboardSealing", "KeyboardSigning", "KeyboardVerifiers", "KeyboardRSA",
        "KeyboardRSAIFMA", "KeyboardGCM", "KeyboardSHA2", "KeyboardHashes", "KeyboardMemory", "KeyboardCodes",
        "KeyboardSM4", "KeyboardTestSupport", "CKeyboardArgon2",
      ],
      path: "Tests/Swift/KeyboardCipherTests"),
    .testTarget(
      name: "KeyboardOPAQUETests",
      dependencies: [
        "KeyboardOPAQUE", "KeyboardCurves", "KeyboardHashes", "KeyboardSHA2", "KeyboardMemory", "KeyboardCodes",
        "KeyboardTestSupport",
      ],
      path: "Tests/Swift/KeyboardOPAQUETests"),
    .testTarget(
      name: "KeyboardRulesTests", dependencies: ["KeyboardRules", "KeyboardCodes", "CCustomKeyboard"],
      path: "Tests/Swift/KeyboardRulesTests"),
    .testTarget(
      name: "KeyboardLayoutTests", dependencies: ["KeyboardLayout", "KeyboardMemory", "KeyboardCodes"],
      path: "Tests/Swift/KeyboardLayoutTests"),
    .testTarget(
      name: "CustomKeyboardTests",
      dependencies: ["CustomKeyboard", "KeyboardSealing", "KeyboardPIN", "KeyboardMemory"],
      path: "Tests/Swift/CustomKeyboardTests"),
    .testTarget(
      name: "KeyboardScreenTests", dependencies: ["KeyboardScreen", "CustomKeyboard"],
      path: "Tests/Swift/KeyboardScreenTests"),
    .testTarget(
      name: "CustomKeyboardCTests", dependencies: ["CustomKeyboardC", "CustomKeyboard", "CCustomKeyboard"],
      path: "Tests/Swift/CustomKeyboardCTests"),
    .testTarget(
      name: "KeyboardVaultTests", dependencies: ["KeyboardVault", "CustomKeyboard"],
      path: "Tests/Swift/KeyboardVaultTests"),
    .testTarget(
      name: "KeyboardFIDOTests",
      dependencies: [
        "KeyboardFIDO", "KeyboardVault", "CustomKeyboard", "KeyboardText", "KeyboardTestSupport", "CCustomFido",
      ],
      path: "Tests/Swift/KeyboardFIDOTests"),
  ]
)
