// swift-tools-version: 6.2
import PackageDescription

// Two builds of the same sources: as it stands for Swift users, and with the trait `NoRuntime` as Embedded Swift for
// C users (see the Makefile), who then carry no Swift runtime.
let embedded: SwiftSetting = .enableExperimentalFeature("Embedded", .when(traits: ["NoRuntime"]))
let everyBuild = [embedded, .enableUpcomingFeature("InternalImportsByDefault")]

/// For what is done once a key press: the C library is to be small.
let small = everyBuild + [.unsafeFlags(["-Osize"], .when(traits: ["NoRuntime"]))]

/// SM4's kernels need their own instruction set each, and those are set for a module. `-Xarch_…` leaves every other
/// processor alone (arm64 has two names, one of them Apple's). Optimised in debug builds too, since a shuffle's order must
/// become a constant; and not across modules, since a kernel inlined into its caller would run on any processor.
func kernel(x86: [String] = [], arm64: [String] = []) -> [SwiftSetting] {
  let flags =
    x86.flatMap { ["-Xarch_x86_64", $0] } + arm64.flatMap { ["-Xarch_aarch64", $0, "-Xarch_arm64", $0] }
    + (x86 + arm64).prefix(1).map { _ in "-Qunused-arguments" }
  return [
    embedded, .enableExperimentalFeature("BuiltinModule"),
    .unsafeFlags(flags.flatMap { ["-Xcc", $0] } + ["-disable-cmo", "-O"]),
  ]
}

// Debian's mbedTLS 2.28 ships no pkg-config file and needs none; Homebrew's stands outside the compiler's usual path.
#if os(macOS)
  let mbedTLSPkgConfig: String? = "mbedcrypto"
#else
  let mbedTLSPkgConfig: String? = nil
#endif

let package = Package(
  name: "CustomKeyboard",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "CustomKeyboard", targets: ["CustomKeyboard"]),
    .library(name: "KeyboardCipher", targets: ["KeyboardCipher"]),
    .library(name: "CustomKeyboardC", type: .static, targets: ["CustomKeyboardC"]),
    .executable(name: "keyboard", targets: ["keyboard"]),
  ],
  traits: [
    .trait(name: "NoRuntime", description: "Compile as Embedded Swift: the C library then needs no Swift runtime."),
    .trait(name: "Tool", description: "The command-line tool `keyboard`, the only one to need swift-argument-parser."),
    .default(enabledTraits: ["Tool"]),
  ],
  dependencies: [.package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")],
  targets: [
    // C, at the very bottom and the very top.
    .systemLibrary(
      name: "CMbedTLS", pkgConfig: mbedTLSPkgConfig, providers: [.apt(["libmbedtls-dev"]), .brew(["mbedtls@3"])]),
    .systemLibrary(name: "CSystem"),
    .target(name: "CCustomKeyboard", path: "Include", publicHeadersPath: "."),

    // What a secret is made of, then what is done with it.
    .target(
      name: "SM4",
      dependencies: [
        "SM4Vector", "SM4ExtendedControl", "SM4AESNI", "SM4GFNI256", "SM4GFNI512", "SM4NEON", "SM4ARMv8SM4", "CSystem",
      ],
      exclude: ["Vector", "Processor", "AESNI", "GFNI256", "GFNI512", "NEON", "ARMv8SM4"],
      swiftSettings: kernel()),
    .target(name: "SM4Vector", path: "Sources/SM4/Vector", swiftSettings: kernel()),
    .target(name: "SM4ExtendedControl", path: "Sources/SM4/Processor", swiftSettings: kernel(x86: ["-mxsave"])),
    .target(
      name: "SM4AESNI", dependencies: ["SM4Vector"], path: "Sources/SM4/AESNI",
      swiftSettings: kernel(x86: ["-maes", "-mavx2", "-mtune=haswell"])),
    .target(
      name: "SM4GFNI256", dependencies: ["SM4Vector"], path: "Sources/SM4/GFNI256",
      swiftSettings: kernel(x86: ["-mgfni", "-mavx2", "-mtune=haswell"])),
    .target(
      name: "SM4GFNI512", dependencies: ["SM4Vector"], path: "Sources/SM4/GFNI512",
      swiftSettings: kernel(x86: ["-mgfni", "-mavx512f", "-mavx512bw", "-mavx512vl", "-mprefer-vector-width=512"])),
    // armv8-a, not armv8.2-a: that would put atomics into the shared parts of a module that older processors lack.
    .target(
      name: "SM4NEON", dependencies: ["SM4Vector"], path: "Sources/SM4/NEON",
      swiftSettings: kernel(arm64: ["-march=armv8-a+aes"])),
    .target(
      name: "SM4ARMv8SM4", dependencies: ["SM4Vector"], path: "Sources/SM4/ARMv8SM4",
      swiftSettings: kernel(arm64: ["-march=armv8-a+sm4"])),
    .target(name: "KeyboardCodes", dependencies: ["CCustomKeyboard"], swiftSettings: small),
    .target(
      name: "KeyboardMemory", dependencies: ["CMbedTLS", "KeyboardCodes"],
      swiftSettings: small + [.enableExperimentalFeature("BuiltinModule")]),
    .target(
      name: "KeyboardCipher", dependencies: ["SM4", "SM4Vector", "KeyboardMemory", "KeyboardCodes", "CMbedTLS"],
      swiftSettings: small + [.enableExperimentalFeature("BuiltinModule")],
      linkerSettings: [.linkedLibrary("mbedcrypto")]),
    .target(name: "KeyboardLayout", dependencies: ["KeyboardMemory", "KeyboardCodes"], swiftSettings: small),
    .target(
      name: "CustomKeyboard",
      dependencies: ["KeyboardCipher", "KeyboardLayout", "KeyboardMemory", "KeyboardCodes", "CMbedTLS"],
      swiftSettings: small),
    .target(
      name: "CustomKeyboardC", dependencies: ["CustomKeyboard", "KeyboardLayout", "KeyboardMemory", "CCustomKeyboard"],
      swiftSettings: small),

    .executableTarget(
      name: "keyboard",
      dependencies: [
        "CustomKeyboard", "KeyboardLayout", "KeyboardMemory", "CCustomKeyboard",
        .product(
          name: "ArgumentParser", package: "swift-argument-parser", condition: .when(traits: ["Tool"])),
      ],
      exclude: ["Pictures"],
      // As for the C library: lazy binding would save vector registers, and what is in them, to the stack.
      linkerSettings: [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"], .when(platforms: [.linux]))]),

    // Swift tests run on the ordinary build; Tests/CClient holds the C programs, which run on the other.
    .testTarget(
      name: "SM4Tests", dependencies: ["SM4", "SM4Vector"],
      swiftSettings: [.enableExperimentalFeature("BuiltinModule")]),
    .testTarget(name: "KeyboardCodesTests", dependencies: ["KeyboardCodes", "CCustomKeyboard"]),
    .testTarget(name: "KeyboardMemoryTests", dependencies: ["KeyboardMemory"]),
    .testTarget(name: "KeyboardCipherTests", dependencies: ["KeyboardCipher", "KeyboardMemory"]),
    .testTarget(
      name: "KeyboardLayoutTests", dependencies: ["KeyboardLayout", "KeyboardMemory", "KeyboardCodes"]),
    .testTarget(name: "CustomKeyboardTests", dependencies: ["CustomKeyboard", "KeyboardMemory"]),
    .testTarget(name: "CustomKeyboardCTests", dependencies: ["CustomKeyboardC", "CustomKeyboard", "CCustomKeyboard"]),
  ]
)
