// Rules in a file of JSON: [{"rule": "minimumLength", "number": 6, "message": "Six digits, please."}, …]
// SPDX-License-Identifier: Apache-2.0
//
// Nothing is ignored: a rule whose name is misspelt would refuse nothing.

import CustomKeyboard
import KeyboardTerminal
import KeyboardText

struct RuleFile {
  private let path: String
  /// As it was read; `reader` decodes the texts in a copy.
  private let contents: [UInt8]
  private var reader: JSONReader
  /// The index of the rule that is being read, from 0.
  private var index: Int?
  private var key: String?

  /// - Throws: a failure that names the line, the index of the rule and the key.
  static func read(_ path: String) throws(Failure) -> [GivenRule] {
    let contents = try readFile(path)
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 1)
    defer { copy.deallocate() }
    copy.copyBytes(from: contents)
    var file = RuleFile(path: path, contents: contents, reader: JSONReader(copy))
    do throws(JSONFault) {
      return try file.rules()
    } catch { throw Failure("\(file.place): \(error.advice)", .data) }
  }

  /// rules.json, line 3, [1].number
  private var place: String {
    let line = contents[..<reader.place].count { $0 == UInt8(ascii: "\n") } + 1
    let rule = index.map { ", [\($0)]" + (key.map { ".\($0)" } ?? "") } ?? ""
    return "\(path), line \(line)\(rule)"
  }

  // MARK: Parts

  /// - Returns: whether the character comes next, in front of which may be white space.
  private mutating func skip(_ character: Unicode.Scalar) -> Bool {
    reader.skipSpace()
    return reader.take(character)
  }

  private mutating func expect(_ character: Unicode.Scalar, _ advice: String) throws(JSONFault) {
    guard skip(character) else { throw JSONFault(advice) }
  }

  private mutating func string() throws(JSONFault) -> String {
    reader.skipSpace()
    do throws(JSONReader.Fault) {
      return String(decoding: reader.bytes(try reader.string()), as: UTF8.self)
    } catch { throw JSONFault(error) }
  }

  private mutating func integer() throws(JSONFault) -> Int {
    reader.skipSpace()
    guard let place = reader.number(), let number = Int(String(decoding: reader.bytes(place), as: UTF8.self)) else {
      throw JSONFault("Give a whole number, without quotation marks.")
    }
    return number
  }

  // MARK: Rules

  private mutating func rules() throws(JSONFault) -> [GivenRule] {
    var rules: [GivenRule] = []
    try expect("[", "Begin with [, for an array of rules.")
    repeat {
      index = rules.count
      rules.append(try rule())
    } while skip(",")
    index = nil
    try expect("]", "Go on with a comma and a rule, or end with ].")
    reader.skipSpace()
    guard reader.isAtEnd else { throw JSONFault("Write nothing after the array.") }
    return rules
  }

  private mutating func rule() throws(JSONFault) -> GivenRule {
    try expect("{", "Give an object, such as {\"rule\": \"digits\"}.")
    var (name, number, text, message) = (RuleName?.none, Int?.none, String?.none, String?.none)
    var places: [String: String] = [:]
    repeat {
      key = nil
      let word = try string()
      key = word
      guard places.updateValue(place, forKey: word) == nil else { throw JSONFault("Give this key once.") }
      try expect(":", "Go on with a colon and a value.")
      switch word {
      case "rule": name = try ruleName()
      case "number": number = try integer()
      case "text": text = try string()
      case "message": message = try sentence()
      default: throw JSONFault("There is no such key. Give rule, number, text or message.")
      }
    } while skip(",")
    key = nil
    try expect("}", "Go on with a comma and a key, or end with }.")
    return try rule(name, number, text, message, places)
  }

  private mutating func ruleName() throws(JSONFault) -> RuleName {
    guard let name = RuleName(rawValue: try string()) else {
      let names = RuleName.allCases.map(\.rawValue).joined(separator: ", ")
      throw JSONFault("There is no such rule. Give one of \(names).")
    }
    return name
  }

  private mutating func sentence() throws(JSONFault) -> String {
    let sentence = try string()
    guard !sentence.isEmpty else { throw JSONFault("Give a sentence, or leave the message out.") }
    return sentence
  }

  /// Puts the parts together, if they are those of the rule.
  private mutating func rule(
    _ name: RuleName?, _ number: Int?, _ text: String?, _ message: String?, _ places: [String: String]
  ) throws(JSONFault) -> GivenRule {
    key = "rule"
    guard let name else { throw JSONFault("Give the name of the rule.") }
    key = "number"
    guard name.hasNumber || number == nil else { throw JSONFault("Leave it out: \(name) has no number.") }
    guard !name.hasNumber || number != nil || name == .notPhone else { throw JSONFault("Give the number of \(name).") }
    key = "text"
    guard name.hasText || text == nil else { throw JSONFault("Leave it out: \(name) has no text.") }
    guard !name.hasText || text != nil else { throw JSONFault("Give the text of \(name).") }
    key = nil
    let rule = name.rule(number: number ?? RuleName.phoneDigits, text: text ?? "", message: message)
    return GivenRule(
      rule: rule, text: text ?? "", numberPlace: places["number"] ?? place, textPlace: places["text"] ?? place,
      code: .data)
  }
}
