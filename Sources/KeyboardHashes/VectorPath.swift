// Which of the implementations of Argon2id, Keccak and ML-KEM runs: decided once, by the processor and the operating
// system.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// The implementations. The integers are those of `processor.h`.
package enum VectorPath: UInt8, CaseIterable, Comparable, Sendable {
  case portable = 1
  #if arch(x86_64)
    case avx2
  #endif

  package static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

extension VectorPath {
  /// The path that is taken: the best that runs here, but the portable one where SM4 takes its own.
  @inline(never) package static var current: Self { Self(rawValue: UInt8(keyboard_vector_path())) ?? .portable }

  /// The best path that processor and operating system allow.
  package static var best: Self { Self(rawValue: UInt8(keyboard_best_vector_path())) ?? .portable }
}
