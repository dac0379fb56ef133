// Which of the implementations runs: decided once, by the processor and the operating system.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// The implementations. The integers are those of `processor.h`.
enum CurvePath: UInt8, CaseIterable, Comparable, Sendable {
  /// One point after another, in general registers.
  case portable = 1
  #if arch(x86_64)
    /// X25519 two at a time, and up to eight points of any curve.
    case ifma
  #endif

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension CurvePath {
  /// The path that is taken: the best that runs here, but the portable one where SM4 takes a lower one than its best.
  @inline(never) static var current: Self { Self(rawValue: UInt8(keyboard_curve_path())) ?? .portable }

  /// The best path that processor and operating system allow.
  static var best: Self { Self(rawValue: UInt8(keyboard_best_curve_path())) ?? .portable }
}
