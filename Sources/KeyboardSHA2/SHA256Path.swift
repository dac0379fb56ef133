// Which implementation of SHA-256 runs: decided once, by the processor.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import Synchronization

/// The implementations. The integers are those of `processor.h`.
package enum SHA256Path: UInt8, CaseIterable, Sendable {
  case portable = 1
  #if arch(x86_64)
    case instructions
  #endif
}

extension SHA256Path {
  /// The path that is taken: the best that runs here, but the portable one where SM4 takes its own.
  package static var current: Self { Self(rawValue: known.load(ordering: .relaxed)) ?? found() }

  /// 0 until it is known. Threads that find out at the same time find the same.
  private static let known = Atomic<UInt8>(0)

  @inline(never)
  private static func found() -> Self {
    let path = UInt8(keyboard_sha256_path())
    known.store(path, ordering: .relaxed)
    return Self(rawValue: path) ?? .portable
  }

  /// The best path that the processor allows.
  package static var best: Self { Self(rawValue: UInt8(keyboard_best_sha256_path())) ?? .portable }
}
