// Which implementation of SHA-256 runs: decided once, by the processor.
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform

/// The implementations. The integers are those of `processor.h`.
package enum SHA256Path: UInt8, CaseIterable, Sendable {
  case portable = 1
  #if arch(x86_64)
    case instructions
  #endif
}

extension SHA256Path {
  /// The path that is taken: the best that runs here, but the portable one where SM4 takes its own.
  @inline(never) package static var current: Self { Self(rawValue: UInt8(keyboard_sha256_path())) ?? .portable }

  /// The best path that the processor allows.
  package static var best: Self { Self(rawValue: UInt8(keyboard_best_sha256_path())) ?? .portable }
}
