// Why a row of a table is refused. The codes are all that a person learns about a row besides its line and its id.
// SPDX-License-Identifier: Apache-2.0

/// The codes in the column `reason`, which Docs/Migration.md explains. The Spark job has the same.
enum RefusalReason: String {
  /// Another number of fields than the table has columns.
  case fields = "FIELDS"
  /// Quotation marks that are not as in CSV, a newline in the id or the text, or a row of over 64 KiB.
  case quotes = "QUOTES"
  /// No id, or one that is longer than 256 bytes, is not UTF-8 or has control characters.
  case id = "ID"
  /// An earlier row has the same id.
  case duplicate = "DUPLICATE"
  /// The text is not in hexadecimal digits, or not in base64.
  case encoding = "ENCODING"
  /// The text has no bytes, more than 144, or no whole blocks.
  case length = "LENGTH"
  /// The library cannot decrypt it: a wrong padding, a password that is not UTF-8, or another key.
  case undecryptable = "UNDECRYPTABLE"
  /// The password has no characters.
  case empty = "EMPTY"
  /// The password is longer than 128 bytes.
  case tooLong = "MAXLEN"
  /// The verifier does not have a form that the library checks.
  case verifier = "VERIFIER"

  /// What is probably wrong if nearly all rows are refused for this reason.
  var probableCause: String {
    switch self {
    case .undecryptable: "probably the key in --key-file is another one, or --way"
    case .encoding: "probably --encoding is another one, or --text-column"
    case .length: "probably --way is another one, or --encoding"
    case .verifier: "probably --text-column is another one, or it has texts, which need --from ecb"
    case .id, .duplicate: "probably --id-column is another one"
    case .fields, .quotes: "probably the rows are not CSV"
    case .empty, .tooLong: "probably --way is another one"
    }
  }
}
