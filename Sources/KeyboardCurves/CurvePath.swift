// Which of the implementations runs: decided once, by the processor and the operating system.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import Synchronization

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
  static var current: Self { Self(rawValue: known.load(ordering: .relaxed)) ?? found() }

  /// 0 until it is known. Threads that find out at the same time find the same.
  private static let known = Atomic<UInt8>(0)

  @inline(never)
  private static func found() -> Self {
    let path = UInt8(keyboard_curve_path())
    known.store(path, ordering: .relaxed)
    return Self(rawValue: path) ?? .portable
  }

  /// The best path that processor and operating system allow.
  static var best: Self { Self(rawValue: UInt8(keyboard_best_curve_path())) ?? .portable }
}
