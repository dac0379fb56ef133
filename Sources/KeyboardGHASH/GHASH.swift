// GHASH, the sum that authenticates a GCM text: NIST SP 800-38D §6.4. Which implementation runs is decided by the
// processor, as for SM4.
//
// SPDX-License-Identifier: Apache-2.0

import CKeyboardPlatform
import KeyboardGHASHField

#if arch(x86_64) || arch(arm64)
  import KeyboardGHASHCarryless
#endif

/// The sum of GCM.
///
/// - Timing: constant on every path; no table, no branch and no address depends on the key or on a byte of a text.
/// - Source: NIST SP 800-38D §6.4.
package enum GHASH {
  /// Bytes of memory that `digest` takes: 64.
  package static var scratchSize: Int { GHASHText.scratchByteCount }

  /// Writes GHASH of additional data and a ciphertext, each filled up with zeros to whole blocks, and of their lengths.
  ///
  /// - Parameters:
  ///   - key: H, 16 bytes at any address.
  ///   - additionalData: any number of bytes at any address.
  ///   - text: any number of bytes at any address.
  ///   - sum: 16 bytes at any address, which may be the key's.
  ///   - scratch: `scratchSize` bytes at any address that overlap nothing else. They hold bytes of the two texts
  ///     afterwards, and nothing of the key.
  /// - Timing: depends on the two lengths only.
  /// - Source: NIST SP 800-38D §6.4, and §7.1, step 5.
  package static func digest(
    key: UnsafeRawPointer, additionalData: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer,
    into sum: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer
  ) {
    digest(key: key, additionalData: additionalData, text: text, into: sum, scratch: scratch, on: .current)
  }

  @inline(always) static func digest(
    key: UnsafeRawPointer, additionalData: UnsafeRawBufferPointer, text: UnsafeRawBufferPointer,
    into sum: UnsafeMutableRawPointer, scratch: UnsafeMutableRawPointer, on path: Path
  ) {
    let text = GHASHText(additionalData: additionalData, text: text, scratch: scratch)
    switch path {
    #if arch(x86_64) || arch(arm64)
      case .carryless: CarrylessGHASH.digest(text, key: key, into: sum)
    #endif
    default: PortableGHASH.digest(text, key: key, into: sum)
    }
  }
}

extension GHASH {
  /// The implementations. The integers are those of `processor.h`.
  enum Path: UInt8, CaseIterable {
    case portable = 1
    #if arch(x86_64) || arch(arm64)
      case carryless
    #endif
  }
}

extension GHASH.Path {
  /// The path that `GHASH` takes: the best that runs here, but the portable one where SM4 takes its own.
  @inline(never) static var current: Self { Self(rawValue: UInt8(keyboard_ghash_path())) ?? .portable }

  /// The best path that processor and operating system allow.
  static var best: Self { Self(rawValue: UInt8(keyboard_best_ghash_path())) ?? .portable }
}
