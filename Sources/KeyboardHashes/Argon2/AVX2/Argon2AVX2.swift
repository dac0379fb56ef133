// Argon2's compression function for processors with AVX2: two rows or columns at a time.
// SPDX-License-Identifier: Apache-2.0

#if arch(x86_64)
  import KeyboardArgon2Block

  public enum Argon2AVX2 {
    @inline(never) @export(interface)
    public static func compress(
      _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, adding old: UnsafeRawPointer, into output: UnsafeMutableRawPointer,
      scratch: UnsafeMutableRawPointer
    ) {
      Argon2Block.compress(x, y, adding: old, into: output, scratch: scratch, in: TwoPairs.self)
    }
  }
#endif
