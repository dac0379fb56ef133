// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CustomKeyboard
@testable import KeyboardMemory

/// No two parts of a keyboard's slot overlap, each begins at a multiple of 8, and all fit into the slot.
@Test func thePartsOfASlotDoNotOverlap() {
  typealias Place = KeyboardState.Place
  let parts = Place.all
  #expect(parts.count == 8)
  for (part, next) in zip(parts, parts.dropFirst()) {
    #expect(!part.isEmpty && part.upperBound <= next.lowerBound && next.lowerBound % 8 == 0)
  }
  #expect(Place.header.lowerBound == 0)
  let byteCount = KeyboardState.slots.byteCount
  #expect(Place.step.upperBound <= byteCount)
}

@Test func theSmallestKeyIsTold() throws {
  let keyboard = try Keyboard()
  #expect(keyboard.smallestKeySize.isSmallForFingers)
  try keyboard.setSize(ViewSize(width: 1024, height: 400, columnGap: 6, rowGap: 8))
  #expect(!keyboard.smallestKeySize.isSmallForFingers)
}
