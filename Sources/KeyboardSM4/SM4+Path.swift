// Which of the implementations runs: decided once, by the processor and the operating system.
//
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import Synchronization

extension SM4 {
  /// The implementations, each faster than those before it, and with more needs. The integers are those of
  /// `processor.h`.
  enum Path: UInt8, CaseIterable, Comparable {
    case portable = 1
    #if arch(x86_64)
      case aesni, gfni256, gfni512
    #elseif arch(arm64)
      case neon, armv8sm4
    #endif

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
}

extension SM4.Path {
  /// The path that `SM4` takes: the best that runs here, or a lower one that CUSTOM_KEYBOARD_SM4 in the environment
  /// names.
  @inline(always) static var current: Self {
    // `init(rawValue:)` is a call, which takes as long as a round.
    switch known.load(ordering: .relaxed) {
    #if arch(x86_64)
      case Self.gfni512.rawValue: .gfni512
      case Self.gfni256.rawValue: .gfni256
      case Self.aesni.rawValue: .aesni
    #elseif arch(arm64)
      case Self.armv8sm4.rawValue: .armv8sm4
      case Self.neon.rawValue: .neon
    #endif
    case Self.portable.rawValue: .portable
    default: found()
    }
  }

  /// 0 until it is known. Threads that find out at the same time find the same.
  private static let known = Atomic<UInt8>(0)

  @inline(never)
  private static func found() -> Self {
    let path = UInt8(keyboard_sm4_path())
    known.store(path, ordering: .relaxed)
    return Self(rawValue: path) ?? .portable
  }

  /// The best path that processor and operating system allow.
  static var best: Self { Self(rawValue: UInt8(keyboard_best_path())) ?? .portable }
}
