// What a table probably is whose first row cannot be used: spreadsheets and other programs write more than CSV.
// SPDX-License-Identifier: Apache-2.0

import KeyboardTerminal
import KeyboardText

enum TableForm {
  /// A sentence on what is probably wrong; nil if nothing is known.
  ///
  /// - Parameters:
  ///   - begin: the first bytes of the table.
  ///   - name: the file.
  static func advice(on begin: UnsafeRawBufferPointer, of name: String) -> String? {
    let file = shellWord(name)
    if begin.starts(with: [0xff, 0xfe]) || begin.starts(with: [0xfe, 0xff]) {
      return "Give \(name) in UTF-8, not in UTF-16: iconv -f UTF-16 -t UTF-8 \(file) > table.csv"
    }
    var row = begin.prefix { $0 != UInt8(ascii: "\n") }
    if row.last == UInt8(ascii: "\r") { row = row.dropLast() }
    if row.contains(UInt8(ascii: "\r")) {
      return "End the rows of \(name) with newlines: they end with CR alone. tr '\\r' '\\n' < \(file) > table.csv"
    }
    func count(_ separator: UInt8) -> Int { row.count { $0 == separator } }
    let commas = count(UInt8(ascii: ","))
    let isMark = row.prefix(4).elementsEqual("sep=".utf8) || row.prefix(4).elementsEqual("Sep=".utf8)
    if isMark, commas == 1 || row.count == 4 {
      return "Remove the first row of \(name), which tells a spreadsheet the separator: "
        + "tail -n +2 \(file) > table.csv"
    }
    for (separator, plural) in [(UInt8(ascii: ";"), "semicolons"), (9, "tabs"), (UInt8(ascii: "|"), "bars")]
    where count(separator) > commas {
      let first = isMark ? " Its first row tells that to a spreadsheet: remove it, too." : ""
      return "Write \(name) with commas between its columns: there are \(plural).\(first)"
    }
    guard row.split(separator: UInt8(ascii: ",")).contains(where: isText) else { return nil }
    return "Begin \(name) with a row of the columns' names: there is a text in its first row."
  }

  /// Whether a field is a text, or a verifier, and not a column's name.
  private static func isText(_ field: Slice<UnsafeRawBufferPointer>) -> Bool {
    let field = field.drop { $0 == UInt8(ascii: "\"") }
    return field.starts(with: "$argon2".utf8) || field.starts(with: "$sha256".utf8)
      || field.prefix { Hexadecimal.isDigit($0) }.count >= 16
  }
}
