// Which of Argon2id's compression functions runs: decided once, by the processor and the operating system.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import Synchronization

extension Argon2id {
  /// The implementations. The integers are those of `processor.h`.
  enum Path: UInt8, CaseIterable, Comparable {
    case portable = 1
    #if arch(x86_64)
      case avx2
    #endif

    static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
  }
}

extension Argon2id.Path {
  /// The path that `Argon2id` takes: the best that runs here, but the portable one where SM4 takes its own.
  @inline(always) static var current: Self { Self(rawValue: known.load(ordering: .relaxed)) ?? found() }

  /// 0 until it is known. Threads that find out at the same time find the same.
  private static let known = Atomic<UInt8>(0)

  @inline(never)
  private static func found() -> Self {
    let path = UInt8(keyboard_argon2_path())
    known.store(path, ordering: .relaxed)
    return Self(rawValue: path) ?? .portable
  }

  /// The best path that processor and operating system allow.
  static var best: Self { Self(rawValue: UInt8(keyboard_best_argon2_path())) ?? .portable }
}
