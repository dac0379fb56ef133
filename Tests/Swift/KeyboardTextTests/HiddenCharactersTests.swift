// The table of characters that nobody sees, compared with the properties that Swift's library knows of each.
// SPDX-License-Identifier: Apache-2.0

import KeyboardText
import Testing

/// Symbols and marks that are blank: no property tells.
private let blank: Set<UInt32> = [0x2800, 0x1d159, 0x16fe4]

@Test func hiddenCharactersAreThoseOfUnicode() {
  var (wrong, count): ([UInt32], Int) = ([], 0)
  for scalar in (0...0x10ffff as ClosedRange<UInt32>).lazy.compactMap(Unicode.Scalar.init) {
    let properties = scalar.properties
    let isNeeded = properties.isJoinControl || properties.isVariationSelector
    let isHidden =
      switch properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: true
      default: properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint
      }
    let isWanted = isHidden && !isNeeded || blank.contains(scalar.value)
    if HiddenCharacters.contains(scalar.value) != isWanted { wrong.append(scalar.value) }
    if isWanted { count += 1 }
  }
  #expect(wrong.isEmpty && count == 4080, "\(wrong.prefix(10)) of \(count)")
  #expect(!HiddenCharacters.contains(0x11_0000))
}
