// The pages as people see them: which keys there are, where in the grid, and their labels.
// SPDX-License-Identifier: Apache-2.0

import KeyboardCodes
import Testing

@testable import KeyboardLayout

private func labels(_ layout: TestLayout) -> [[String]] {
  var rows: [[String]] = []
  for key in layout.state.keys {
    if key.grid.row > rows.count { rows.append([]) }
    rows[key.grid.row - 1].append(key.label.text)
  }
  return rows
}

/// The labels row by row, in source order.
private func page(_ kind: LayoutKind, _ page: Page) -> [[String]] {
  func keys(_ rows: String...) -> [[String]] { rows.map { $0.split(separator: " ").map(String.init) } }
  switch (kind, page) {
  case (.pin, _):
    return [["1", "2", "3"], ["4", "5", "6"], ["7", "8", "9"], ["", "0", "delete"]]
  case (.pinDecoys, _):
    return [["1", "2", "3", "4"], ["5", "6", "7", "8"], ["9", "0", "", ""], ["", "", "delete", "return"]]
  case (.mixed, .letters):
    return keys("q w e r t y u i o", "p a s d f g h j", "shift k l z x c v delete", "2/3 3/3 space return")
  case (.mixed, .digits):
    return keys("b n m 1 2 3 4 5 6", "7 8 9 0 ! \" # $", "shift % & ' ( ) * delete", "1/3 3/3 space return")
  case (.mixed, .symbols):
    var rows = keys("+ , - . / : ; < =", "> ? @ [ \\ ] ^ _", "shift ` { | } ~ delete", "1/3 2/3 space return")
    rows[2].insert("", at: 6)
    return rows
  case (_, .letters):
    return keys("q w e r t y u i o p", "a s d f g h j k l", "shift z x c v b n m delete", "123 #+= space return")
  case (_, .digits):
    return keys("1 2 3 4 5", "6 7 8 9 0", "abc #+= space delete return")
  case (_, .symbols):
    return keys(
      "! \" # $ % & ' ( ) *", "+ , - . / : ; < = >", "? @ [ \\ ] ^ _ ` { delete", "abc 123 | } ~ space return")
  }
}

@Test(arguments: everyKind)
func everyPageHasItsKeysAndLabels(kind: LayoutKind) throws {
  let layout = try TestLayout(kind, .none)
  var source = NoSource()
  layout.state.open(using: &source)
  #expect(layout.state.page == kind.firstPage)
  var pages = 0
  layout.onEveryPage { number in
    #expect(labels(layout) == page(kind, number))
    pages += 1
  }
  #expect(pages == (kind.isPad ? 1 : 3))
}

@Test func labelsAreTheBytesThatTheySay() throws {
  let layout = try TestLayout(.mixed, .none)
  var seen = Set<[UInt8]>()
  try layout.onEveryPage { _ in
    for key in layout.state.keys {
      let label = key.label
      try #require(label.count < KeyLabel.byteCount)
      try #require((label.count..<KeyLabel.byteCount).allSatisfy { label[$0] == 0 })
      try #require(label[-1] == 0 && label[16] == 0 && label[.max] == 0)
      var written = [UInt8](repeating: 0xee, count: 18)
      written.withUnsafeMutableBytes { label.write(to: $0.baseAddress! + 1) }
      try #require(written == [0xee] + (0..<16).map { label[$0] } + [0xee])
      if key.role == .character {
        try #require(label.count == 1)
        try #require(seen.insert(label.utf8).inserted)
      }
    }
  }
  #expect(seen.count == 68)
  #expect(KeyLabel("fifteen letters").text == "fifteen letters")
  #expect(KeyLabel().count == 0)
}

@Test(arguments: everyKind)
func keysAreCountedAsTheyAreListed(kind: LayoutKind) throws {
  let layout = try TestLayout(kind)
  layout.onEveryPage { _ in #expect(Array(layout.state.keys).count == layout.state.keyCount) }
}

/// CUSTOM_KEYBOARD_ROLE_CLEAR exists in the C header, but no key has it.
@Test(arguments: everyKind)
func noPageHasAKeyThatClears(kind: LayoutKind) throws {
  let layout = try TestLayout(kind)
  layout.onEveryPage { _ in #expect(layout.index(.clear) == nil) }
}

/// The paper, §2: rows and columns are counted from 1; every key is a whole multiple of a character key.
@Test(arguments: everyKind)
func gridsCountFromOneInWholeLetterKeys(kind: LayoutKind) throws {
  let layout = try TestLayout(kind)
  try layout.onEveryPage { _ in
    let keys = Array(layout.state.keys)
    let (columns, rows) = layout.state.drawing.gridSize
    let letter = kind.isPad ? 1 : 2
    #expect(columns == letter * Int(kind.across) && Int(kind.across) == kind.keysAcross)
    #expect(keys.map(\.grid.row).min() == 1 && keys.map(\.grid.row).max() == rows)
    #expect(keys.map(\.grid.column).min() == 1)
    #expect(keys.map { $0.grid.column + $0.grid.columnSpan - 1 }.max() == columns)
    var taken = Set<[Int]>()
    for key in keys {
      try #require(key.grid.rowSpan == 1)
      try #require(key.grid.columnSpan % letter == 0)
      for column in key.grid.column..<key.grid.column + key.grid.columnSpan {
        try #require(taken.insert([key.grid.row, column]).inserted, "no two keys share a cell")
      }
    }
    let widths = Set(keys.filter { $0.role == .character }.map(\.grid.columnSpan))
    #expect(widths.count == 1, "character keys are alike")
    for key in keys { try #require(key.grid.columnSpan % widths.first! == 0) }
  }
}

@Test func functionKeysNeverMove() throws {
  var source = Statistical()
  for kind in everyKind {
    let layout = try TestLayout(kind, .eachKey)
    var expected: [Page: [KeyCap?]] = [:]
    for _ in 0..<10 {
      layout.state.open(using: &source)
      try layout.onEveryPage { page in
        // On a pad with decoys, blank keys move too.
        let keys = layout.state.keys.map { $0.role == .character || kind == .pinDecoys && $0.role == .blank ? nil : $0 }
        try #require(expected[page] == nil || expected[page] == keys, "kind \(kind)")
        expected[page] = keys
      }
    }
  }
}

@Test func rolesAreNumberedAsInC() {
  let roles: [KeyRole] = [
    .character, .space, .delete, .clear, .shift, .toLetters, .toDigits, .toSymbols, .return, .blank,
  ]
  #expect(roles.map(\.rawValue) == Array(0...9))
  #expect(everyKind.map(\.rawValue) == Array(0...5))
  #expect([ShuffleKind.none, .eachOpening, .eachKey].map(\.rawValue) == Array(0...2))
}
