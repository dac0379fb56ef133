// swift-tools-version: 6.2
import PackageDescription

// Two builds of the same sources: as it stands for Swift users, and with the trait `NoRuntime` as Embedded Swift for
// C users (see the Makefile), who then carry no Swift runtime.
let everyBuild: [SwiftSetting] = [
  .enableExperimentalFeature("Embedded", .when(traits: ["NoRuntime"]))
]

let package = Package(
  name: "CustomKeyboard",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "CustomKeyboard", targets: ["CustomKeyboard"]),
    .library(name: "KeyboardCipher", targets: ["KeyboardCipher"]),
    .library(name: "CustomKeyboardC", type: .static, targets: ["CustomKeyboardC"]),
  ],
  traits: [
    .trait(name: "NoRuntime", description: "Compile as Embedded Swift: the C library then needs no Swift runtime.")
  ],
  targets: [
    .systemLibrary(name: "CMbedTLS", providers: [.apt(["libmbedtls-dev"]), .brew(["mbedtls@3"])]),
    .target(name: "SM4", swiftSettings: everyBuild + [.enableExperimentalFeature("BuiltinModule")]),
  ]
)
