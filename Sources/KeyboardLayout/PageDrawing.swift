// The pages as drawings.
// SPDX-License-Identifier: Apache-2.0
//
// A drawing is cut into keys from the top left to the bottom right; a key's index is its place in this order.
//
//     c  a character     s  shift         a  to the letters     _  space
//     d  delete          r  return        1  to the digits      b  a blank key
//     .  no key                           #  to the symbols     -  the key to the left is one column wider
//     n  a node of a pattern
//
// A letter key is two columns wide, so that rows of ten and of nine keys can be half a key apart. Every other key is a
// whole number of letter keys wide (the paper, §2). All keys of a page have the same height. Function keys never move.

/// A page: the places and roles of its keys, without their characters.
struct PageDrawing {
  private let drawing: StaticString
  /// The place, in the order, of the first character key. The following keys have the following places.
  let firstPlace: Int

  private init(_ drawing: StaticString, firstPlace: Int) {
    self.drawing = drawing
    self.firstPlace = firstPlace
  }

  init(_ kind: LayoutKind, _ page: Page) {
    switch (kind, page) {
    case (.pin, _): self = .pin
    case (.pinDecoys, _): self = .pinDecoys
    case (.pattern, _): self = .pattern
    case (.mixed, .letters): self = .mixed1
    case (.mixed, .digits): self = .mixed2
    case (.mixed, .symbols): self = .mixed3
    case (_, .letters): self = .letters
    case (_, .digits): self = .digits
    case (_, .symbols): self = .symbols
    }
  }

  /// How many columns and rows the grid has.
  var gridSize: (columns: Int, rows: Int) {
    var columns = 0
    while columns < drawing.utf8CodeUnitCount && drawing.utf8Start[columns] != UInt8(ascii: "\n") { columns += 1 }
    return (columns, (drawing.utf8CodeUnitCount + 1) / (columns + 1))
  }

  /// The keys, from the top left to the bottom right.
  var caps: DrawnCaps { DrawnCaps(drawing, firstPlace: firstPlace) }
}

extension PageDrawing {
  private static var letters: PageDrawing {
    PageDrawing(
      """
      c-c-c-c-c-c-c-c-c-c-
      .c-c-c-c-c-c-c-c-c-.
      s-.c-c-c-c-c-c-c-.d-
      1-#-_-----------r---
      """, firstPlace: CharacterPool.letters.places.lowerBound)
  }

  private static var digits: PageDrawing {
    PageDrawing(
      """
      c---c---c---c---c---
      c---c---c---c---c---
      a---#---_---d---r---
      """, firstPlace: CharacterPool.digits.places.lowerBound)
  }

  private static var symbols: PageDrawing {
    PageDrawing(
      """
      c-c-c-c-c-c-c-c-c-c-
      c-c-c-c-c-c-c-c-c-c-
      c-c-c-c-c-c-c-c-c-d-
      a-1-c-c-c-_-----r---
      """, firstPlace: CharacterPool.symbols.places.lowerBound)
  }

  // 68 characters on three pages: the page of letters with one key less in each row has 23, and only the last page has
  // one too many. Each page can have letters, so each has a shift key.

  private static var mixed1: PageDrawing {
    PageDrawing(
      """
      c-c-c-c-c-c-c-c-c-
      .c-c-c-c-c-c-c-c-.
      s-.c-c-c-c-c-c-.d-
      1-#-_---------r---
      """, firstPlace: 0)
  }

  private static var mixed2: PageDrawing {
    PageDrawing(
      """
      c-c-c-c-c-c-c-c-c-
      .c-c-c-c-c-c-c-c-.
      s-.c-c-c-c-c-c-.d-
      a-#-_---------r---
      """, firstPlace: 23)
  }

  private static var mixed3: PageDrawing {
    PageDrawing(
      """
      c-c-c-c-c-c-c-c-c-
      .c-c-c-c-c-c-c-c-.
      s-.c-c-c-c-c-b-.d-
      a-1-_---------r---
      """, firstPlace: 46)
  }

  private static var pin: PageDrawing {
    PageDrawing(
      """
      ccc
      ccc
      ccc
      bcd
      """, firstPlace: CharacterPool.digits.places.lowerBound)
  }

  // Four of the fourteen keys that are drawn as characters are blank. The order says which ones.
  private static var pinDecoys: PageDrawing {
    PageDrawing(
      """
      cccc
      cccc
      cccc
      ccdr
      """, firstPlace: CharacterPool.digits.places.lowerBound)
  }

  private static var pattern: PageDrawing {
    PageDrawing(
      """
      nnn
      nnn
      nnn
      """, firstPlace: 0)
  }
}

/// A key of a drawing. `place` is the place of its character in the order, or a node's number from 0; it has no meaning
/// for other roles.
struct DrawnCap {
  let grid: GridRect
  let role: KeyRole
  let place: Int
}

/// Cuts a drawing into keys, one at a time.
struct DrawnCaps: IteratorProtocol {
  private let drawing: StaticString
  private var offset = 0
  private var row = 1
  private var column = 1
  private var place: Int

  fileprivate init(_ drawing: StaticString, firstPlace: Int) {
    self.drawing = drawing
    place = firstPlace
  }

  private var mark: UInt8? {
    offset < drawing.utf8CodeUnitCount ? drawing.utf8Start[offset] : nil
  }

  mutating func next() -> DrawnCap? {
    while let mark {
      offset += 1
      if mark == UInt8(ascii: "\n") {
        row += 1
        column = 1
        continue
      }
      let start = column
      column += 1
      guard let role = KeyRole(mark: mark) else { continue }
      while self.mark == UInt8(ascii: "-") {
        offset += 1
        column += 1
      }
      let grid = GridRect(row: row, column: start, rowSpan: 1, columnSpan: column - start)
      defer { if role == .character || role == .node { place += 1 } }
      return DrawnCap(grid: grid, role: role, place: place)
    }
    return nil
  }
}

extension KeyRole {
  /// - Returns: nil where a drawing has no key.
  fileprivate init?(mark: UInt8) {
    switch mark {
    case UInt8(ascii: "c"): self = .character
    case UInt8(ascii: "_"): self = .space
    case UInt8(ascii: "d"): self = .delete
    case UInt8(ascii: "s"): self = .shift
    case UInt8(ascii: "a"): self = .toLetters
    case UInt8(ascii: "1"): self = .toDigits
    case UInt8(ascii: "#"): self = .toSymbols
    case UInt8(ascii: "r"): self = .return
    case UInt8(ascii: "b"): self = .blank
    case UInt8(ascii: "n"): self = .node
    default: return nil
    }
  }
}
