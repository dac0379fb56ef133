// The library's four paths of SM4. It chooses the best one that the processor has; CUSTOM_KEYBOARD_SM4 forces a slower
// one. The variable is read once per process, so every path is measured in its own process.
// SPDX-License-Identifier: Apache-2.0

import Foundation

enum SM4Path: String, Codable, CaseIterable, Comparable {
  case portable, aesni, gfni256, gfni512

  static let variable = "CUSTOM_KEYBOARD_SM4"

  var name: String {
    switch self {
    case .portable: "portable"
    case .aesni: "AES-NI"
    case .gfni256: "GFNI+AVX2"
    case .gfni512: "GFNI+AVX-512"
    }
  }

  /// Argon2id's path beside this one.
  var argon2Name: String { self == .portable ? "portable" : "AVX2" }

  /// The processor features that Linux must report for this path.
  private var features: Set<String> {
    switch self {
    case .portable: []
    case .aesni: ["aes", "avx2"]
    case .gfni256: ["gfni", "avx2"]
    case .gfni512: ["gfni", "avx512f", "avx512bw", "avx512vl"]
    }
  }

  static func < (a: SM4Path, b: SM4Path) -> Bool { allCases.firstIndex(of: a)! < allCases.firstIndex(of: b)! }

  /// The paths that this processor has, slowest first.
  static let available: [SM4Path] = {
    let features = Set(Processor.field("flags").split(separator: " ").map(String.init))
    return allCases.filter { $0.features.isSubset(of: features) }
  }()
}

enum Processor {
  /// A field of the first processor in /proc/cpuinfo.
  static func field(_ name: String) -> String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      if parts.first == name { return parts.count > 1 ? parts[1] : "" }
    }
    return ""
  }

  static var name: String {
    let name = field("model name")
    return name.isEmpty ? "unknown processor" : name
  }
}
