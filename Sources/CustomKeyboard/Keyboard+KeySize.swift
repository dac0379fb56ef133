// How large the keys are, for designers. Neither C nor the package for phones has it.
// SPDX-License-Identifier: Apache-2.0

#if !hasFeature(Embedded)
  public import KeyboardLayout

  extension Keyboard {
    /// The smallest width and the smallest height of a key on any page of the layout, in points. For designers:
    /// `KeySize.isSmallForFingers` says whether it is too small. The C interface has no such function; a C program
    /// compares the frames that `CustomKeyboard_keys` writes.
    public var smallestKeySize: KeySize {
      (try? keyboardHandle.call { state in state.smallestKeySize }) ?? KeySize(width: 0, height: 0)
    }
  }
#endif
