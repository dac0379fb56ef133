// Which of the implementations of RSA's powers runs: decided once, by the processor and the operating system.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// The implementations. They are where those of the curves are, and the integers are those of `processor.h`.
enum RSAPath: UInt8, CaseIterable, Comparable, Sendable {
  /// In words.
  case portable = 1
  #if arch(x86_64)
    /// In digits of 52 bits, many at a time.
    case ifma
  #endif

  static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension RSAPath {
  /// The path that is taken: the best that runs here, but the portable one where SM4 takes a lower one than its best.
  @inline(never) static var current: Self { Self(rawValue: UInt8(keyboard_curve_path())) ?? .portable }

  /// The best path that processor and operating system allow.
  static var best: Self { Self(rawValue: UInt8(keyboard_best_curve_path())) ?? .portable }
}
