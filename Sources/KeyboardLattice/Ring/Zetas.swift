// The powers of ζ = 17 that the transform multiplies by.
// SPDX-License-Identifier: Apache-2.0

/// zeta(k) is ζ^BitRev7(k) · R modulo q, between -q/2 and q/2. (FIPS 203, Appendix A; here times R)
public enum Zetas {
  /// Four in a word, the first in the lowest bits. They are a constant in the object file, read word by word, for the
  /// reason that CombTables.swift has.
  public static let words: InlineArray<32, UInt64> = [
    0xfa13_fe99_fd0a_fbec, 0x00ca_011f_058e_05d5, 0x00b6_0629_026e_ff55, 0x05bc_fa3e_fb4e_03c2,
    0x017f_0108_fad3_023d, 0xff7e_f9be_05b2_fcc3, 0x0260_02dc_03f9_fd57, 0xf9dd_ff33_019b_f9fa,
    0x03f7_fdd8_028c_04c7, 0xf9f8_fee6_05d3_faf3, 0xfd66_fec0_fff8_0204, 0x05bd_007e_fb76_f9ae,
    0x033e_fef1_ffa6_fcab, 0xfc49_ff09_fa73_006b, 0xfd2b_fa1c_03c1_fe72, 0xfb05_02a5_fbd7_01c0,
    0x034b_022b_01ae_fbb1, 0x0069_060e_0367_fb1d, 0xff15_00b1_024b_01a6, 0x0675_0626_fe34_fedd,
    0xff6d_0487_030a_ff0a, 0x045f_fda6_05cb_fcf7, 0x015d_fc98_0284_f9ca, 0xffb5_ff64_0149_01a2,
    0x0262_025b_0449_0331, 0x0180_fa47_fafb_052a, 0xfac9_04c2_ff78_fb41, 0xf985_fb5d_00dc_fc96,
    0x031a_fb02_fa06_fb5f, 0x01de_fc9a_fcaa_fa1a, 0x03df_03e4_fecc_ff94, 0x065c_05f2_fa4c_03be,
  ]

  /// Zetas 4 · `index` … 4 · `index` + 3.
  @inline(always) public static func word(_ index: Int) -> UInt64 { words[unchecked: index] }

  @inline(always) public static func one(_ index: Int) -> UInt64 {
    word(index &>> 2) &>> (16 &* UInt64(truncatingIfNeeded: index & 3)) & 0xffff
  }

  /// Zetas `index` and `index` + 1, for an even index.
  @inline(always) public static func two(_ index: Int) -> UInt64 {
    word(index &>> 2) &>> (16 &* UInt64(truncatingIfNeeded: index & 2)) & 0xffff_ffff
  }
}
